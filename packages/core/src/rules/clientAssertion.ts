import type { Client, Command, JsonObject, Refusal, Seconds } from "../model/index.ts"
import { peerAlgorithms, refuse, secretAlgorithms } from "../model/index.ts"
import { type FailuresSeen, counted } from "./failures.ts"
import { pass, rule, table } from "./rule.ts"

/** The only client_assertion_type there is (RFC 7523 §2.2). */
export const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

/** A JWT by which a client says who it is (RFC 7523 §2.2). Its members are what the sender wants to be believed, until its signature is verified. */
export interface ClientAssertion {
  readonly jwt: string
  readonly header: JsonObject
  readonly claims: JsonObject
}

/** What an assertion is judged against before its signature is. */
export interface AssertionSeen {
  readonly client: Client
  readonly issuer: string
  /** Every URL of ours that it may be made out to where the client's policy is `any`. */
  readonly audiences: ReadonlyArray<string>
  readonly now: number
}

/** What came of verifying an assertion, and of looking for its `jti`. */
export interface AssertionProof extends FailuresSeen {
  /** Why its signature is not the client's; undefined when it is. */
  readonly unverified: string | undefined
  readonly used: boolean
}

/** The algorithms that some client may sign assertions with; its method says which of them (RFC 8414 §2). */
export const assertionAlgorithms: ReadonlyArray<string> = [...peerAlgorithms, ...secretAlgorithms]

/** How far ahead `exp` may be: every `jti` is kept for so long. */
const longestLife: Seconds = 3600

/** How far a client's clock may be ahead of ours. */
export const tolerance: Seconds = 30

/** The algorithms that a client's method allows: never those of the other kind, or a public key would pass for a secret (RFC 8725 §2.1, §3.1). */
export const algorithmsOf = ({ tokenEndpointAuthMethod }: Pick<Client, "tokenEndpointAuthMethod">): ReadonlyArray<string> =>
  tokenEndpointAuthMethod === "client_secret_jwt" ? secretAlgorithms : peerAlgorithms

/** A claim that is a moment (RFC 7519 §2 NumericDate); undefined for anything else. */
export const momentOf = (claims: JsonObject, name: string): number | undefined => {
  const value = claims[name]
  return typeof value === "number" ? value : undefined
}

/** The client learns nothing of what is wrong: it cannot be told from somebody who guesses. */
const unproven = (reason: string, ...commands: ReadonlyArray<Command>): Refusal =>
  refuse("invalid_client", "Client authentication failed.", reason, ...commands)

const notAhead = (claim: "nbf" | "iat", { claims }: ClientAssertion, now: number): boolean => {
  const moment = claims[claim]
  return moment === undefined || (typeof moment === "number" && moment <= now + tolerance)
}

/** What an assertion must say (RFC 7523 §3, OpenID Connect Core §9). */
export const clientAssertion = table<ClientAssertion, AssertionSeen>("client-assertion", [
  rule("assertion.type", "RFC 8725 §3.11", ({ header: { typ } }) =>
    typ === undefined || (typeof typ === "string" && ["jwt", "client-authentication+jwt"].includes(typ.toLowerCase()))
      ? pass
      : unproven("the assertion's typ is neither JWT nor client-authentication+jwt"),
  ),
  rule("assertion.algorithm", "RFC 8725 §3.1, OpenID Connect Dynamic Client Registration §2", ({ header: { alg } }, s) => {
    const allowed = s.client.tokenEndpointAuthSigningAlg === undefined ? algorithmsOf(s.client) : [s.client.tokenEndpointAuthSigningAlg]
    return allowed.some((each) => each === alg) ? pass : unproven(`the assertion's alg is none of: ${allowed.join(" ")}`)
  }),
  rule("assertion.issuer", "RFC 7523 §3 (1)", ({ claims: { iss } }, s) =>
    iss === s.client.clientId ? pass : unproven("the assertion's iss is not the client_id"),
  ),
  rule("assertion.subject", "RFC 7523 §3 (2)", ({ claims: { sub } }, s) =>
    sub === s.client.clientId ? pass : unproven("the assertion's sub is not the client_id"),
  ),
  rule("assertion.audience", "RFC 7523 §3 (3), RFC 7521 §5.1", ({ claims: { aud } }, s) => {
    // One string that is the issuer cannot be used at another provider, whatever token endpoint that one claims to have.
    if (s.client.clientAssertionAudience === "issuer")
      return aud === s.issuer ? pass : unproven("the assertion's aud is not the issuer alone, as a string")
    return (Array.isArray(aud) ? aud : [aud]).some((each) => typeof each === "string" && s.audiences.includes(each))
      ? pass
      : unproven(`the assertion's aud is none of: ${s.audiences.join(" ")}`)
  }),
  rule("assertion.expires", "RFC 7523 §3 (4)", ({ claims }) =>
    momentOf(claims, "exp") === undefined ? unproven("the assertion has no exp") : pass,
  ),
  rule("assertion.fresh", "RFC 7523 §3 (4)", ({ claims }, s) =>
    (momentOf(claims, "exp") ?? Infinity) > s.now ? pass : unproven("the assertion has expired"),
  ),
  rule("assertion.lifetime", "RFC 7523 §3 (4)", ({ claims }, s) =>
    (momentOf(claims, "exp") ?? 0) <= s.now + longestLife + tolerance ? pass : unproven(`the assertion lives longer than ${longestLife} s`),
  ),
  rule("assertion.not-before", "RFC 7523 §3 (5)", (q, s) =>
    notAhead("nbf", q, s.now) ? pass : unproven("the assertion's nbf is no moment, or not reached"),
  ),
  rule("assertion.issued-at", "RFC 7523 §3 (6)", (q, s) =>
    notAhead("iat", q, s.now) ? pass : unproven("the assertion's iat is no moment, or in the future"),
  ),
  rule("assertion.jti", "OpenID Connect Core §9", ({ claims: { jti } }) =>
    typeof jti === "string" && jti !== "" ? pass : unproven("the assertion has no jti"),
  ),
])

/** Judges whether an assertion is the client's own, and not used before (RFC 7523 §3). One that was signed with a wrong secret is counted as that. */
export const clientAssertionProof = table<unknown, AssertionProof>("client-assertion/proof", [
  rule("assertion.signature", "RFC 7523 §3 (9)", (_, s) =>
    s.unverified === undefined ? pass : unproven(`the assertion's signature is not the client's: ${s.unverified}`, ...counted(s)),
  ),
  rule("assertion.unused", "RFC 7523 §3 (7), OpenID Connect Core §9", (_, s) =>
    s.used ? unproven("the assertion's jti was used before") : pass,
  ),
])
