import { type Socket, connect } from "node:net"
import { type JsonLog, type Served, type ServeOptions, jsonLog, serveProvider } from "@postern/adapter-http"
import { liquidPages } from "@postern/adapter-http/pages"
import type { Answer, Message } from "@postern/core/wire"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as Scope from "effect/Scope"
import { endpointsFor } from "../support/endpoints.ts"
import { upstream } from "../support/upstream.ts"

/** The pages of every server under test. */
export const pages = liquidPages()

/** A provider that answers as told and remembers what it was asked. */
export const fakeProvider = (answer: (message: Message) => Answer | Promise<Answer>, issuer = "http://op.example") => {
  const messages: Array<Message> = []
  const basePath = new URL(issuer).pathname.replace(/\/$/, "")
  const served = new Map(
    endpointsFor(upstream).map(({ path, name, audience, countedAs = path }) => [
      basePath + path,
      { name, countedAs, audience, headers: [] },
    ]),
  )
  return {
    messages,
    settings: { issuer },
    endpointAt: (path: string) => served.get(path),
    handle: (message: Message): Answer | Promise<Answer> => {
      messages.push(message)
      return answer(message)
    },
  }
}

/** Says which request it answers. */
export const plainAnswer = (message: Message): Answer => ({
  status: 200,
  headers: [
    ["content-type", "application/json"],
    ["x-request-id", "r1"],
  ],
  body: JSON.stringify({ method: message.method, path: message.path, query: message.query, body: message.body }),
})

/** A log that is kept. */
export const keptLog = (
  level: JsonLog["level"] = "info",
): JsonLog & { readonly lines: () => Promise<ReadonlyArray<Record<string, unknown>>> } => {
  let text = ""
  const log = jsonLog({
    level,
    sink: (more, done) => {
      text += Buffer.from(more).toString()
      done()
    },
  })
  return {
    ...log,
    lines: async () => {
      await log.flush()
      return text
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    },
  }
}

/** A server that runs until it is stopped. */
export interface Running extends Served {
  readonly stop: () => Promise<void>
}

const running = new Set<() => Promise<void>>()

/** Starts a server on a free port of loopback, with metrics of its own: files that share a process share Effect's registry. */
export const start = async (options: Partial<ServeOptions> & Pick<ServeOptions, "provider">): Promise<Running> => {
  const scope = Effect.runSync(Scope.make())
  const serving = serveProvider({ pages, listen: { port: 0 }, log: keptLog(), stopTimes: { quiet: 50, drain: 2_000 }, ...options })
  const served = await Effect.runPromise(Scope.provide(Effect.provideService(serving, Metric.MetricRegistry, new Map()), scope))
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> => {
    running.delete(stop)
    return (stopping ??= Effect.runPromise(Scope.close(scope, Exit.void)))
  }
  running.add(stop)
  return { ...served, stop }
}

/** Stops every server that a test left running. */
export const stopAll = async (): Promise<void> => {
  await Promise.all([...running].map((stop) => stop()))
}

/** One raw connection. */
export interface Wire {
  readonly socket: Socket
  readonly send: (text: string | Uint8Array) => void
  /** Everything received so far. */
  readonly text: () => string
  /** Resolves when what was received holds a text. */
  readonly until: (part: string, milliseconds?: number) => Promise<string>
  /** Resolves when the other side has closed. */
  readonly closed: (milliseconds?: number) => Promise<string>
  readonly cut: () => void
}

/** Opens a connection to a server; one that stays half open does not close when the server does. */
export const wire = async ({ port }: Pick<Served, "port">, allowHalfOpen = false): Promise<Wire> => {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen })
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve)
    socket.once("error", reject)
  })
  let received = ""
  let ended = false
  const watchers = new Set<() => void>()
  const notify = (): void => {
    for (const watcher of watchers) watcher()
  }
  socket.on("data", (chunk) => {
    received += chunk.toString("latin1")
    notify()
  })
  socket.on("error", () => undefined)
  socket.on("close", () => {
    ended = true
    notify()
  })
  const when = (condition: () => boolean, what: string, milliseconds: number): Promise<string> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        watchers.delete(watcher)
        reject(new Error(`waited ${milliseconds} ms for ${what}; received: ${received.slice(0, 500)}`))
      }, milliseconds)
      const watcher = (): void => {
        if (!condition()) return
        clearTimeout(timer)
        watchers.delete(watcher)
        resolve(received)
      }
      watchers.add(watcher)
      watcher()
    })
  return {
    socket,
    send: (text) => void socket.write(text),
    text: () => received,
    until: (part, milliseconds = 3_000) => when(() => received.includes(part), JSON.stringify(part), milliseconds),
    closed: (milliseconds = 3_000) => when(() => ended, "the end", milliseconds),
    cut: () => void socket.destroy(),
  }
}

/** Sends one request as it stands and gives back everything until the server closes. */
export const raw = async (server: Pick<Served, "port">, text: string | Uint8Array): Promise<string> => {
  const line = await wire(server)
  line.send(text)
  return line.closed()
}

/** The status of an answer. */
export const statusOf = (text: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0)
