import type { JsonObject } from "@postern/core/model"
import { protectedResourcePlace } from "@postern/core/wire"
import { unreachable } from "../failure.ts"
import { type Answered, type Looked, type ResourceFound, type Server, isSameIdentifier, objectOf, placesOf, textOf } from "./server.ts"

/** Milliseconds for an answer. */
const patience = 10_000

/** The longest answer that is read, in characters. */
const longest = 65_536

/** An answer over the network, with its header fields. */
interface Received extends Answered {
  readonly headers: Headers
}

const received = async (
  method: "GET" | "POST",
  url: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<Received> => {
  try {
    const init = {
      method,
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(patience),
      ...(body === undefined ? {} : { body }),
    } as const
    const answer = await fetch(url, init)
    const text = (await answer.text()).slice(0, longest)
    return {
      status: answer.status,
      location: answer.headers.get("location") ?? undefined,
      body: text,
      requestId: answer.headers.get("x-request-id") ?? undefined,
      refused: undefined,
      headers: answer.headers,
    }
  } catch (error) {
    const cause: unknown = error instanceof Error ? (error.cause ?? error) : error
    const told = cause instanceof Error ? cause.message : String(cause)
    throw unreachable(`${new URL(url).origin} cannot be reached: ${told}`, "check the URL, and that the server runs")
  }
}

const lookedAt = async (url: string): Promise<Looked> => {
  const { status, body } = await received("GET", url, { accept: "application/json" })
  return { url, found: status === 200 ? objectOf(body) : undefined }
}

/** The place of metadata that a challenge names (RFC 9728 §5.1). */
const challengeOf = (headers: Headers): string | undefined => {
  const found = /resource_metadata="([^"]+)"/i.exec(headers.get("www-authenticate") ?? "")?.[1]
  return found !== undefined && URL.canParse(found) ? found : undefined
}

/** The thing that a URL of the command line leads to. */
export type Found =
  | { readonly _tag: "Document"; readonly document: JsonObject & { readonly client_id: string } }
  | { readonly _tag: "Server"; readonly server: Server }

const isDocument = (value: JsonObject | undefined): value is JsonObject & { readonly client_id: string } =>
  typeof value?.["client_id"] === "string" && Array.isArray(value["redirect_uris"])

/** The resource at a URL, by the place that its challenge names or else by its own; undefined where the URL is of none. */
const resourceAt = async (url: string, challenge: string | undefined): Promise<ResourceFound | undefined> => {
  const own = new URL(url).origin + protectedResourcePlace(url)
  const looked: Array<Looked> = []
  for (const place of new Set([challenge ?? own, own])) {
    const each = await lookedAt(place)
    looked.push(each)
    // A provider may serve the metadata of resources at other hosts.
    const isAnother = challenge === undefined && !isSameIdentifier(textOf(each.found?.["resource"]), url)
    if (each.found !== undefined && !isAnother) return { url, challenge, looked, metadata: each.found }
  }
  return challenge === undefined ? undefined : { url, challenge, looked, metadata: undefined }
}

const texts = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : []

/** The scopes that a client asks for: those of the resource, with the one for refresh tokens where the server has it. */
const scopeOf = (resource: JsonObject | undefined, server: JsonObject): string | undefined => {
  const own = texts(resource?.["scopes_supported"])
  const known = texts(server["scopes_supported"])
  const all = own.length > 0 ? [...own, ...known.filter((name) => name === "offline_access")] : known
  return all.length === 0 ? undefined : [...new Set(all)].join(" ")
}

/** Finds what a URL leads to: the document of a client, a protected resource and its authorization server, or an authorization server. */
export const foundAt = async (url: string): Promise<Found> => {
  const first = await received("GET", url, { accept: "application/json, text/event-stream" })
  const document = first.status === 200 ? objectOf(first.body) : undefined
  if (isDocument(document)) return { _tag: "Document", document }
  const resource = await resourceAt(url, first.status === 401 ? challengeOf(first.headers) : undefined)
  const [named] = texts(resource?.metadata?.["authorization_servers"])
  const issuer = resource === undefined ? url : (named ?? "")
  const looked = URL.canParse(issuer) ? await Promise.all(placesOf(issuer).map(lookedAt)) : []
  const metadata = looked.find(({ found }) => found !== undefined)?.found ?? {}
  const identifier = resource?.metadata?.["resource"]
  return {
    _tag: "Server",
    server: {
      issuer,
      looked,
      metadata,
      resource,
      identifier: typeof identifier === "string" ? identifier : undefined,
      scope: scopeOf(resource?.metadata, metadata),
      registers: false,
      ask: (method, target, body) => received(method, target, body === undefined ? {} : { "content-type": body.type }, body?.text),
    },
  }
}
