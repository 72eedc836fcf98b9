import cluster, { type Worker } from "node:cluster"
import type { Duplex } from "node:stream"
import type { AdjustableLog, Reading } from "@postern/adapter-http"
import { lastingMetrics, sumMetrics } from "@postern/adapter-http"
import { deadline } from "@postern/stores"
import type { ConfigFile } from "../config/schema.ts"
import { messageOf } from "@postern/core/model"
import { type AgreedHashes, noHashes } from "../serve/provider.ts"
import type { Listening } from "../serve/run.ts"
import { closeLastHandle, forwardLines } from "./child.ts"
import { heartbeat, watchOver, workerReadings } from "./heartbeat.ts"
import { type MainCalls, type Order, type WorkerCalls, workerWord, writerDescriptor } from "./calls.ts"
import { type Link, linkOf } from "./link.ts"
import { keepTickets } from "./tickets.ts"
import { together } from "./together.ts"

/** Options of the worker pool. */
export interface PoolOptions {
  readonly count: number
  readonly order: Omit<Order, "config" | "workers" | "tickets" | "speaks">
  readonly config: ConfigFile
  readonly log: AdjustableLog
  /** Performs the writes that a worker sends over a stream; undefined if each worker writes itself. */
  readonly writeFor: ((stream: Duplex) => void) | undefined
  /** Returns the metrics of the main process, including those about the workers. */
  readonly ownMetrics: (workers: ReadonlyArray<Reading>) => string
  /** Returns the hashes of the secrets that the main process has stored. */
  readonly ownHashes: () => AgreedHashes
}

/** The workers of a server. A worker that exits is restarted after a pause, which grows while it keeps exiting. */
export interface Pool {
  /** Resolves with the URLs when all workers listen. Rejects with the failure of one that could not. */
  readonly listens: Promise<Listening>
  /** Tells the workers that the declared clients and users are stored. Resolves when they have loaded them. */
  readonly agree: () => Promise<void>
  /** Applies another configuration: all workers prepare it, `between` runs, and they serve it. Tells if the TLS certificate changed. */
  readonly renew: <A>(config: ConfigFile, between: () => Promise<A>) => Promise<readonly [certificate: boolean, between: A]>
  /** Stops all workers. Those that take too long are killed. */
  readonly stop: () => Promise<void>
}

/** The first and the longest pause in milliseconds before a worker is restarted. The first one applies again after `healthy` ms of running. */
const pauses = { first: 100, longest: 30_000, healthy: 10_000 }

/** The timeout of reading a worker's metrics, in milliseconds. */
const patience = 1_000

/** The time a worker has to stop, in milliseconds. It is longer than the longest drain. */
const stopPatience = 13_000

/**
 * The time limits for starting a worker and for each step of a reload, in milliseconds. A worker that exceeds one is killed and restarted.
 * The limit of `take` is long because it retries while another process locks the database; the heartbeat detects a hang meanwhile.
 */
const limits = { start: 60_000, prepare: 10_000, take: 60_000 }

interface Member {
  readonly worker: Worker
  readonly link: Link<WorkerCalls>
  readonly ended: Promise<void>
  config: ConfigFile
  /** True after the worker has started to listen. */
  listens: boolean
  /** True if the worker is being stopped. Its pending calls will not be answered. */
  ending: boolean
  /** True if the worker takes part in reloads. A worker that is still starting applies the current configuration by itself. */
  serving: boolean
  /** The last metrics read from the worker. */
  metrics: string
  /** Stops the heartbeat. */
  unwatch: () => void
}

