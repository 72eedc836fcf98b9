import type { Client, JsonObject, Profile, Refusal, Secret, Settings } from "../model/index.ts"
import { distinct, isPublic, isResourceServer, refuse, refuseForNow, secretOf } from "../model/index.ts"
import { type Message, type Params, readJwt } from "../wire/index.ts"
import { type FailuresSeen, mostFailures, waitOf } from "./failures.ts"
import { allows } from "./profile.ts"
import { pass, table } from "./rule.ts"

/** The part of a request that shows the client authentication method. Two different ones are refused (RFC 6749 §2.3). */
export interface Credential {
  /** Its name, in reasons of refusals. */
  readonly name: string
  /** Reports whether a request contains it. */
  readonly isIn: (presented: PresentedClient, message: Message) => boolean
}

/** The description of a client authentication method. */
export interface AuthenticationMeans {
  /** The name of the method (RFC 7591 §2 `token_endpoint_auth_method`). */
  readonly method: string
  /**
   * The credential that shows the method in requests. A method without one, such as by a TLS certificate, applies to clients that are
   * registered for it.
   */
  readonly credential?: Credential
  /** The form in which the client secret is stored; undefined if there is none. Wrong secrets are counted, and too many are refused. */
  readonly secret?: "hashed" | "sealed"
  /** The signing algorithms of the credential, for discovery and registration. */
  readonly signingAlgorithms?: ReadonlyArray<string>
  /** Reports whether a provider's settings enable it, for discovery; always by default. */
  readonly isOffered?: (settings: Settings) => boolean
}

/** The only client_assertion_type (RFC 7523 §2.2). */
export const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

/** A JWT with which a client authenticates (RFC 7523 §2.2). Its members are unverified until its signature is verified. */
export interface ClientAssertion {
  readonly jwt: string
  readonly header: JsonObject
  readonly claims: JsonObject
}

/** The path of the token endpoint. Its URL is also a valid audience of assertions at every other endpoint (RFC 7523 §3 (3)). */
export const tokenPath = "/connect/token"

/** The parts of a request that authenticate its client (RFC 6749 §2.3.1, RFC 7521 §4.2). */
export interface PresentedClient {
  /** The scheme of the Authorization header, lower case; undefined without the header. */
  readonly scheme: string | undefined
  /** The credentials of a Basic header; undefined if there is none or it cannot be parsed. */
  readonly basic: { readonly id: string; readonly secret: Secret | undefined } | undefined
  readonly bodyId: string | undefined
  readonly bodySecret: Secret | undefined
  /** The client_assertion parameters; undefined if neither was sent. */
  readonly presentedAssertion: { readonly type: string | undefined; readonly jwt: string | undefined } | undefined
  /** The parsed assertion; undefined if there is none or it cannot be parsed. */
  readonly assertion: ClientAssertion | undefined
  /** The effective client_id, and the secret if one was sent. */
  readonly clientId: string | undefined
  readonly secret: Secret | undefined
}

/** A client, as presented and as registered. */
export interface ClientSeen extends FailuresSeen {
  readonly message: Message
  readonly presented: PresentedClient
  readonly client: Client | undefined
  /** The provider's client authentication methods. */
  readonly means: ReadonlyArray<AuthenticationMeans>
  /** The method that the request uses; undefined if it shows none and the client is registered for none without a credential. */
  readonly used: AuthenticationMeans | undefined
  /** The profile that applies to the client, if known. */
  readonly profile?: Profile | undefined
}

/** Credentials in Basic are form-encoded before they are joined (RFC 6749 §2.3.1, appendix B). */
const formDecoded = (text: string): string =>
  /[%+]/.test(text) ? (new URLSearchParams(`v=${text.replaceAll("&", "%26")}`).get("v") ?? "") : text

/** An empty secret counts as none. */
const sent = (text: string | undefined): Secret | undefined => (text === undefined || text === "" ? undefined : secretOf(text))

