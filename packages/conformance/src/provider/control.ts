import type { IncomingMessage, ServerResponse } from "node:http"
import { isOurs, notOurs } from "../misbehave/host.ts"
import { SignInRefused } from "./signIn.ts"
import type { TestProvider } from "./testProvider.ts"

type Listener = (request: IncomingMessage, response: ServerResponse) => void
type Members = Readonly<Record<string, unknown>>

/** The members of a test provider that are available over HTTP. */
type Controlled = Pick<
  TestProvider,
  | "issuer"
  | "clients"
  | "now"
  | "isFrozen"
  | "advance"
  | "freeze"
  | "thaw"
  | "signIn"
  | "authorize"
  | "mint"
  | "queue"
  | "requests"
  | "rotateKeys"
>

/** An invalid call. The message is shown to the caller. */
class Refused extends Error {
  override readonly name = "Refused"
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The maximum bytes of a body. */
const longest = 1024 * 1024

const read = async (request: IncomingMessage): Promise<Members> => {
  // Another site's page cannot send this type without a CORS preflight, which is never granted (Fetch §3.2).
  if (request.headers["content-type"]?.split(";", 1)[0]?.trim() !== "application/json") throw new Refused(415, "send application/json")
  const parts: Array<Buffer> = []
  let length = 0
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length
    if (length > longest) throw new Refused(413, "the body is longer than 1 MB")
    parts.push(part)
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(parts).toString() || "{}")
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Members
  } catch {
    // Rejected below like any body that is not a JSON object.
  }
  throw new Refused(400, "the body is no JSON object")
}

/** Validates the members of a call. An unknown member and a wrong type are errors. */
const members = (given: Members, known: Readonly<Record<string, "text" | "number" | "object" | "flag" | "any">>): Members => {
  for (const [name, value] of Object.entries(given)) {
    const kind = Object.hasOwn(known, name) ? known[name] : undefined
    if (kind === undefined) throw new Refused(400, `there is no member ${JSON.stringify(name)}; there are ${Object.keys(known).join(", ")}`)
    const type = Array.isArray(value) ? "list" : typeof value
    const fits = { text: "string", number: "number", object: "object", flag: "boolean", any: type }[kind]
    if (type !== fits || value === null) throw new Refused(400, `${name} must be ${kind === "any" ? "there" : `a ${kind}`}`)
  }
  return given
}

const time = (op: Controlled): Members => ({ now: op.now(), frozen: op.isFrozen() })

const moved = async (op: Controlled, given: Members): Promise<Members> => {
  const { advance, freeze } = members(given, { advance: "any", freeze: "any" })
  if (freeze === false) op.thaw()
  else if (freeze === true) op.freeze()
  else if (typeof freeze === "number") op.freeze(freeze)
  else if (freeze !== undefined) throw new Refused(400, "freeze must be true, false or seconds since 1970")
  if (typeof advance === "string" || typeof advance === "number") await op.advance(advance)
  else if (advance !== undefined) throw new Refused(400, 'advance must be seconds, or a text as "30d"')
  return time(op)
}

const person = { subject: "text", claims: "object" } as const

/** The calls by method and path. Their members are those of the function with the same name, which validates the values. */
const calls: Readonly<Record<string, (op: Controlled, given: Members, query: URLSearchParams) => Promise<Members>>> = {
  "GET /_test": async (op) => ({ issuer: op.issuer, clients: op.clients, ...time(op) }),
  "GET /_test/time": async (op) => time(op),
  "POST /_test/time": moved,
  "GET /_test/requests": async (op, _given, query) => ({ requests: op.requests(query.get("endpoint") ?? undefined) }),
  "POST /_test/queue": async (op, given) => {
    const known = { endpoint: "text", status: "number", headers: "object", body: "any", members: "object", drop: "text" } as const
    const { endpoint, drop } = members(given, known)
    if (endpoint === undefined) throw new Refused(400, "endpoint is missing")
    if (drop !== undefined && drop !== "before" && drop !== "after") throw new Refused(400, "drop must be before or after")
    op.queue(given as unknown as Parameters<Controlled["queue"]>[0])
    return {}
  },
  "POST /_test/mint": async (op, given) => {
    const known = {
      subject: "text",
      client: "text",
      audience: "any",
      kind: "text",
      expiresIn: "number",
      claims: "object",
      alg: "text",
      typ: "text",
    } as const
    return { token: await op.mint(members(given, known)) }
  },
  "POST /_test/sign-in": async (op, given) => ({
    ...(await op.signIn(members(given, { ...person, client: "text", scope: "text", redirectUri: "text", parameters: "object" }))),
  }),
  "POST /_test/authorize": async (op, given) => {
    const { url, ...who } = members(given, { ...person, url: "text" })
    if (typeof url !== "string" || !url.startsWith(`${op.issuer}/`)) throw new Refused(400, `url must be one of ${op.issuer}`)
    return { location: String(await op.authorize(url, who)) }
  },
  "POST /_test/rotate-keys": async (op, given) => {
    await op.rotateKeys(members(given, { forget: "flag" }))
    return {}
  },
}

const answerOf = async (op: Controlled, request: IncomingMessage, url: URL): Promise<readonly [status: number, body: string]> => {
  try {
    if (!isOurs(request.headers.host, op.issuer)) throw new Refused(421, notOurs)
    const path = url.pathname.replace(/\/$/, "")
    const call = calls[`${request.method ?? ""} ${path}`]
    if (call === undefined) {
      const known = Object.keys(calls).filter((each) => each.endsWith(` ${path}`))
      throw known.length === 0 ? new Refused(404, `there are ${Object.keys(calls).join(", ")}`) : new Refused(405, known.join(", "))
    }
    return [200, JSON.stringify(await call(op, request.method === "POST" ? await read(request) : {}, url.searchParams))]
  } catch (error) {
    const [status, body] = refusalOf(error)
    return [status, JSON.stringify(body)]
  }
}

const refusalOf = (error: unknown): readonly [status: number, body: Members] => {
  if (error instanceof Refused) return [error.status, { error: error.message }]
  if (error instanceof SignInRefused) return [409, { error: error.message, ...(error.error === undefined ? {} : { code: error.error }) }]
  // The functions reject invalid values with a TypeError, and what is too long for one text is a RangeError.
  return [400, { error: error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : "it failed" }]
}

/** Handles calls under `/_test` with a provider, and passes other requests to its listener. */
export const controlled =
  (listener: Listener, op: () => Controlled): Listener =>
  (request, response) => {
    const target = request.url ?? "/"
    if (!/^\/_test(?:[/?]|$)/.test(target)) return listener(request, response)
    void answerOf(op(), request, new URL(target, "http://localhost")).then(([status, text]) => {
      response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store", "x-content-type-options": "nosniff" })
      response.end(text)
      request.resume()
    })
  }
