import type { ChildProcess } from "node:child_process"
import cluster, { type Worker } from "node:cluster"
import type { Duplex } from "node:stream"
import type { AdjustableLog } from "@postern/adapter-http"
import { lastingMetrics, newTicketSecret, sumMetrics, ticketSecretAt } from "@postern/adapter-http"
import type { ConfigFile } from "../config/schema.ts"
import { told } from "../serve/care.ts"
import { type MainCalls, type Order, type WorkerCalls, workerWord, writerDescriptor } from "./calls.ts"
import { type Link, linkOf } from "./link.ts"

/** Options of the workers of a server. */
export interface PoolOptions {
  readonly count: number
  readonly order: Omit<Order, "config" | "workers" | "tickets" | "speaks">
  readonly config: ConfigFile
  readonly log: AdjustableLog
  /** Writes what a worker sends over a stream; left out where each writes for itself. */
  readonly writeFor: ((stream: Duplex) => void) | undefined
  /** Reads the metrics of the main process. */
  readonly ownMetrics: () => string
}

/** The workers of a server. Each that ends is started again, after a pause that grows while it keeps ending. */
export interface Pool {
  /** Resolves when all of them listen; rejects with the failure of one that could not. */
  readonly listens: Promise<string>
  /** Tells them that clients and people agree with the configuration; resolves when they answer for them. */
  readonly agree: () => Promise<void>
  /** Serves another configuration: all of them make it first, and serve it once `between` is done. Answers whether the certificate is another. */
  readonly renew: <A>(config: ConfigFile, between: () => Promise<A>) => Promise<readonly [certificate: boolean, between: A]>
  /** Stops all of them in order; those that take too long are ended. */
  readonly stop: () => Promise<void>
}

/** Milliseconds to the next start of a worker that ended: the first, and the longest. A worker that served for `healthy` begins with the first again. */
const pauses = { first: 100, longest: 30_000, healthy: 10_000 }

/** Milliseconds that reading metrics of a worker may take. */
const patience = 1_000

/** Milliseconds for which all of them may stop: longer than the longest drain. */
const stopPatience = 13_000

interface Member {
  readonly worker: Worker
  readonly link: Link<WorkerCalls>
  readonly ended: Promise<void>
  config: ConfigFile
  /** True once it takes part in a change of the configuration; before that it sees to it itself. */
  serving: boolean
  /** The last metrics it told. */
  metrics: string
}

