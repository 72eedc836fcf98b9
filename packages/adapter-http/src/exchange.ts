import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Awaitable } from "@postern/core/ports"
import { type Answer, type Message, requestIdHeader } from "@postern/core/wire"
import type { CallerAddress } from "./address.ts"
import type { FileAnswer, WriteAnswer } from "./answer.ts"
import { gathered } from "./gathered.ts"
import type { Limits } from "./limits.ts"
import type { JsonLog } from "./log.ts"
import { messageOf, readBody, readTarget } from "./message.ts"
import { type Meter, endpointLabel } from "./metrics.ts"
import { type OwnPath, methodNotAllowed } from "./operations.ts"
import { type Offence, bodyTooLong, overloaded, targetTooLong } from "./refuse.ts"
import type { TrailLog } from "./trails.ts"

/** What one request is answered with. */
export interface ExchangeMeans {
  readonly handle: (message: Message) => Awaitable<Answer>
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
 * Answers one request from its first byte to its last, and says when it is done with it. Never throws. Once the body is read nothing the
 * caller does stops it: a state change is finished whether or not someone is left to hear of it.
 *
 * What is asked in one turn of the event loop is read first and decided after, all of it in a row, and what is decided together, or was
 * committed together, leaves together: code and data that many requests share are at hand for all but the first, and who waits at the other
 * end is woken once.
 */
export const exchange = (means: ExchangeMeans) => {
  const { write, draining, meter, basePath, log, trails, limits } = means
  const defect = (cause: unknown, path: string): void =>
    log.line("error", "defect", { path, fault: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) })
  const [come, leave] = [gathered(setImmediate), gathered((run) => process.nextTick(run))]
  // Node's own bound says `Connection: close` and then waits for the caller to do it.
  const answeredOn = new WeakMap<Socket, number>()
  const isLastOf = (socket: Socket): boolean => {
    const count = (answeredOn.get(socket) ?? 0) + 1
    answeredOn.set(socket, count)
    return count >= limits.requestsPerConnection
  }
  return (incoming: IncomingMessage, outgoing: ServerResponse, done: () => void): void => {
    const began = performance.now()
    const { path } = readTarget(incoming.url ?? "/")
    const send = ({ answer, last }: Reply): void => {
      try {
        write(outgoing, answer, isLastOf(incoming.socket) || last || draining())
      } catch (cause) {
        defect(cause, path)
        outgoing.destroy()
      }
      const milliseconds = performance.now() - began
      meter.answered(endpointLabel(path, basePath), answer.status, milliseconds)
      const requestId = trails === undefined ? undefined : answer.headers.find(([name]) => name === requestIdHeader)?.[1]
      if (requestId !== undefined) trails?.answered(requestId, milliseconds)
      done()
    }
    const tell = (told: Reply | undefined): void => (told === undefined ? done() : leave(() => send(told)))
    const fail = (cause: unknown): void => {
      defect(cause, path)
      tell({ answer: broken, last: true })
    }
    // The parser reports a cut or malformed body as an error before the close; it must have a listener.
    incoming.on("error", ignored)
    come(() => {
      try {
        const told = reply(means, path, incoming, outgoing)
        if (told !== undefined && "then" in told) told.then(tell, fail)
        else tell(told)
      } catch (cause) {
        fail(cause)
      }
    })
  }
}

const ignored = (): void => undefined

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
  const failed = (cause: unknown): never => {
    leave()
    throw cause
  }
  let answer: Awaitable<Answer>
  try {
    answer = handle(messageOf(incoming, body.text, address))
  } catch (cause) {
    return failed(cause)
  }
  return "then" in answer ? answer.then(left, failed) : left(answer)
}

const answerOwn = async (mine: OwnPath, method: string, incoming: IncomingMessage): Promise<Reply> =>
  method === "GET" || method === "HEAD" ? { answer: await mine(incoming), last: false } : { answer: methodNotAllowed, last: true }
