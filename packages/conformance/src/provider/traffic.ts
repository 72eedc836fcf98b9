import { validateHeaderName, validateHeaderValue } from "node:http"
import type { Provider, Trail } from "@postern/core"
import { type Answer, type Message, requestIdHeader } from "@postern/core/wire"
import { objectOf } from "../exchange/exchange.ts"
import { deliver } from "../misbehave/delivery.ts"

/** A request to the provider, and its response. Nothing is redacted, because it belongs to a test. */
export interface ReceivedRequest {
  /** The endpoint's name, such as `token`; `none` if no endpoint matches. */
  readonly endpoint: string
  readonly method: string
  readonly path: string
  /** The parameters of the query and then of the form. The last value of a name applies. */
  readonly parameters: Readonly<Record<string, string>>
  /** Header values by lowercase name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
  readonly answer: Answer
  /** True if the response was queued by the test. */
  readonly queued: boolean
  /** The rules that the request was checked by; undefined if it was not decided. */
  readonly trail: Trail | undefined
}

/** A response that replaces the provider's own, changes it, or drops it. */
export interface QueuedAnswer {
  /** The endpoint's name in trails: `token`, `userinfo`, `jwks`, `discovery`, `introspection`, `revocation`, `authorize`, … */
  readonly endpoint: string
  /** The HTTP status; 200 by default. */
  readonly status?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The body: strings as they are, anything else as JSON. Empty by default. */
  readonly body?: unknown
  /** Changes the provider's own response instead of replacing it. The request is decided, and its state changes are kept. */
  readonly change?: ((answer: Answer) => Answer) | undefined
  /** Members to set in the JSON object of the provider's own response. Null removes a member. */
  readonly members?: Readonly<Record<string, unknown>> | undefined
  /** Drops the connection instead of responding, `before` the request is decided or `after`. After, its state changes are kept. */
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

/** The provider's own response with the queued changes. */
const changed = ({ change, members }: QueuedAnswer, answer: Answer): Answer => {
  const own = members === undefined ? answer : merged(answer, members)
  return change === undefined ? own : change(own)
}

/** The response of a dropped connection. */
const lost: Answer = { status: 0, headers: [], body: "" }

/** The maximum requests to keep, and the maximum characters of their bodies and queries with those of their responses. The oldest are dropped. */
const mostKept = { requests: 10_000, characters: 64 * 1024 * 1024 }

const charactersOf = ({ path, query, body }: Message, answer: Answer): number =>
  path.length + query.length + body.length + answer.body.length

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

/** Checks that a queued response can be sent. Throws a `TypeError` if Node cannot send it. */
const sendable = ({ status = 200, headers = {}, body }: QueuedAnswer): void => {
  if (!Number.isInteger(status) || status < 200 || status > 599) throw new TypeError("status must be from 200 to 599")
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== "string") throw new TypeError(`the header ${JSON.stringify(name)} must be a text`)
    validateHeaderName(name)
    validateHeaderValue(name, value)
  }
  if (body !== undefined && typeof body !== "string" && JSON.stringify(body) === undefined) throw new TypeError("the body is no JSON")
}

/** The traffic of a provider. */
export interface Traffic {
  /** The port that records trails. */
  readonly trails: { readonly record: (trail: () => Trail) => void }
  /** Wraps a provider to record its requests, send queued responses, and set the Date header from the clock (RFC 9110 §6.6.1). */
  readonly noted: <P extends Pick<Provider, "handle" | "endpointAt">>(provider: P) => P
  readonly queue: (answer: QueuedAnswer) => void
  readonly requests: (endpoint?: string) => ReadonlyArray<ReceivedRequest>
}

/**
 * Records traffic with a clock in milliseconds. Responses may be queued only for the given endpoints. Each entry says whether people or
 * programs use the endpoint.
 */
export const trafficOf = (millis: () => number, endpoints: ReadonlyMap<string, "people" | "programs">): Traffic => {
  const kept: Array<Omit<ReceivedRequest, "trail"> & { readonly characters: number }> = []
  let all = 0
  const trails = new Map<string, Trail>()
  const queued: Array<QueuedAnswer> = []
  const check = (endpoint: string): void => {
    if (!endpoints.has(endpoint))
      throw new TypeError(`there is no endpoint ${JSON.stringify(endpoint)}; there are ${[...endpoints.keys()].toSorted().join(", ")}`)
  }
  const idOf = ({ headers }: Answer): string => headers.find(([name]) => name === requestIdHeader)?.[1] ?? ""
  const forget = (dropped: (typeof kept)[number] | undefined): void => {
    if (dropped === undefined) return
    all -= dropped.characters
    trails.delete(idOf(dropped.answer))
  }
  const note = (message: Message, endpoint: string, answer: Answer, isQueued: boolean): Answer => {
    const { method, path, query, headers, body } = message
    const pairs = [...new URLSearchParams(query), ...(isForm(message) ? new URLSearchParams(body) : [])]
    const dated = { ...answer, headers: [...answer.headers, ["date", new Date(millis()).toUTCString()] as const] }
    const characters = charactersOf(message, answer)
    all += characters
    kept.push({ endpoint, method, path, parameters: Object.fromEntries(pairs), headers, body, answer: dated, queued: isQueued, characters })
    while (kept.length > mostKept.requests || (all > mostKept.characters && kept.length > 1)) forget(kept.shift())
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
      return asked.map(({ characters: _, ...each }) => ({ ...each, trail: trails.get(idOf(each.answer)) }))
    },
  }
}
