import * as Base64Url from "effect/encoding/Base64Url"
import * as Effect from "effect/Effect"
import type { Decision, SigningAlgorithm } from "../model/index.ts"
import type { PortFailed, Ports } from "../ports/index.ts"

/** Tokens as they are given away. */
export interface SignedTokens {
  readonly accessToken: string
  readonly idToken: string | undefined
}

/** The left half of a value's digest by the hash of the signature's algorithm (OpenID Connect Core §3.1.3.6); Ed25519's is SHA-512. */
const halfHash = (ports: Ports, alg: SigningAlgorithm, value: string): Effect.Effect<string, PortFailed> =>
  Effect.map(alg === "EdDSA" ? ports.digest.sha512(value) : ports.digest.sha256(value), (digest) =>
    Base64Url.encode(digest.subarray(0, digest.length / 2)),
  )

/** Signs what a decision issues: the access token first, since the ID token binds it. */
export const signTokens = Effect.fnUntraced(function* (ports: Ports, decision: Extract<Decision, { _tag: "IssueTokens" }>) {
  const plan = decision.accessToken
  const accessToken =
    plan._tag === "Reference" ? plan.value : yield* ports.signer.sign({ alg: plan.alg, typ: "at+jwt", claims: plan.claims })
  if (decision.idToken === undefined) return { accessToken, idToken: undefined } satisfies SignedTokens
  const { alg, claims } = decision.idToken
  const at_hash = yield* halfHash(ports, alg, accessToken)
  const idToken = yield* ports.signer.sign({ alg, typ: "JWT", claims: { ...claims, at_hash } })
  return { accessToken, idToken } satisfies SignedTokens
})
