import type { JsonObject, Seconds } from "../../model/index.ts"
import type { OutboundAnswer } from "../../ports/index.ts"
import type { AuthenticationMeans } from "../../rules/clientAuthentication.ts"
import { type UriParts, isLoopback, isPort, uriParts } from "../../rules/redirectUri.ts"
import { type Objection, pass, prove, table } from "../../rules/rule.ts"
import { isJsonOfAnyKind, readObject } from "../../wire/index.ts"
import type { DocumentPolicy } from "./options.ts"

/** The draft that is cited: Client ID Metadata Document. */
const draft = "draft-ietf-oauth-client-id-metadata-document"

/** The longest document that is read, in bytes (§6.6). */
export const longestDocument = 5_120

/** An objection to a client that is identified by its document, for the operator. The response only says that there is no such client. */
export interface Unresolved extends Objection {
  /** True if a document that was good before may still be used, because the host was not reached or failed. */
  readonly isPassing?: boolean
}

const no = (reason: string): Unresolved => ({ reason })

/** A client id as a request states it. */
export interface Identified {
  readonly clientId: string
  /** True if the provider is itself served over http on loopback. */
  readonly development: boolean
}

const isHost = (host: string): boolean => /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])$/i.test(host)

/** Segments that are removed when a URL is resolved, so that two ids would refer to one document. */
const dotSegment = /(?:^|\/)(?:\.|%2e){1,2}(?=\/|\?|$)/i

/** Judges the form of an id (§3). Ids are always compared as text, so nothing is normalized. */
export const identifierRules = table<Identified, Unresolved>("metadata-documents/identifier")
  .establish("document.id-form", `${draft} §3, RFC 3986 §2`, ({ clientId }) => {
    const parts = clientId.length > 200 ? undefined : uriParts(clientId)
    return parts === undefined
      ? no("the client_id is no absolute URL of 200 ASCII characters at most")
      : prove<{ parts: UriParts }>({ parts })
  })
  .rule("document.id-https", `${draft} §3`, ({ parts, development }) =>
    parts.scheme === "https" || (development && parts.scheme === "http" && isLoopback(parts.host))
      ? pass
      : no("the client_id is not https; http is for loopback, where the provider itself is served over http on loopback"),
  )
  .rule("document.id-userinfo", `${draft} §3`, ({ parts }) => (parts.userinfo ? no("the client_id carries a user name") : pass))
  .rule("document.id-host", `${draft} §3, RFC 3986 §3.2.2`, ({ clientId, parts }) =>
    isHost(parts.host) && isPort(parts.port) && URL.canParse(clientId) && new URL(clientId).hostname === parts.host.toLowerCase()
      ? pass
      : no("the client_id names no host, or not in the form that URLs are compared in, or no port that there is"),
  )
  .rule("document.id-path", `${draft} §3`, ({ parts: { rest } }) =>
    /^\/[^?]/.test(rest) ? pass : no("the client_id has no path: a host alone is no client"),
  )
  .rule("document.id-fragment", `${draft} §3`, ({ parts }) => (parts.fragment ? no("the client_id has a fragment") : pass))
  .rule("document.id-dot-segments", `${draft} §3`, ({ parts: { rest } }) =>
    dotSegment.test(rest.replace(/\?.*$/s, "")) ? no("the path of the client_id has a segment . or ..") : pass,
  )

const defaultPorts: Readonly<Record<string, string>> = { https: "443", http: "80" }

/**
 * The host of an id in the form used by policies and pages: in lower case, with the port if it is not the default of its scheme (RFC 3986
 * §6.2.3).
 */
export const hostOfParts = ({ scheme, host, port }: UriParts): string =>
  `${host.toLowerCase()}${port === undefined || port === defaultPorts[scheme.toLowerCase()] ? "" : `:${port}`}`

/** Judges whether clients of a host are served. */
export const hostRules = table<{ readonly host: string; readonly policy: DocumentPolicy | undefined }, Unresolved>(
  "metadata-documents/host",
).present("document.host-allowed", `${draft} §4.4`, "policy", ({ host }) => no(`clients of ${host} are not served: no policy allows them`))

/**
 * Reports whether a status says that there is no document. Any other status may be temporary: 408, 425, 429 and 5xx say so, and proxies
 * send 401 and 403 to clients that they take for a robot (RFC 9110 §15.5, RFC 6585 §4).
 */
const isGone = (status: number): boolean => status === 404 || status === 410 || status < 400

/** The seconds until another fetch makes sense; 0 if this one may be made. */
interface Fetching {
  readonly wait: Seconds
}

/** Judges whether an address may have a document fetched (RFC 6585 §4), because a fetch costs another host a request. */
export const fetchRules = table<Fetching, Unresolved>("metadata-documents/fetch").rule("document.address-rate", "RFC 6585 §4", ({ wait }) =>
  wait === 0 ? pass : { reason: "more fetches for this address than limits allow", isPassing: true },
)

/** Judges a response that should be a document (§4, §6.6). */
export const fetchedRules = table<{ readonly answer: OutboundAnswer }, Unresolved>("metadata-documents/fetched")
  .establish("document.reached", `${draft} §4`, ({ answer }) => {
    if (answer._tag === "Fetched") return prove({ fetched: answer })
    return { reason: `the document was not fetched: ${answer.reason}`, isPassing: answer.isUnreachable === true }
  })
  .rule("document.status", `${draft} §4`, ({ fetched: { status } }) =>
    status === 200 ? pass : { reason: `the document was answered with status ${status}`, isPassing: !isGone(status) },
  )
  .rule("document.type", `${draft} §4.1`, ({ fetched: { contentType } }) =>
    isJsonOfAnyKind(contentType) ? pass : no("the document is not application/json, nor another type of JSON"),
  )
  .rule("document.length", `${draft} §6.6`, ({ fetched: { body } }) =>
    body.length <= longestDocument && new TextEncoder().encode(body).length <= longestDocument
      ? pass
      : no(`the document is longer than ${longestDocument} bytes`),
  )
  .establish("document.object", `${draft} §4.1`, ({ fetched: { body } }) => {
    const document = readObject(body)
    return document === undefined ? no("the document is no JSON object") : prove<{ document: JsonObject }>({ document })
  })

/** A document, and the id at which it is served. */
export interface Lying {
  readonly clientId: string
  readonly document: JsonObject
  /** The provider's methods of client authentication. */
  readonly means: ReadonlyArray<AuthenticationMeans>
}

/** Judges the claims that a document makes about itself, before the rules of registration judge its metadata (§4.1). */
export const documentRules = table<Lying, Unresolved>("metadata-documents/document")
  .rule("document.client-id", `${draft} §4.1`, ({ clientId, document }) =>
    document["client_id"] === clientId ? pass : no("the client_id in the document is not the URL that it lies at, byte for byte"),
  )
  .rule("document.no-secret", `${draft} §4.1`, ({ document }) =>
    "client_secret" in document || "client_secret_expires_at" in document
      ? no("the document holds a client_secret, which everybody could read")
      : pass,
  )
  .rule("document.auth-method", `${draft} §4.1`, ({ document, means }) => {
    const used = means.find(({ method, secret }) => secret !== undefined && method === document["token_endpoint_auth_method"])
    return used === undefined ? pass : no(`${used.method} needs a secret, and none is shared with the client`)
  })
