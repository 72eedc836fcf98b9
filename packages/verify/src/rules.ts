import { type Instant, type JsonObject, type Refusal, refuse } from "@postern/core/model"
import type { JwtVerdict } from "@postern/core/ports"
import {
  type BoundToken,
  type RuleTable,
  type SentToken,
  ahead,
  invalidToken,
  pass,
  proofRules,
  prove,
  sentTokenRules,
  signatureRules,
  table,
  timeRules,
  useRules,
} from "@postern/core/verify"
import { unavailable } from "./unavailable.ts"
import { introspected, signedIntrospection } from "./introspectionRules.ts"
import { type AccessToken, claimFaults, isKnownConfirmation, tokenOf } from "./token.ts"

/** The maximum length of an access token, in characters. */
const longestToken = 16_384

const shared = sentTokenRules("resource")

/** Checks how a token is sent: once, in the header, by a known scheme. */
export const presentation = table<SentToken>("resource")
  .include(shared.headerForm)
  .include(shared.once)
  .include(shared.notInUrl)
  .include(shared.present)
  .rule("resource.token-length", "RFC 9110 §5.4", ({ tokens }) =>
    tokens.some((each) => each.length > longestToken) ? invalidToken(`longer than ${longestToken} characters`) : pass,
  )

interface FormSeen {
  /** True for a signed JWT. */
  readonly isJwt: boolean
  /** True if tokens that are not JWTs are introspected. */
  readonly introspects: boolean
}

/** Checks that there is a way to verify the token. */
export const form = table<FormSeen>("resource/form").rule("resource.token-readable", "RFC 6750 §3.1, RFC 7662 §2", (s) =>
  s.isJwt || s.introspects ? pass : invalidToken("not a signed JWT, and introspection is not configured"),
)

interface JwtSeen {
  readonly header: JsonObject
  /** The claims that the token states. None of them is verified yet. */
  readonly stated: JsonObject
  readonly issuer: string
  readonly algorithms: ReadonlyArray<string>
}

const types = ["at+jwt", "application/at+jwt"]

/** Checks the type, the algorithm and the issuer of a JWT before any computation. A key is only looked up if they are right. */
export const jwtForm = table<JwtSeen>("resource/jwt")
  .rule("resource.jwt-type", "RFC 9068 §4, RFC 8725 §3.11", ({ header: { typ } }) =>
    typeof typ === "string" && types.includes(typ.toLowerCase()) ? pass : invalidToken("the typ of the JWT is not at+jwt"),
  )
  .rule("resource.jwt-algorithm", "RFC 9068 §4, RFC 8725 §3.1", ({ header: { alg }, algorithms }) =>
    algorithms.some((each) => each === alg) ? pass : invalidToken(`the alg of the JWT is none of: ${algorithms.join(" ")}`),
  )
  .rule("resource.jwt-issuer", "RFC 9068 §4", ({ stated: { iss }, issuer }) =>
    iss === issuer ? pass : invalidToken(`the iss of the JWT is not ${issuer}`),
  )

interface KeysSeen {
  /** The reason why there are no keys. Undefined if there are. */
  readonly keyless: string | undefined
}

/** Checks that the issuer's keys are available. */
export const keysKnown = table<KeysSeen>("resource/keys").rule("resource.keys-known", "RFC 9110 §15.6.4", ({ keyless }) =>
  keyless === undefined ? pass : unavailable(keyless),
)

interface VerifiedSeen {
  readonly verdict: JwtVerdict
  readonly issuer: string
}

/** Checks the signature of a JWT, then its claims. */
export const jwtContent = table<VerifiedSeen>("resource/signature")
  .establish("resource.jwt-signature", "RFC 9068 §4, RFC 7515 §5.2", ({ verdict }) =>
    verdict._tag === "Verified" ? prove({ claims: verdict.claims }) : invalidToken(verdict.reason),
  )
  .rule("resource.jwt-claims", "RFC 9068 §2.2, RFC 7519 §4.1", ({ claims }) => {
    const faults = claimFaults(claims)
    return faults.length === 0 ? pass : invalidToken(`the JWT ${faults.join(", ")}`)
  })
  .establish("resource.jwt-read", "RFC 9068 §2.2", ({ claims, issuer }) => prove({ found: tokenOf(claims, issuer) }))

interface FoundSeen {
  readonly found: AccessToken
  readonly now: Instant
  readonly audiences: ReadonlyArray<string>
}

