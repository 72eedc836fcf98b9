import type { Client, ErrorCode, Instant, JsonObject, Profile, Settings } from "../../../model/index.ts"
import { clockTolerance, peerAlgorithms, refuse } from "../../../model/index.ts"
import type { JwtVerdict } from "../../../ports/index.ts"
import { isNotAhead } from "../../../rules/ahead.ts"
import { shownNames } from "../../../rules/form.ts"
import { longestKept } from "../../../rules/length.ts"
import { type PageRefusal, refusePage } from "../../../rules/page.ts"
import { pairsFault } from "../../../rules/parameters.ts"
import { allows } from "../../../rules/profile.ts"
import { pass, prove, table } from "../../../rules/rule.ts"
import { type Params, jwtParts } from "../../../wire/index.ts"
import type { AuthorizeRequest } from "../parse.ts"
import type { ClientRequest } from "../evidence.ts"
import { areProtected } from "../details.ts"
import { livesAnHour } from "../facts.ts"
import { requestOf } from "./parse.ts"

/** A request, and the profile that applies to its client. */
export type Held = ClientRequest & { readonly profile: Profile }

/** A request that carries a request object, and the object as far as it could be fetched, decrypted and read. */
type RequestObjectSeen = Held & {
  readonly settings: Pick<Settings, "issuer" | "details">
  readonly now: Instant
  /** The object as it was sent, or as it was fetched from the request_uri. */
  readonly sent: string | undefined
  /** The reason that the object could not be fetched. */
  readonly unfetched: string
  /** The header of a JWE. */
  readonly seal: JsonObject | undefined
  /** The JWS, as it was sent or as it was decrypted from the JWE. */
  readonly jws: string | undefined
  readonly signed: Signed | undefined
  /** Its claims, verified or not. A refusal uses only these to find where to send the error. */
  readonly said: JsonObject | undefined
}

/** A JWS that could be parsed. */
export interface Signed {
  readonly header: JsonObject
  /** The verdict on its signature, for any algorithm; an unsecured JWS with an empty signature is valid. */
  readonly verdict: JwtVerdict
}

/** Reports whether there are keys to verify a client's request objects with, or nothing to verify. */
const isSetUp = ({ keys, requestObjects }: Client): boolean =>
  keys.jwks !== undefined || keys.jwksUri !== undefined || requestObjects.signingAlg === "none"

const carries = ({ params }: AuthorizeRequest, name: "request" | "request_uri"): boolean => params.one(name) !== undefined

/** Reports whether parameters carry a request object. */
export const carriesObject = ({ one }: Params): boolean => one("request") !== undefined || one("request_uri") !== undefined

/**
 * Judges how a request carries its request object, if it does. A refusal goes to the redirect_uri of the query, if that belongs to the
 * client.
 */
export const parameterRules = table<Held>("authorize/request-parameter")
  .rule("authorize.request-once", "RFC 6749 §3.1", (s) => {
    const twice = s.params.repeated.filter((name) => name === "request" || name === "request_uri")
    return twice.length === 0
      ? pass
      : refuse("invalid_request", "A parameter is sent more than once.", `sent more than once: ${shownNames(twice)}`)
  })
  .rule("authorize.request-or-request-uri", "RFC 9101 §5", (s) =>
    carries(s, "request") && carries(s, "request_uri") ? refuse("invalid_request", "Send request or request_uri, not both.") : pass,
  )
  .rule("authorize.request-unsupported", "OpenID Connect Core §6.1", (s) =>
    !carries(s, "request") || isSetUp(s.client)
      ? pass
      : refuse(
          "request_not_supported",
          "The request parameter is not supported.",
          "the client has no jwks or jwks_uri, and its request_object_signing_alg is not none",
        ),
  )
  .rule("authorize.request-uri-unsupported", "OpenID Connect Core §6.2", (s) =>
    !carries(s, "request_uri") || (isSetUp(s.client) && s.client.requestObjects.uris.length > 0)
      ? pass
      : refuse(
          "request_uri_not_supported",
          "The request_uri parameter is not supported.",
          s.client.requestObjects.uris.length > 0
            ? "the client has no jwks or jwks_uri, and its request_object_signing_alg is not none"
            : "the client has no request_uris",
        ),
  )
  // A request_uri is registered with its fragment, if it has one (OpenID Connect Core §6.2.2); one of a pushed request (RFC 9126 §2.2) is
  // never registered.
  .rule("authorize.request-uri-registered", "RFC 9101 §10.4.1", (s) =>
    s.client.requestObjects.uris.some((uri) => uri === s.params.one("request_uri")) || !carries(s, "request_uri")
      ? pass
      : refuse(
          "invalid_request_uri",
          "The request_uri is not registered for this client.",
          "equal to none of the client's request_uris; nothing was fetched",
        ),
  )
  .rule("authorize.request-object-required", "RFC 9101 §10.5, FAPI 2.0 Message Signing §5.3", (s) =>
    !isRequired(s) || carries(s, "request") || carries(s, "request_uri")
      ? pass
      : refuse(
          "invalid_request",
          "The request must be a signed request object.",
          "a plain request, and the client has require_signed_request_object, or a profile that says so",
        ),
  )