const readBasic = (encoded: string): PresentedClient["basic"] => {
  const [, digits = ""] = /^([A-Za-z0-9+/]+)={0,2}$/.exec(encoded) ?? []
  if (digits === "" || digits.length % 4 === 1) return undefined
  const bytes = atob(digits)
  // Non-ASCII text is UTF-8 (RFC 7617 §2.1), which is rarely sent.
  const text = /^[ -~]*$/.test(bytes) ? bytes : new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)))
  const colon = text.indexOf(":")
  return colon < 0 ? undefined : { id: formDecoded(text.slice(0, colon)), secret: sent(formDecoded(text.slice(colon + 1))) }
}

const readAssertion = (jwt: string | undefined): ClientAssertion | undefined => {
  const read = jwt === undefined ? undefined : readJwt(jwt)
  return jwt === undefined || read === undefined ? undefined : { jwt, ...read }
}

/** Parses the credentials of a request without verifying them. */
export const presentedClient = (authorization: string | undefined, params: Params): PresentedClient => {
  const [, named, credentials = ""] = /^(\S+)(?: +(.*))?$/s.exec(authorization?.trim() ?? "") ?? []
  const scheme = named?.toLowerCase()
  const basic = scheme === "basic" ? readBasic(credentials) : undefined
  const bodyId = params.one("client_id")
  const bodySecret = sent(params.one("client_secret"))
  const [type, jwt] = [params.one("client_assertion_type"), params.one("client_assertion")]
  const assertion = readAssertion(jwt)
  const subject = assertion?.claims["sub"]
  return {
    scheme,
    basic,
    bodyId,
    bodySecret,
    presentedAssertion: type === undefined && jwt === undefined ? undefined : { type, jwt },
    assertion,
    clientId: basic?.id ?? (typeof subject === "string" ? subject : bodyId),
    secret: basic?.secret ?? bodySecret,
  }
}

const invalidClient = (description: string, reason?: string): Refusal => refuse("invalid_client", description, reason)

/** Schemes that a trail may contain; any other word may be a credential sent without a scheme. */
const schemes = ["bearer", "digest", "dpop", "negotiate"]

/**
 * Returns the method that a request uses: one that it shows, preferring the client's own, or a method of the client without a credential.
 */
export const usedBy = <Means extends AuthenticationMeans>(
  { presented, message }: Pick<ClientSeen, "presented" | "message">,
  { authenticationMethods }: Client,
  ways: ReadonlyArray<Means>,
): Means | undefined => {
  let shown: Means | undefined
  let unseen: Means | undefined
  for (const each of ways) {
    const { method, credential, secret } = each
    const isOwn = authenticationMethods.includes(method)
    if (credential === undefined) {
      if (isOwn) unseen ??= each
      continue
    }
    // An empty secret counts as none.
    if (!credential.isIn(presented, message) || (secret === "hashed" && presented.secret === undefined)) continue
    if (isOwn) return each
    shown = each
  }
  return shown ?? unseen
}

const namesOf = (ways: ReadonlyArray<AuthenticationMeans>): string =>
  distinct(ways.flatMap(({ credential }) => credential?.name ?? [])).join(", ")

/**
 * Reports whether a request contains different credentials. Several methods may share one. An Authorization header of another scheme, or
 * one that cannot be read, is a credential too.
 */
const showsSeveral = ({ presented, message, means }: ClientSeen): boolean => {
  let shown: Credential | string | undefined = presented.basic === undefined ? presented.scheme : undefined
  return means.some(({ credential }) => {
    if (credential === undefined || credential === shown || !credential.isIn(presented, message)) return false
    if (shown !== undefined) return true
    shown = credential
    return false
  })
}

