import type { Client, Refusal, Secret } from "../model/index.ts"
import { isPublic, refuse, secretOf } from "../model/index.ts"
import type { Params } from "../wire/index.ts"
import { held, pass, rule, table } from "./rule.ts"

/** What a request offers to prove which client sent it (RFC 6749 §2.3.1). */
export interface PresentedClient {
  /** The scheme of the Authorization header, lower case; undefined without the header. */
  readonly scheme: string | undefined
  /** Credentials of a Basic header; undefined when there is none or it cannot be read. */
  readonly basic: { readonly id: string; readonly secret: Secret | undefined } | undefined
  readonly bodyId: string | undefined
  readonly bodySecret: Secret | undefined
  /** The client_id to go by, and the secret if one was sent. */
  readonly clientId: string | undefined
  readonly secret: Secret | undefined
}

/** What is known of the presented client. */
export interface ClientSeen {
  readonly client: Client | undefined
  readonly secretMatches: boolean
}

/** Credentials in Basic are form-encoded before they are joined (RFC 6749 §2.3.1, appendix B). */
const formDecoded = (text: string): string => new URLSearchParams(`v=${text.replaceAll("&", "%26")}`).get("v") ?? ""

/** An empty secret counts as none. */
const sent = (text: string | undefined): Secret | undefined => (text === undefined || text === "" ? undefined : secretOf(text))

const readBasic = (encoded: string): PresentedClient["basic"] => {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded) || encoded.replace(/=+$/, "").length % 4 === 1) return undefined
  const text = new TextDecoder().decode(Uint8Array.from(atob(encoded.replace(/=+$/, "")), (character) => character.charCodeAt(0)))
  const colon = text.indexOf(":")
  return colon < 0 ? undefined : { id: formDecoded(text.slice(0, colon)), secret: sent(formDecoded(text.slice(colon + 1))) }
}

/** Reads what a request presents; nothing is judged yet. */
export const presentedClient = (authorization: string | undefined, params: Params): PresentedClient => {
  const [, scheme, credentials = ""] = /^(\S+)(?: +(.*))?$/s.exec(authorization?.trim() ?? "") ?? []
  const basic = scheme?.toLowerCase() === "basic" ? readBasic(credentials) : undefined
  const bodyId = params.one("client_id")
  const bodySecret = sent(params.one("client_secret"))
  return {
    scheme: scheme?.toLowerCase(),
    basic,
    bodyId,
    bodySecret,
    clientId: basic?.id ?? bodyId,
    secret: basic?.secret ?? bodySecret,
  }
}

const invalidClient = (description: string, reason?: string): Refusal => refuse("invalid_client", description, reason)

/** Schemes that a trail may name; anything else may be a credential sent without one. */
const schemes = ["bearer", "digest", "dpop", "negotiate"]

/** Who the client is, proven (RFC 6749 §2.3, §3.2.1). */
export const clientAuthentication = table<PresentedClient, ClientSeen>("client-authentication", [
  rule("client.scheme", "RFC 6749 §2.3", (q) =>
    q.scheme === undefined || q.scheme === "basic"
      ? pass
      : invalidClient(
          "Client authentication uses an unsupported scheme.",
          `the scheme is ${schemes.find((scheme) => scheme === q.scheme) ?? "none that is known"}`,
        ),
  ),
  rule("client.basic-form", "RFC 6749 §2.3.1", (q) =>
    q.scheme === "basic" && q.basic === undefined
      ? invalidClient("The Basic credentials cannot be read.", "not base64 of id:secret")
      : pass,
  ),
  rule("client.one-method", "RFC 6749 §2.3", (q) =>
    q.basic !== undefined && q.bodySecret !== undefined
      ? refuse("invalid_request", "The client authenticates by more than one method.", "Basic header and client_secret in the body")
      : pass,
  ),
  rule("client.same-id", "RFC 6749 §2.3", (q) =>
    q.basic !== undefined && q.bodyId !== undefined && q.bodyId !== q.basic.id
      ? invalidClient("The client_id in the body is not the authenticated client's.", "client_id differs from the Basic header's")
      : pass,
  ),
  rule("client.present", "RFC 6749 §5.2", (q) =>
    q.clientId === undefined || q.clientId === "" ? invalidClient("The client_id is missing.") : pass,
  ),
  rule("client.known", "RFC 6749 §5.2", (_, s) =>
    s.client === undefined ? invalidClient("Client authentication failed.", "no client has this client_id") : pass,
  ),
  rule("client.enabled", "RFC 6749 §5.2", (_, s) =>
    held(s.client).disabled ? invalidClient("Client authentication failed.", "the client is disabled") : pass,
  ),
  rule("client.secret-present", "RFC 6749 §3.2.1", (q, s) =>
    !isPublic(held(s.client)) && q.secret === undefined
      ? invalidClient("The client must authenticate.", "a confidential client sent no secret")
      : pass,
  ),
  rule("client.secret-unexpected", "RFC 6749 §2.1", (q, s) =>
    isPublic(held(s.client)) && q.secret !== undefined
      ? invalidClient("Client authentication failed.", "a public client sent a secret")
      : pass,
  ),
  rule("client.secret-matches", "RFC 6749 §2.3.1", (_, s) =>
    isPublic(held(s.client)) || s.secretMatches ? pass : invalidClient("Client authentication failed.", "the secret is not the client's"),
  ),
])