/** Starts workers, which listen together on one port: the main process accepts, and hands connections out in turn. */
export const startPool = ({ count, order, config: first, log, writeFor, ownMetrics }: PoolOptions): Pool => {
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({ args: [workerWord], stdio: ["ignore", "pipe", "inherit", "ipc", "pipe"], windowsHide: true })
  const members: Array<Member | undefined> = []
  const timers = new Set<NodeJS.Timeout>()
  let config = first
  let tickets = newTicketSecret(Date.now())
  let past = ""
  let agreeing: Promise<unknown> | undefined
  let started = false
  let stopping = false

  const metrics = async (): Promise<string> => {
    await Promise.all(
      present().map(async (member) => {
        member.metrics = await within(patience, member.link.call("metrics", undefined)).catch(() => member.metrics)
      }),
    )
    return sumMetrics([past, ownMetrics(), ...present().map((member) => member.metrics)])
  }
  const present = (): ReadonlyArray<Member> => members.filter((member) => member !== undefined)

  const fork = (slot: number): Member => {
    const worker = cluster.fork()
    const child = worker.process
    closeLastHandle(child)
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const link = linkOf<WorkerCalls, MainCalls>(
      {
        send: (message) => void (worker.isConnected() && worker.send(message as object, undefined, () => undefined)),
        receive: (listener) => void worker.on("message", listener),
      },
      { metrics },
    )
    const member: Member = { worker, link, ended, config, serving: false, metrics: "" }
    members[slot] = member
    forwardLines(child.stdout, log)
    const stream = child.stdio[writerDescriptor]
    if (stream instanceof Object && "write" in stream) writeFor?.(stream as Duplex)
    const began = performance.now()
    // Its last lines have come when its streams are closed.
    child.once("close", (code, signal) => {
      if (members[slot] === member) members[slot] = undefined
      past = sumMetrics([past, lastingMetrics(member.metrics)])
      link.lose(`a worker ended (${signal ?? `exit ${code}`})`)
      resolve()
      if (stopping || !started) return
      log.line("error", "worker ended", { worker: child.pid, code: code ?? undefined, signal: signal ?? undefined })
      again(slot, performance.now() - began)
    })
    return member
  }
  const pause = Array.from({ length: count }, () => pauses.first)
  const again = (slot: number, lived: number): void => {
    const wait = lived > pauses.healthy ? pauses.first : (pause[slot] ?? pauses.first)
    pause[slot] = Math.min(pauses.longest, wait * 2)
    const timer = setTimeout(() => {
      timers.delete(timer)
      void revive(slot)
    }, wait)
    timers.add(timer)
  }
  const revive = async (slot: number): Promise<void> => {
    const member = fork(slot)
    try {
      await serve(member, slot)
      await agreeing
      await member.link.call("agree", undefined)
      // A configuration that was taken up meanwhile.
      while (member.config !== config) await upToDate(member)
      member.serving = true
      log.line("info", "worker started again", { worker: member.worker.process.pid })
    } catch (error) {
      if (stopping) return
      log.line("error", "worker not started", { fault: told(error) })
      member.worker.process.kill("SIGKILL")
    }
  }
  const serve = async (member: Member, slot: number): Promise<string> => {
    tickets = ticketSecretAt(tickets, Date.now())
    const { url } = await member.link.call("serve", { ...order, config: member.config, workers: count, tickets, speaks: slot === 0 })
    return url
  }
  const upToDate = async (member: Member): Promise<boolean> => {
    const wanted = config
    await member.link.call("prepare", wanted)
    return taken(member, wanted)
  }
  const taken = async (member: Member, wanted: ConfigFile): Promise<boolean> => {
    const { certificate } = await member.link.call("take", undefined)
    member.config = wanted
    return certificate
  }
  /** A worker that could not take up what the others did ends, and begins again with it. */
  const orAgain = (member: Member, taking: Promise<boolean>): Promise<boolean> =>
    taking.catch((error: unknown) => {
      if (members.includes(member)) log.line("error", "worker begins again", { fault: told(error) })
      member.link.call("stop", undefined).catch(() => undefined)
      return false
    })
  const starting = Array.from({ length: count }, (_, slot) => serve(fork(slot), slot))
  const listens = Promise.all(starting).then(([url = ""]) => {
    started = true
    return url
  })
  listens.catch(() => undefined)

  return {
    listens,
    agree: async () => {
      const all = present()
      agreeing = Promise.all(all.map(({ link }) => link.call("agree", undefined)))
      await agreeing
      for (const member of all) member.serving = true
    },
    renew: async (next, between) => {
      const all = present().filter(({ serving }) => serving)
      const prepared = (member: Member): Promise<void> =>
        member.link.call("prepare", next).catch((error: unknown) => {
          // One that has ended meanwhile begins again with whatever is served then.
          if (members.includes(member)) throw error
        })
      await Promise.all(all.map(prepared))
      const made = await between()
      config = next
      const others = present().filter((member) => member.serving && !all.includes(member))
      const certificates = await Promise.all([
        ...all.map((member) => orAgain(member, taken(member, next))),
        ...others.map((member) => orAgain(member, upToDate(member))),
      ])
      return [certificates.includes(true), made]
    },
    stop: async () => {
      stopping = true
      for (const timer of timers) clearTimeout(timer)
      const all = present()
      for (const { link } of all) link.call("stop", undefined).catch(() => undefined)
      const late = setTimeout(() => {
        for (const { worker } of present()) worker.process.kill("SIGKILL")
      }, stopPatience)
      await Promise.all(all.map(({ ended }) => ended))
      clearTimeout(late)
    },
  }
}

/**
 * Closes the connection that was on its way to a process when that ended. Node's cluster waits for the process to take it and would keep it
 * open, so whoever connected would wait without end; a handle that was taken is closed already, and one is on its way at a time.
 */
const closeLastHandle = (child: ChildProcess): void => {
  let last: { readonly close?: unknown } | undefined
  const send = child.send.bind(child) as (...given: ReadonlyArray<unknown>) => boolean
  Object.assign(child, {
    send: (message: unknown, handle: unknown, ...rest: ReadonlyArray<unknown>): boolean => {
      if (typeof handle === "object" && handle !== null) last = handle
      return send(message, handle, ...rest)
    },
  })
  child.once("exit", () => {
    if (typeof last?.close === "function") last.close()
  })
}

const within = async <A>(milliseconds: number, value: Promise<A>): Promise<A> => {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error("late")), milliseconds)
  return Promise.race([value, promise]).finally(() => clearTimeout(timer))
}

/** Takes whole lines of a worker's log to this one's: several processes that wrote to one pipe would mix them up. */
const forwardLines = (stream: NodeJS.ReadableStream | null, log: AdjustableLog): void => {
  let rest = ""
  stream?.setEncoding("utf8").on("data", (text: string) => {
    const end = text.lastIndexOf("\n") + 1
    if (end > 0) log.append(rest + text.slice(0, end))
    rest = end > 0 ? text.slice(end) : rest + text
  })
}
