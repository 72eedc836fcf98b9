import type { Client, Command, JsonObject, Profile, Refusal, Seconds } from "../../model/index.ts"
import { clockTolerance, peerAlgorithms, refuse, secretAlgorithms } from "../../model/index.ts"
import { isNotAhead } from "../../rules/ahead.ts"
import type { ClientAssertion } from "../../rules/clientAuthentication.ts"
import { type FailuresSeen, counted } from "../../rules/failures.ts"
import { allows } from "../../rules/profile.ts"
import { pass, prove, table } from "../../rules/rule.ts"

/** The check of a secret. It is expensive, so it is made only after all other checks have passed. */
export interface SecretSeen extends FailuresSeen {
  readonly secretMatches: boolean
}

/** Judges whether the secret is the client's (RFC 6749 §2.3.1). A wrong secret is counted. */
export const clientSecret = table<SecretSeen>("client-authentication/secret").rule("client.secret-matches", "RFC 6749 §2.3.1", (s) =>
  s.secretMatches ? pass : refuse("invalid_client", "Client authentication failed.", "the secret is not the client's", ...counted(s)),
)

/** An assertion, and the values that it is judged against before its signature. */
export interface AssertionSeen {
  readonly assertion: ClientAssertion
  readonly client: Client
  readonly issuer: string
  /** Every URL of this provider that it may be addressed to if the client's policy is `any`. */
  readonly audiences: ReadonlyArray<string>
  readonly now: number
  /** The profile that applies to the client. */
  readonly profile: Profile
}

/** The results of verifying an assertion and of looking up its `jti`. */
interface AssertionProof extends FailuresSeen {
  /** The reason that its signature is not the client's; undefined if it is. */
  readonly unverified: string | undefined
  readonly used: boolean
}

/** The longest time that `exp` may lie in the future, since every `jti` is stored for that long. */
const longestLife: Seconds = 3600

/**
 * The algorithms that a client's method allows. They are all of one kind, because otherwise a public key could be used as a secret
 * (RFC 8725 §2.1, §3.1).
 */
export const algorithmsOf = ({ tokenEndpointAuthMethod }: Pick<Client, "tokenEndpointAuthMethod">): ReadonlyArray<string> =>
  tokenEndpointAuthMethod === "client_secret_jwt" ? secretAlgorithms : peerAlgorithms

/** A claim that is a time (RFC 7519 §2 NumericDate); undefined for anything else. */
const momentOf = (claims: JsonObject, name: string): number | undefined => {
  const value = claims[name]
  return typeof value === "number" ? value : undefined
}

/** Refuses without telling the client what is wrong, because the client could be somebody who guesses. */
const unproven = (reason: string, ...commands: ReadonlyArray<Command>): Refusal =>
  refuse("invalid_client", "Client authentication failed.", reason, ...commands)

/** Judges the content of an assertion (RFC 7523 §3, OpenID Connect Core §9). */
export const clientAssertion = table<AssertionSeen>("client-assertion")
  .rule("assertion.type", "RFC 8725 §3.11", ({ assertion: { header } }) =>
    header["typ"] === undefined ||
    (typeof header["typ"] === "string" && ["jwt", "client-authentication+jwt"].includes(header["typ"].toLowerCase()))
      ? pass
      : unproven("the assertion's typ is neither JWT nor client-authentication+jwt"),
  )
  .rule(
    "assertion.algorithm",
    "RFC 8725 §3.1, OpenID Connect Dynamic Client Registration §2",
    ({ assertion: { header }, client, profile }) => {
      const own = client.tokenEndpointAuthSigningAlg === undefined ? algorithmsOf(client) : [client.tokenEndpointAuthSigningAlg]
      const allowed = own.filter((each) => allows(profile.parameters.algorithms, each))
      return allowed.some((each) => each === header["alg"]) ? pass : unproven(`the assertion's alg is none of: ${allowed.join(" ")}`)
    },
  )
  .rule("assertion.issuer", "RFC 7523 §3 (1)", ({ assertion: { claims }, client }) =>
    claims["iss"] === client.clientId ? pass : unproven("the assertion's iss is not the client_id"),
  )
  .rule("assertion.subject", "RFC 7523 §3 (2)", ({ assertion: { claims }, client }) =>
    claims["sub"] === client.clientId ? pass : unproven("the assertion's sub is not the client_id"),
  )
  .rule("assertion.audience", "RFC 7523 §3 (3), RFC 7521 §5.1", ({ assertion: { claims }, client, issuer, audiences, profile }) => {
    const { aud } = claims
    // An assertion whose aud is the issuer as a single string cannot be used at another provider, whatever token endpoint that provider
    // claims to have.
    if (client.clientAssertionAudience === "issuer" || profile.parameters.assertionAudience === "issuer")
      return aud === issuer ? pass : unproven("the assertion's aud is not the issuer alone, as a string")
    return (Array.isArray(aud) ? aud : [aud]).some((each) => typeof each === "string" && audiences.includes(each))
      ? pass
      : unproven(`the assertion's aud is none of: ${audiences.join(" ")}`)
  })
  .establish("assertion.expires", "RFC 7523 §3 (4)", ({ assertion: { claims } }) => {
    const expiresAt = momentOf(claims, "exp")
    return expiresAt === undefined ? unproven("the assertion has no exp") : prove({ expiresAt })
  })
  .rule("assertion.fresh", "RFC 7523 §3 (4)", ({ expiresAt, now }) => (expiresAt <= now ? unproven("the assertion has expired") : pass))
  .rule("assertion.lifetime", "RFC 7523 §3 (4)", ({ expiresAt, now }) =>
    expiresAt > now + longestLife + clockTolerance ? unproven(`the assertion lives longer than ${longestLife} s`) : pass,
  )
  .rule("assertion.not-before", "RFC 7523 §3 (5)", ({ assertion, now }) =>
    isNotAhead(assertion.claims["nbf"], now) ? pass : unproven("the assertion's nbf is no moment, or not reached"),
  )
  .rule("assertion.issued-at", "RFC 7523 §3 (6)", ({ assertion, now }) =>
    isNotAhead(assertion.claims["iat"], now) ? pass : unproven("the assertion's iat is no moment, or in the future"),
  )
  .rule("assertion.jti", "OpenID Connect Core §9", ({ assertion: { claims } }) =>
    typeof claims["jti"] === "string" && claims["jti"] !== "" ? pass : unproven("the assertion has no jti"),
  )

/**
 * Judges whether an assertion is the client's own and was not used before (RFC 7523 §3). One that is signed with a wrong secret counts as a
 * wrong secret.
 */
export const clientAssertionProof = table<AssertionProof>("client-assertion/proof")
  .rule("assertion.signature", "RFC 7523 §3 (9)", (s) =>
    s.unverified === undefined ? pass : unproven(`the assertion's signature is not the client's: ${s.unverified}`, ...counted(s)),
  )
  .rule("assertion.unused", "RFC 7523 §3 (7), OpenID Connect Core §9", ({ used }) =>
    used ? unproven("the assertion's jti was used before") : pass,
  )