/** Starts workers that share a port. The main process accepts connections and distributes them round-robin. */
export const startPool = ({ count, order, config: first, log, writeFor, ownMetrics, ownHashes }: PoolOptions): Pool => {
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({ args: [workerWord], stdio: ["ignore", "pipe", "inherit", "ipc", "pipe"], windowsHide: true })
  const members: Array<Member | undefined> = []
  const timers = new Set<NodeJS.Timeout>()
  let config = first
  const tickets = keepTickets()
  let past = ""
  const agreeing = Promise.withResolvers<void>()
  // The hashes of `config`. They must not be used with the secrets of another configuration.
  let hashes = noHashes
  let started = false
  let stopping = false

  const metrics = together(async (): Promise<string> => {
    await Promise.all(
      present().map(async (member) => {
        member.metrics = await within(patience, member.link.call("metrics", undefined)).catch(() => member.metrics)
      }),
    )
    return sumMetrics([past, ownMetrics(readings), ...present().map((member) => member.metrics)])
  })
  const counts = { ended: 0, hung: 0 }
  const readings = workerReadings(counts, () => present().filter((member) => member.serving).length)
  const present = (): ReadonlyArray<Member> => members.filter((member) => member !== undefined)

  const fork = (slot: number): Member => {
    const worker = cluster.fork()
    const child = worker.process
    const began = performance.now()
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const link = linkOf<WorkerCalls, MainCalls>(
      {
        send: (message) => void (worker.isConnected() && worker.send(message as object, undefined, () => undefined)),
        receive: (listener) => void worker.on("message", listener),
      },
      { metrics },
    )
    const member: Member = {
      worker,
      link,
      ended,
      config,
      listens: false,
      ending: false,
      serving: false,
      metrics: "",
      unwatch: () => undefined,
    }
    members[slot] = member
    const leave = (reason: string): boolean => {
      if (members[slot] !== member) return false
      members[slot] = undefined
      member.unwatch()
      past = sumMetrics([past, lastingMetrics(member.metrics)])
      link.lose(reason)
      resolve()
      return started && !stopping
    }
    // Emitted if the process could not be spawned, or a message could not be sent.
    worker.on("error", (error) => {
      log.line("error", "worker failed", { worker: child.pid, fault: messageOf(error) })
      if (child.pid !== undefined) return
      // Node's cluster removes only workers that were spawned.
      if (cluster.workers !== undefined) delete cluster.workers[worker.id]
      if (leave(`a worker could not be made: ${messageOf(error)}`)) again(slot, 0)
    })
    // The streams are closed after the last log lines have been received.
    child.once("close", (code, signal) => {
      if (!leave(`a worker ended (${signal ?? `exit ${code}`})`)) return
      counts.ended++
      log.line("error", "worker ended", { worker: child.pid, code: code ?? undefined, signal: signal ?? undefined })
      again(slot, performance.now() - began)
    })
    // A process that could not be spawned, for lack of file descriptors, has neither a channel nor streams.
    if (child.pid === undefined) return member
    closeLastHandle(child)
    forwardLines(child.stdout, log)
    const stream = child.stdio[writerDescriptor]
    if (stream instanceof Object && "write" in stream) writeFor?.(stream as Duplex)
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
    let member: Member | undefined
    try {
      member = fork(slot)
      await serve(member, slot)
      await agreeing.promise
      await asked(member, "agree", member.config === config ? hashes : noHashes, limits.start)
      // Applies configurations that were reloaded meanwhile.
      while (member.config !== config) await upToDate(member)
      member.serving = true
      log.line("info", "worker started again", { worker: member.worker.process.pid })
    } catch (error) {
      if (stopping) return
      log.line("error", "worker not started", { fault: messageOf(error) })
      if (member === undefined) again(slot, 0)
      else member.worker.process.kill("SIGKILL")
    }
  }
  /** Calls a worker. One that exceeds the time limit is killed and its calls reject, so that it doesn't block the others. */
  const asked = async <Name extends keyof WorkerCalls>(
    member: Member,
    name: Name,
    given: WorkerCalls[Name]["given"],
    limit: number,
  ): Promise<WorkerCalls[Name]["made"]> => {
    const answered = deadline(limit, () => {
      const { worker, link } = member
      counts.hung++
      log.line("error", "worker late", { worker: worker.process.pid, call: name })
      member.ending = true
      member.unwatch()
      worker.process.kill("SIGKILL")
      link.lose(`a worker did not answer within ${limit / 1_000} seconds`)
    })
    return member.link.call(name, given).finally(answered)
  }
  /** Stops a worker, and kills it if it takes too long. */
  const dismiss = (member: Member): void => {
    member.ending = true
    member.unwatch()
    member.link.call("stop", undefined).catch(() => undefined)
    const late = setTimeout(() => member.worker.process.kill("SIGKILL"), stopPatience)
    void member.ended.then(() => clearTimeout(late))
  }
  /** Reports whether a worker is still running. One that has exited is restarted with the configuration that is current then. */
  const stays = (member: Member): boolean => members.includes(member) && !member.ending
  const serve = async (member: Member, slot: number): Promise<Listening> => {
    const given = { ...order, config: member.config, workers: count, tickets: tickets.current(), speaks: slot === 0 }
    const at = await asked(member, "serve", given, limits.start)
    member.listens = true
    member.unwatch = watchOver(
      () => member.link.call("beat", undefined),
      () => {
        counts.hung++
        log.line("error", "worker hangs", { worker: member.worker.process.pid, seconds: heartbeat.limit / 1_000 })
        member.worker.process.kill("SIGKILL")
      },
    )
    return at
  }
  const upToDate = async (member: Member): Promise<boolean> => {
    // A reload may finish before the worker has prepared. The hashes of one configuration must not be used with the secrets of another.
    const [wanted, agreed] = [config, hashes]
    await asked(member, "prepare", wanted, limits.prepare)
    return taken(member, wanted, agreed)
  }
  const taken = async (member: Member, wanted: ConfigFile, agreed: AgreedHashes): Promise<boolean> => {
    const { certificate } = await asked(member, "take", agreed, limits.take)
    member.config = wanted
    return certificate
  }
  /** Restarts a worker that failed to apply a configuration that the others serve. It starts with that configuration. */
  const orAgain = (member: Member, taking: Promise<boolean>): Promise<boolean> =>
    taking.catch((error: unknown) => {
      if (!stays(member)) return false
      log.line("error", "worker begins again", { fault: messageOf(error) })
      dismiss(member)
      return false
    })
  /** Waits for an operation of a worker. A failure is ignored if the worker has exited. */
  const staying = (member: Member, doing: Promise<void>): Promise<void> =>
    doing.catch((error: unknown) => {
      if (stays(member)) throw error
    })
  const starting = Array.from({ length: count }, async (_, slot) => serve(fork(slot), slot))
  const listens = Promise.all(starting).then(([first]) => {
    started = true
    // Restarts workers that exited after they had started to listen.
    for (const slot of pause.keys()) if (members[slot] === undefined) again(slot, 0)
    return first ?? { url: "", mutualTlsUrl: undefined }
  })
  listens.catch(() => undefined)

  return {
    listens,
    agree: async () => {
      hashes = ownHashes()
      agreeing.resolve()
      const all = present().filter(({ listens }) => listens)
      await Promise.all(all.map((member) => staying(member, asked(member, "agree", hashes, limits.start))))
      for (const member of all) member.serving = stays(member)
    },
    renew: async (next, between) => {
      const serving = (): ReadonlyArray<Member> => present().filter((member) => member.serving && stays(member))
      const all = serving()
      await Promise.all(all.map((member) => staying(member, asked(member, "prepare", next, limits.prepare))))
      const made = await between()
      config = next
      hashes = ownHashes()
      const others = serving().filter((member) => !all.includes(member))
      const certificates = await Promise.all([
        ...all.filter(stays).map((member) => orAgain(member, taken(member, next, hashes))),
        ...others.map((member) => orAgain(member, upToDate(member))),
      ])
      return [certificates.includes(true), made]
    },
    stop: async () => {
      stopping = true
      tickets.stop()
      for (const timer of timers) clearTimeout(timer)
      const all = present()
      for (const member of all) dismiss(member)
      await Promise.all(all.map(({ ended }) => ended))
    },
  }
}

const within = async <A>(milliseconds: number, value: Promise<A>): Promise<A> => {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error("late")), milliseconds)
  return Promise.race([value, promise]).finally(() => clearTimeout(timer))
}
