import { validateHeaderName, validateHeaderValue } from "node:http"
import type { Provider, Trail } from "@postern/core"
import { type Answer, type Message, requestIdHeader } from "@postern/core/wire"
import { objectOf } from "../exchange/exchange.ts"
import { deliver } from "../misbehave/delivery.ts"

/** A request that the provider got, and its answer. Nothing is redacted: it is a test's. */
export interface ReceivedRequest {
  /** The endpoint by its name, as `token`; `none` where there is none. */
  readonly endpoint: string
  readonly method: string
  readonly path: string
  /** The parameters of the query and of a form, in this order; the last of a name counts. */
  readonly parameters: Readonly<Record<string, string>>
  /** Header values by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
  readonly answer: Answer
  /** True where the answer is one that was queued. */
  readonly queued: boolean
  /** The rules that the request met; undefined where it was not decided. */
  readonly trail: Trail | undefined
}

/** An answer in place of the provider's own, a change of it, or none. */
export interface QueuedAnswer {
  /** The endpoint by its name in trails: `token`, `userinfo`, `jwks`, `discovery`, `introspection`, `revocation`, `authorize`, … */
  readonly endpoint: string
  /** The HTTP status; 200 when not given. */
  readonly status?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The body: text as it is, anything else as JSON. Empty when not given. */
  readonly body?: unknown
  /** Changes the provider's own answer, in place of an answer that is given: the request is decided, and what it changed stays changed. */
  readonly change?: ((answer: Answer) => Answer) | undefined
  /** Members for the JSON object of the provider's own answer; null removes one. */
  readonly members?: Readonly<Record<string, unknown>> | undefined
  /** Ends the connection in place of an answer: `before` the request is decided, or `after`, when what it changed stays changed. */
  readonly drop?: "before" | "after" | undefined
}

const merged = (answer: Answer, members: Readonly<Record<string, unknown>>): Answer => {
  const body = objectOf(answer.body)
  if (body === undefined)
    return { status: 500, headers: [["content-type", "text/plain"]], body: "members were queued for an answer that is no JSON object\n" }
  return {
    ...answer,
    body: JSON.stringify(Object.fromEntries(Object.entries({ ...body, ...members }).filter(([, value]) => value !== null))),
  }
}

/** The answer that a client gets of the provider's own. */
const changed = ({ change, members }: QueuedAnswer, answer: Answer): Answer => {
  const own = members === undefined ? answer : merged(answer, members)
  return change === undefined ? own : change(own)
}

/** An answer that never comes to the client. */
const lost: Answer = { status: 0, headers: [], body: "" }

/** Requests that are kept; the oldest are dropped beyond. */
const mostKept = 10_000

const answerOf = ({ status = 200, headers = {}, body }: QueuedAnswer): Answer => {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  const isTyped = named.some(([name]) => name === "content-type")
  const isJson = body !== undefined && typeof body !== "string"
  return {
    status,
    headers: isJson && !isTyped ? [["content-type", "application/json"], ...named] : named,
    body: body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body),
  }
}

const isForm = ({ headers }: Message): boolean => headers["content-type"]?.startsWith("application/x-www-form-urlencoded") ?? false

/** Checks that an answer can be sent as it was queued. Throws a `TypeError` where Node could not send it. */
const sendable = ({ status = 200, headers = {}, body }: QueuedAnswer): void => {
  if (!Number.isInteger(status) || status < 200 || status > 599) throw new TypeError("status must be from 200 to 599")
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== "string") throw new TypeError(`the header ${JSON.stringify(name)} must be a text`)
    validateHeaderName(name)
    validateHeaderValue(name, value)
  }
  if (body !== undefined && typeof body !== "string" && JSON.stringify(body) === undefined) throw new TypeError("the body is no JSON")
}

/** Everything that a provider is sent. */
export interface Traffic {
  /** The port that notes trails. */
  readonly trails: { readonly record: (trail: () => Trail) => void }
  /** A provider that notes its requests, gives queued answers, and dates all by its clock (RFC 9110 §6.6.1). */
  readonly noted: <P extends Pick<Provider, "handle" | "endpointAt">>(provider: P) => P
  readonly queue: (answer: QueuedAnswer) => void
  readonly requests: (endpoint?: string) => ReadonlyArray<ReceivedRequest>
}

/** Notes traffic on a clock, in milliseconds. Only answers of the endpoints that are named may be queued, each with who asks it. */
export const trafficOf = (millis: () => number, endpoints: ReadonlyMap<string, "people" | "programs">): Traffic => {
  const kept: Array<Omit<ReceivedRequest, "trail">> = []
  const trails = new Map<string, Trail>()
  const queued: Array<QueuedAnswer> = []
  const check = (endpoint: string): void => {
    if (!endpoints.has(endpoint))
      throw new TypeError(`there is no endpoint ${JSON.stringify(endpoint)}; there are ${[...endpoints.keys()].toSorted().join(", ")}`)
  }
  const idOf = ({ headers }: Answer): string => headers.find(([name]) => name === requestIdHeader)?.[1] ?? ""
  const note = (message: Message, endpoint: string, answer: Answer, isQueued: boolean): Answer => {
    const { method, path, query, headers, body } = message
    const pairs = [...new URLSearchParams(query), ...(isForm(message) ? new URLSearchParams(body) : [])]
    const dated = { ...answer, headers: [...answer.headers, ["date", new Date(millis()).toUTCString()] as const] }
    kept.push({ endpoint, method, path, parameters: Object.fromEntries(pairs), headers, body, answer: dated, queued: isQueued })
    for (const dropped of kept.splice(0, kept.length - mostKept)) trails.delete(idOf(dropped.answer))
    return dated
  }
  const dropped = (message: Message, endpoint: string, answer: Answer): Answer => {
    note(message, endpoint, answer, true)
    void deliver("lost", 0)
    return { ...lost, status: 503 }
  }
  return {
    trails: {
      record: (made) => {
        const trail = made()
        trails.set(trail.requestId, trail)
      },
    },
    noted: (provider) => ({
      ...provider,
      handle: (message) => {
        const endpoint = provider.endpointAt(message.path)?.name ?? "none"
        const at = queued.findIndex((each) => each.endpoint === endpoint)
        const [next] = at < 0 ? [] : queued.splice(at, 1)
        if (next?.drop === "before") return dropped(message, endpoint, lost)
        const isOwn = next === undefined || next.change !== undefined || next.members !== undefined || next.drop === "after"
        if (!isOwn) return note(message, endpoint, answerOf(next), true)
        const ended = (answer: Answer): Answer => {
          if (next === undefined) return note(message, endpoint, answer, false)
          if (next.drop === "after") return dropped(message, endpoint, { ...answer, status: 0 })
          return note(message, endpoint, changed(next, answer), true)
        }
        const answer = provider.handle(message)
        return "then" in answer ? answer.then(ended) : ended(answer)
      },
    }),
    queue: (answer) => {
      check(answer.endpoint)
      sendable(answer)
      if (answer.members !== undefined && endpoints.get(answer.endpoint) === "people")
        throw new TypeError(`members are for JSON, and ${answer.endpoint} answers browsers`)
      queued.push(answer)
    },
    requests: (endpoint) => {
      if (endpoint !== undefined && endpoint !== "none") check(endpoint)
      const asked = kept.filter((each) => endpoint === undefined || each.endpoint === endpoint)
      return asked.map((each) => ({ ...each, trail: trails.get(idOf(each.answer)) }))
    },
  }
}
