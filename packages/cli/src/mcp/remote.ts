import { type JsonObject, parseJsonObject } from "@postern/core/model"
import { boundedText, protectedResourcePath, protectedResourcePlace } from "@postern/core/wire"
import { Failed, unreachable } from "../failure.ts"
import { type Challenge, challengeOf, initialization } from "./challenge.ts"
import { type Reach, reachFrom } from "./reach.ts"
import { isWeb } from "./rules.ts"
import { type Sending, sendTo } from "./send.ts"
import { type Answered, type Looked, type ResourceFound, type Server, isSameIdentifier, placesOf, textOf } from "./server.ts"

/** The maximum length of a response body, in bytes. */
const longest = 65_536

/** A network response with its headers. */
interface Received extends Answered {
  readonly headers: Headers
}

/** Reads a body up to the limit. Returns an empty string for a longer one, and for an event stream, which may never end. */
const bodyOf = async ({ body, headers }: Response): Promise<string> => {
  if (!/^text\/event-stream\b/i.test(headers.get("content-type") ?? "")) return (await boundedText(body, longest)) ?? ""
  await body?.cancel()
  return ""
}

const received = async (addresses: ReadonlyArray<string>, url: URL, sending: Sending): Promise<Received> => {
  try {
    const answer = await sendTo(addresses, url, sending)
    return {
      status: answer.status,
      location: answer.headers.get("location") ?? undefined,
      body: await bodyOf(answer),
      requestId: answer.headers.get("x-request-id") ?? undefined,
      refused: undefined,
      headers: answer.headers,
    }
  } catch (error) {
    const cause: unknown = error instanceof Error ? (error.cause ?? error) : error
    // Several tried addresses cause an AggregateError, which has only a code and no message.
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "no answer"
    const told = cause instanceof Error ? cause.message || code : String(cause)
    throw unreachable(`${url.origin} cannot be reached: ${told}`, "check the URL, and that the server runs")
  }
}

/** Fetches metadata from a URL. If the request isn't allowed or fails, there is no metadata, because clients then try the next URL. */
const lookedAt = async (reach: Reach, url: string): Promise<Looked> => {
  try {
    const reached = await reach(url)
    if ("barred" in reached) return { url, found: undefined, problem: `not asked: ${reached.barred}` }
    const { status, body } = await received(reached.addresses, new URL(url), { method: "GET", headers: { accept: "application/json" } })
    return { url, found: status === 200 ? parseJsonObject(body) : undefined }
  } catch (error) {
    if (error instanceof Failed) return { url, found: undefined, problem: error.message }
    throw error
  }
}

/** The kind of resource at a URL of the command line. */
export type Found =
  | { readonly _tag: "Document"; readonly document: JsonObject & { readonly client_id: string } }
  | { readonly _tag: "Server"; readonly server: Server }

const isDocument = (value: JsonObject | undefined): value is JsonObject & { readonly client_id: string } =>
  typeof value?.["client_id"] === "string" && Array.isArray(value["redirect_uris"])

/** Returns the challenge of an MCP server, in response to a GET or to the first message of a client; undefined if there is none. */
const challengedBy = async (reach: Reach, url: string, first: Received): Promise<Challenge | undefined> => {
  if (first.status === 401) return challengeOf(first.headers)
  try {
    const { headers, text } = initialization
    const answer = await asked(reach, url, { method: "POST", headers, body: text })
    return answer.status === 401 ? challengeOf(answer.headers) : undefined
  } catch (error) {
    if (error instanceof Failed) return undefined
    throw error
  }
}

/**
 * Finds the resource metadata of a URL: at the URL named by its challenge, or at the well-known URLs of its path and its host. Returns
 * undefined if the URL is not that of a protected resource.
 */
const resourceAt = async (reach: Reach, url: string, challenge: string | undefined): Promise<ResourceFound | undefined> => {
  const { origin } = new URL(url)
  const own = origin + protectedResourcePlace(url)
  const looked: Array<Looked> = []
  for (const place of new Set(challenge === undefined ? [own, origin + protectedResourcePath] : [challenge, own])) {
    const each = await lookedAt(reach, place)
    looked.push(each)
    // The host may serve the metadata of another resource.
    const isAnother = challenge === undefined && !isSameIdentifier(textOf(each.found?.["resource"]), url)
    if (each.found !== undefined && !isAnother) return { url, challenge, looked, metadata: each.found }
  }
  return challenge === undefined ? undefined : { url, challenge, looked, metadata: undefined }
}

const texts = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : []

/**
 * Returns the scopes that a client requests: those of the challenge, or else of the resource, and offline_access if the server supports it.
 */
const scopeOf = (challenged: string | undefined, resource: JsonObject | undefined, server: JsonObject): string | undefined => {
  const own = challenged === undefined ? texts(resource?.["scopes_supported"]) : challenged.split(" ")
  if (own.length === 0) return undefined
  return [...new Set([...own, ...texts(server["scopes_supported"]).filter((name) => name === "offline_access")])].join(" ")
}

/** Returns the metadata endpoints to which no request is sent, with the reasons. */
const barredEndpoints = async (reach: Reach, metadata: JsonObject): Promise<Readonly<Record<string, string>>> => {
  const barred: Record<string, string> = {}
  for (const name of ["authorization_endpoint", "token_endpoint"]) {
    const url = metadata[name]
    const reached = isWeb(url) ? await reach(url) : undefined
    if (reached !== undefined && "barred" in reached) barred[name] = reached.barred
  }
  return barred
}

/** Sends a request to a URL, if it is allowed. */
const asked = async (reach: Reach, url: string, sending: Sending): Promise<Received> => {
  const reached = await reach(url)
  if ("barred" in reached) throw unreachable(`${url} is not asked: ${reached.barred}`, "correct the metadata of the server")
  return received(reached.addresses, new URL(url), sending)
}

/**
 * Determines the kind of resource at a URL: a client metadata document, a protected resource with its authorization server, or an
 * authorization server.
 */
export const foundAt = async (url: string): Promise<Found> => {
  const target = new URL(url)
  const reach = await reachFrom(target)
  const first = await asked(reach, url, { method: "GET", headers: { accept: "application/json, text/event-stream" } })
  const document = first.status === 200 ? parseJsonObject(first.body) : undefined
  if (isDocument(document)) return { _tag: "Document", document }
  const challenge = await challengedBy(reach, url, first)
  const resource = await resourceAt(reach, url, challenge?.place)
  const [named] = texts(resource?.metadata?.["authorization_servers"])
  const issuer = resource === undefined ? url : (named ?? "")
  const isAsked = resource === undefined || isWeb(issuer)
  const looked = isAsked ? await Promise.all(placesOf(issuer).map((place) => lookedAt(reach, place))) : []
  const metadata = looked.find(({ found }) => found !== undefined)?.found ?? {}
  const identifier = resource?.metadata?.["resource"]
  return {
    _tag: "Server",
    server: {
      issuer,
      looked,
      metadata,
      barred: await barredEndpoints(reach, metadata),
      resource,
      identifier: typeof identifier === "string" ? identifier : undefined,
      scope: scopeOf(challenge?.scope, resource?.metadata, metadata),
      registers: false,
      ask: (method, at, body) => {
        const headers: Readonly<Record<string, string>> = body === undefined ? {} : { "content-type": body.type }
        return asked(reach, at, { method, headers, body: body?.text })
      },
    },
  }
}
