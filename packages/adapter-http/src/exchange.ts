import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Awaitable } from "@postern/core/ports"
import { type Answer, type Message, requestIdHeader } from "@postern/core/wire"
import type { CallerAddress } from "./address.ts"
import type { FileAnswer, WriteAnswer } from "./answer.ts"
import type { Limits } from "./limits.ts"
import type { JsonLog } from "./log.ts"
import { messageOf, readBody, readTarget } from "./message.ts"
import { type Meter, endpointLabel } from "./metrics.ts"
import { type OwnPath, methodNotAllowed } from "./operations.ts"
import { outbox } from "./outbox.ts"
import { type Offence, bodyTooLong, overloaded, targetTooLong } from "./refuse.ts"
import type { TrailLog } from "./trails.ts"

/** What one request is answered with. */
export interface ExchangeMeans {
  readonly handle: (message: Message) => Promise<Answer>
  readonly own: ReadonlyMap<string, OwnPath>
  readonly refuse: (offence: Offence, path: string, acceptLanguage: string | undefined) => Answer
  readonly address: CallerAddress
  readonly write: WriteAnswer
  readonly limits: Pick<Limits, "body" | "url" | "requestsPerConnection">
  readonly draining: () => boolean
  /** Takes a place among the requests that are answered at once; undefined when there is none, else how to give it back. */
  readonly enter: () => (() => void) | undefined
  readonly meter: Meter
  readonly basePath: string
  readonly log: JsonLog
  readonly trails: Pick<TrailLog, "answered"> | undefined
}

/** What is answered when something here has a fault. */
const broken: Answer = { status: 500, headers: [["cache-control", "no-store"]], body: "" }

/**
 * Answers one request from its first byte to its last. Never rejects. Once the body is read nothing the caller does stops it: a state
 * change is finished whether or not someone is left to hear of it.
 */
export const exchange = (means: ExchangeMeans) => {
  const { write, draining, meter, basePath, log, trails, limits } = means
  const defect = (cause: unknown, path: string): void =>
    log.line("error", "defect", { path, fault: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) })
  const send = outbox()
  // Node's own bound says `Connection: close` and then waits for the caller to do it.
  const answeredOn = new WeakMap<Socket, number>()
  const isLastOf = (socket: Socket): boolean => {
    const count = (answeredOn.get(socket) ?? 0) + 1
    answeredOn.set(socket, count)
    return count >= limits.requestsPerConnection
  }
  return async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const began = performance.now()
    const { path } = readTarget(incoming.url ?? "/")
    let answer: Reply | undefined
    try {
      answer = await reply(means, path, incoming, outgoing)
    } catch (cause) {
      defect(cause, path)
      answer = { answer: broken, last: true }
    }
    if (answer === undefined) return
    const { answer: told, last } = answer
    await send(() => {
      try {
        write(outgoing, told, isLastOf(incoming.socket) || last || draining())
      } catch (cause) {
        defect(cause, path)
        outgoing.destroy()
      }
      const milliseconds = performance.now() - began
      meter.answered(endpointLabel(path, basePath), told.status, milliseconds)
      const requestId = trails === undefined ? undefined : told.headers.find(([name]) => name === requestIdHeader)?.[1]
      if (requestId !== undefined) trails?.answered(requestId, milliseconds)
    })
  }
}

interface Reply {
  readonly answer: Answer | FileAnswer
  /** Whether the connection ends with it, because the rest of the request was not read. */
  readonly last: boolean
}

/** Undefined when the caller has gone before the request was whole. */
const reply = (means: ExchangeMeans, path: string, incoming: IncomingMessage, outgoing: ServerResponse): Awaitable<Reply | undefined> => {
  const { own, limits, refuse } = means
  const { method = "GET", url = "/", headers } = incoming
  if (url.length > limits.url) return { answer: refuse(targetTooLong, path, headers["accept-language"]), last: true }
  const mine = own.get(path)
  if (mine !== undefined) return answerOwn(mine, method, incoming)
  const body = readBody(incoming, outgoing, limits.body)
  return "then" in body ? body.then((read) => answerRead(means, path, incoming, read)) : answerRead(means, path, incoming, body)
}

type Read = Awaited<ReturnType<typeof readBody>>

const answerRead = (
  { handle, refuse, address, enter }: ExchangeMeans,
  path: string,
  incoming: IncomingMessage,
  body: Read,
): Awaitable<Reply | undefined> => {
  if (body._tag === "Gone") return undefined
  if (body._tag === "TooLong") return { answer: refuse(bodyTooLong, path, incoming.headers["accept-language"]), last: true }
  const leave = enter()
  if (leave === undefined) return { answer: refuse(overloaded, path, incoming.headers["accept-language"]), last: false }
  const left = (answer: Answer): Reply => {
    leave()
    return { answer, last: incoming.headers.expect !== undefined && !incoming.complete }
  }
  return handle(messageOf(incoming, body.text, address)).then(left, (cause: unknown) => {
    leave()
    throw cause
  })
}

const answerOwn = async (mine: OwnPath, method: string, incoming: IncomingMessage): Promise<Reply> =>
  method === "GET" || method === "HEAD" ? { answer: await mine(incoming), last: false } : { answer: methodNotAllowed, last: true }