/** Checks that a token is intended for this resource and is valid now. */
export const validity = table<FoundSeen>("resource/token")
  .rule("resource.token-audience", "RFC 9068 §4, RFC 8707 §2", ({ found: { audience }, audiences }) =>
    audience.some((each) => audiences.includes(each))
      ? pass
      : invalidToken("the token is for another resource: aud does not name this one"),
  )
  .include(shared.fresh)
  .rule("resource.token-begun", "RFC 7519 §4.1.5", ({ found: { notBefore }, now }) =>
    notBefore === undefined || notBefore <= now + ahead ? pass : invalidToken("the nbf of the token lies ahead"),
  )
  .rule("resource.token-confirmation", "RFC 7800 §3.1", ({ found: { claims } }) =>
    isKnownConfirmation(claims)
      ? pass
      : invalidToken("the token is bound in a way that cannot be checked here: its cnf is neither one jkt nor one x5t#S256"),
  )

/** The binding that a resource requires of tokens. */
export type Binding = "any" | "dpop" | "certificate"

interface BindingSeen extends BoundToken {
  /** Undefined if bearer tokens are accepted. */
  readonly demanded: Binding | undefined
}

const meetsDemand = ({ found: { confirmation }, demanded }: BindingSeen): boolean => {
  if (demanded === undefined) return true
  if (confirmation === undefined) return false
  return demanded === "any" || (demanded === "dpop" ? "jkt" in confirmation : "x5t#S256" in confirmation)
}

/** Checks that the request proves possession of what its token is bound to. */
export const binding = table<BindingSeen>("resource/binding")
  .include(shared.bound)
  .include(shared.scheme)
  .rule("resource.token-bound", "RFC 9728 §2, FAPI 2.0 Security Profile §5.3.4", (s) =>
    meetsDemand(s) ? pass : invalidToken(`the resource takes no token that is not bound (${s.demanded})`),
  )

/** The requirements of an operation. */
export interface Needs {
  /** The scope values that the token must all have, as a list or a space-separated string. */
  readonly scope?: string | ReadonlyArray<string> | undefined
  /** The authentication contexts, one of which the sign-in must have reached (RFC 9470 §3). */
  readonly acrValues?: ReadonlyArray<string> | undefined
  /** The maximum number of seconds since the sign-in (RFC 9470 §3). */
  readonly maxAge?: number | undefined
}

interface NeedsSeen extends Needs {
  readonly found: AccessToken
  readonly now: Instant
  readonly scope: ReadonlyArray<string>
}

const insufficient = (description: string, reason: string): Refusal => refuse("insufficient_user_authentication", description, reason)

/** Checks that a token allows the operation. */
export const sufficiency = table<NeedsSeen>("resource/needs")
  .rule("resource.scope", "RFC 6750 §3.1", ({ found, scope }) => {
    const missing = scope.filter((each) => !found.scope.includes(each))
    return missing.length === 0
      ? pass
      : refuse("insufficient_scope", "The access token has not the scope that is needed.", `it lacks ${missing.join(" ")}`)
  })
  .rule("resource.acr", "RFC 9470 §3", ({ found: { acr }, acrValues }) =>
    acrValues === undefined || (acr !== undefined && acrValues.includes(acr))
      ? pass
      : insufficient(
          "A stronger sign-in is needed.",
          `the acr of the token is ${acr ?? "not stated"}, and none of: ${acrValues.join(" ")}`,
        ),
  )
  .rule("resource.auth-time", "RFC 9470 §3", ({ found: { authTime }, now, maxAge }) =>
    maxAge === undefined || (authTime !== undefined && now - authTime <= maxAge)
      ? pass
      : insufficient(
          "A more recent sign-in is needed.",
          authTime === undefined ? "the token states no auth_time" : `the sign-in was ${now - authTime} s ago, and may be ${maxAge} s ago`,
        ),
  )

interface UseSeen {
  /** The reason why it is unknown whether the proof was used before; undefined if it is known. */
  readonly unknown: string | undefined
}

/** Checks that the use of a proof could be claimed. Otherwise a replay could pass. */
export const useKnown = table<UseSeen>("resource/use").rule("resource.use-known", "RFC 9449 §11.1, RFC 9110 §15.6.4", ({ unknown }) =>
  unknown === undefined ? pass : unavailable(unknown),
)

/** Every table that may apply to a request, in order. */
export const resourceTables: ReadonlyArray<RuleTable> = [
  presentation,
  form,
  jwtForm,
  keysKnown,
  jwtContent,
  signedIntrospection,
  introspected,
  validity,
  proofRules,
  timeRules,
  signatureRules,
  binding,
  sufficiency,
  useKnown,
  useRules,
]