const isRequired = ({ client, profile }: Held): boolean => client.requestObjects.required || profile.parameters.signedRequests === "all"

/** Reports whether neither a client nor its profile determines how its request objects are signed. */
const isUnstated = (s: Held): boolean => s.client.requestObjects.signingAlg === undefined && !isRequired(s)

const unsupported = (what: string): PageRefusal =>
  refusePage(
    "request_invalid",
    400,
    "request_not_supported",
    "The request parameter is not supported.",
    `an ${what} object, and the client's request_object_signing_alg is not none`,
  )

const bad = (reason: string, error: ErrorCode = "invalid_request_object"): PageRefusal =>
  refusePage(
    "request_invalid",
    400,
    error,
    error === "invalid_request_object" ? "The request object is not valid." : "The request_uri holds no request object.",
    reason,
  )

/** An untrusted text in the form that a trail may show. */
const shown = (value: unknown): string => (typeof value === "string" ? shownNames([value]) : "none")

/**
 * The algorithms with which a client's request objects may be signed. A registered algorithm is the only one, even if it is `none`
 * (Registration §2).
 */
const acceptedAlgorithms = (s: Held): ReadonlyArray<string> => {
  const { signingAlg } = s.client.requestObjects
  const own: ReadonlyArray<string> = signingAlg === undefined ? peerAlgorithms : [signingAlg]
  return own.filter((alg) => allows(s.profile.parameters.algorithms, alg) && (!isRequired(s) || alg !== "none"))
}

const encryptionFault = ({ seal, client }: Pick<RequestObjectSeen, "seal" | "client">): string | undefined => {
  const { encryption } = client.requestObjects
  if (encryption === undefined) return undefined
  if (seal === undefined) return `not encrypted; the client's are to be, with ${encryption.alg} and ${encryption.enc}`
  return seal["alg"] === encryption.alg && seal["enc"] === encryption.enc
    ? undefined
    : `encrypted with ${shown(seal["alg"])} and ${shown(seal["enc"])}, not with the client's ${encryption.alg} and ${encryption.enc}`
}

/**
 * Reports whether a type is that of a request object. A JWT of another type must not pass as one; a JWT without a type may (RFC 9101
 * §10.8).
 */
export const isRequestType = (typ: unknown): boolean =>
  typ === undefined || (typeof typ === "string" && /^(?:application\/)?(?:oauth-authz-req\+jwt|jwt)$/i.test(typ))