/** Checks that a request identifies its client in exactly one way and in valid form (RFC 6749 §2.3). */
export const clientPresentation = table<ClientSeen>("client-authentication/presentation")
  .rule("client.one-method", "RFC 6749 §2.3, §5.2", (s) =>
    showsSeveral(s)
      ? refuse("invalid_request", "The client authenticates by more than one method.", `more than one of: ${namesOf(s.means)}`)
      : pass,
  )
  .rule("client.scheme", "RFC 6749 §2.3, §5.2", ({ presented: { scheme } }) =>
    scheme === undefined || scheme === "basic"
      ? pass
      : invalidClient(
          "Client authentication uses an unsupported scheme.",
          `the scheme is ${schemes.find((each) => each === scheme) ?? "none that is known"}`,
        ),
  )
  .rule("client.basic-form", "RFC 6749 §2.3.1", ({ presented: { scheme, basic } }) =>
    scheme === "basic" && basic === undefined ? invalidClient("The Basic credentials cannot be read.", "not base64 of id:secret") : pass,
  )
  .rule("client.assertion-whole", "RFC 7521 §4.2", ({ presented: { presentedAssertion: sent } }) =>
    sent !== undefined && (sent.type === undefined || sent.jwt === undefined)
      ? refuse("invalid_request", "The client_assertion and the client_assertion_type go together.", "one of the two is missing")
      : pass,
  )
  .rule("client.assertion-type", "RFC 7523 §2.2", ({ presented: { presentedAssertion: sent } }) =>
    sent !== undefined && sent.type !== assertionType
      ? invalidClient("The client_assertion_type is not supported.", `it is not ${assertionType}`)
      : pass,
  )
  .rule("client.assertion-form", "RFC 7523 §3, RFC 7519 §7.2", ({ presented: { presentedAssertion: sent, assertion } }) =>
    sent !== undefined && assertion === undefined ? invalidClient("The client_assertion cannot be read.", "not a signed JWT") : pass,
  )
  .rule("client.same-id", "RFC 6749 §2.3, RFC 7521 §4.2", ({ presented: { bodyId, clientId } }) =>
    bodyId !== undefined && bodyId !== clientId
      ? invalidClient(
          "The client_id in the body is not the authenticated client's.",
          "client_id differs from the Basic header's, or from the assertion's sub",
        )
      : pass,
  )
  .rule("client.present", "RFC 6749 §5.2", ({ presented: { clientId } }) =>
    clientId === undefined || clientId === "" ? invalidClient("The client_id is missing.") : pass,
  )

const failed = (reason: string): Refusal => invalidClient("Client authentication failed.", reason)

/** Authenticates the client (RFC 6749 §2.3, §3.2.1). The following tables validate the content of an assertion. */
export const clientAuthentication = table<ClientSeen>("client-authentication")
  .rule("client.attempts", "RFC 6749 §2.3.1", (s) => {
    const wait = waitOf(s)
    return wait === undefined
      ? pass
      : refuseForNow(
          "invalid_client",
          "Too many failed attempts. Try again later.",
          `${mostFailures} wrong secrets for this client from this address`,
          wait,
        )
  })
  .present("client.known", "RFC 6749 §5.2", "client", () => failed("no client has this client_id"))
  .rule("client.enabled", "RFC 6749 §5.2", ({ client }) => (client.disabled ? failed("the client is disabled") : pass))
  .present("client.secret-present", "RFC 6749 §3.2.1", "used", () =>
    invalidClient("The client must authenticate.", "a confidential client sent neither secret nor assertion"),
  )
  .rule("client.secret-unexpected", "RFC 6749 §2.1", ({ client, used }) =>
    isPublic(client) && used.credential !== undefined ? failed("a public client sent a secret or an assertion") : pass,
  )
  .rule("client.method", "OpenID Connect Core §9, RFC 7591 §2", ({ client, used: { method } }) =>
    isPublic(client) || client.authenticationMethods.includes(method)
      ? pass
      : failed(`the client used ${method}; it is registered for ${client.authenticationMethods.join(" or ")}`),
  )
  .rule("client.method-profile", "FAPI 2.0 Security Profile §5.3.2.1 (6)", ({ client, profile, used: { method } }) =>
    profile === undefined || isResourceServer(client) || allows(profile.parameters.authMethods, isPublic(client) ? "none" : method)
      ? pass
      : failed(`the profile ${profile.name} of the client refuses ${isPublic(client) ? "public clients" : method}`),
  )
