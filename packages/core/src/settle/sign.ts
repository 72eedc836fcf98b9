import * as Base64Url from "effect/encoding/Base64Url"
import * as Effect from "effect/Effect"
import type { AccessTokenPlan, SigningAlgorithm, TokenPlan } from "../model/index.ts"
import type { PortFailed, Ports } from "../ports/index.ts"

/** Tokens as they are given away. */
export interface SignedTokens {
  readonly accessToken: string | undefined
  readonly idToken: string | undefined
}

/** The left half of a value's digest by the hash of the signature's algorithm (OpenID Connect Core §3.1.3.6); Ed25519's is SHA-512. */
const halfHash = (ports: Ports, alg: SigningAlgorithm, value: string): Effect.Effect<string, PortFailed> =>
  Effect.map(alg === "EdDSA" ? ports.digest.sha512(value) : ports.digest.sha256(value), (digest) =>
    Base64Url.encode(digest.subarray(0, digest.length / 2)),
  )

const signAccessToken = (ports: Ports, plan: AccessTokenPlan | undefined): Effect.Effect<string | undefined, PortFailed> => {
  if (plan === undefined) return Effect.succeed(undefined)
  return plan._tag === "Reference" ? Effect.succeed(plan.value) : ports.signer.sign({ alg: plan.alg, typ: "at+jwt", claims: plan.claims })
}

/** Signs what is planned. The ID token says what goes with it: `at_hash` of the access token, `c_hash` of the code. */
export const signTokens = Effect.fnUntraced(function* (ports: Ports, { accessToken: plan, idToken: planned, code }: TokenPlan) {
  const accessToken = yield* signAccessToken(ports, plan)
  if (planned === undefined) return { accessToken, idToken: undefined } satisfies SignedTokens as SignedTokens
  const { alg, claims } = planned
  const hashes = {
    ...(accessToken === undefined ? {} : { at_hash: yield* halfHash(ports, alg, accessToken) }),
    ...(code === undefined ? {} : { c_hash: yield* halfHash(ports, alg, code) }),
  }
  const idToken = yield* ports.signer.sign({ alg, typ: "JWT", claims: { ...claims, ...hashes } })
  return { accessToken, idToken } satisfies SignedTokens as SignedTokens
})