/** Judges the request object. A refusal goes to the redirect_uri that the request asks for, if that belongs to the client. */
export const requestObjectRules = table<RequestObjectSeen, PageRefusal>("authorize/request-object")
  .present("request-object.fetched", "RFC 9101 §5.2.3, §7", "sent", (s) => bad(`not fetched: ${s.unfetched}`, "invalid_request_uri"))
  .rule("request-object.encryption", "OpenID Connect Dynamic Client Registration §2", (s) => {
    const fault = encryptionFault(s)
    return fault === undefined ? pass : bad(fault)
  })
  .present("request-object.decrypted", "RFC 9101 §6.1", "jws", (s) =>
    bad(`encrypted with ${shown(s.seal?.["alg"])} and ${shown(s.seal?.["enc"])}, and no key of ours opens it`),
  )
  .establish("request-object.form", "RFC 9101 §4, RFC 7515 §3.1", (s) => {
    if (s.signed !== undefined) return prove(s.signed)
    const parts = jwtParts(s.jws).length
    return bad(parts === 3 ? "its header is no JSON object" : `no JWS in compact form: it has ${parts > 5 ? "more than 5" : parts} parts`)
  })
  .rule("request-object.type", "RFC 8725 §3.11, §3.12", (s) =>
    isRequestType(s.header["typ"])
      ? pass
      : bad(`its typ is ${shown(s.header["typ"])}, not oauth-authz-req+jwt or JWT: made for something else`),
  )
  .rule("request-object.critical", "RFC 7515 §4.1.11", (s) =>
    s.header["crit"] === undefined ? pass : bad("its header names extensions that must be understood, and none is"),
  )
  // As for a client without keys, an algorithm that the client did not register is not supported (OpenID Connect Core §6.1).
  .rule("request-object.unsigned", "OpenID Connect Core §6.1", (s) =>
    s.header["alg"] === "none" && carries(s, "request") && isUnstated(s) ? unsupported("unsigned") : pass,
  )
  .rule("request-object.algorithm", "OpenID Connect Dynamic Client Registration §2, RFC 9101 §10.5", (s) => {
    const alg = s.header["alg"]
    const accepted = acceptedAlgorithms(s)
    return accepted.some((each) => each === alg)
      ? pass
      : bad(`signed with ${shown(alg)}; the client's may be signed with ${accepted.length === 0 ? "nothing" : accepted.join(", ")}`)
  })
  .establish("request-object.signature", "RFC 9101 §6.2", ({ header, verdict, parameters }) =>
    verdict._tag === "Verified"
      ? prove({ verified: verdict.claims, request: requestOf(verdict.claims, parameters) })
      : bad(`signed with ${shown(header["alg"])}, and not verified: ${verdict.reason}`),
  )
  .rule("request-object.details-signed", "RFC 9396 §12", (s) =>
    s.header["alg"] === "none" && s.request.authorizationDetails !== undefined && areProtected(s.client, s.profile, s.settings)
      ? bad("it is not signed, and its authorization_details must be protected: require_protected_authorization_details, or the profile")
      : pass,
  )
  .rule("request-object.client", "RFC 9101 §6.3", (s) =>
    s.verified["client_id"] === s.clientId
      ? pass
      : bad(s.verified["client_id"] === undefined ? "it has no client_id" : "its client_id is not the query's"),
  )
  .rule("request-object.nested", "RFC 9101 §4", (s) =>
    s.verified["request"] === undefined && s.verified["request_uri"] === undefined ? pass : bad("it carries request or request_uri itself"),
  )
  // iss and aud SHOULD be present (RFC 9101 §4). Without them the client's key and client_id still bind the object to the client, and its
  // typ and sub to its use.
  .rule("request-object.issuer", "RFC 9101 §4, RFC 7519 §4.1.1", (s) => {
    const iss = s.verified["iss"]
    return iss === undefined || iss === s.client.clientId ? pass : bad("its iss is not the client_id")
  })
  .rule("request-object.audience", "RFC 9101 §4, RFC 7519 §4.1.3", (s) => {
    const aud = s.verified["aud"]
    return aud === undefined || aud === s.settings.issuer || (Array.isArray(aud) && aud.includes(s.settings.issuer))
      ? pass
      : bad("its aud is not our issuer")
  })
  .rule("request-object.subject", "RFC 9101 §10.8", (s) =>
    s.verified["sub"] === s.client.clientId ? bad("its sub is the client_id: it could be a client assertion") : pass,
  )
  .rule("request-object.expired", "RFC 7519 §4.1.4", (s) => {
    const exp = s.verified["exp"]
    if (exp === undefined || (typeof exp === "number" && s.now < exp)) return pass
    return bad(typeof exp === "number" ? `expired ${s.now - exp} s ago` : "its exp is no number")
  })
  .rule("request-object.not-before", "RFC 7519 §4.1.5, §4.1.6", (s) => {
    const early = (["nbf", "iat"] as const).find((name) => !isNotAhead(s.verified[name], s.now))
    return early === undefined ? pass : bad(`its ${early} is more than ${clockTolerance} s ahead of our clock, or no number`)
  })
  .rule("request-object.lifetime", "FAPI 2.0 Message Signing §5.3.1, FAPI 1.0 Part 2 §5.2.2 (13, 15, 17)", (s) => {
    if (s.profile.parameters.signedLife === "by-client") return pass
    return livesAnHour(s.verified, s.now)
      ? pass
      : bad(`it needs an aud, an nbf of the last 3600 s and an exp within 3600 s of it: the profile ${s.profile.name}`)
  })
  .rule("request-object.parameters", "RFC 9110 §17.5", (s) => {
    const fault = pairsFault(s.request.params.pairs)
    return fault === undefined ? pass : bad(`it has ${fault}`)
  })
  .rule("request-object.length", "RFC 9110 §4.1", (s) =>
    s.request.length <= longestKept ? pass : bad(`what is to be kept of it is longer than ${longestKept} characters`),
  )
