import * as Effect from "effect/Effect"
import type { AccessTokenPlan, Decision, EncryptionPlan, JwtPlan, ResponseParams, SigningAlgorithm, TokenPlan } from "../model/index.ts"
import { PortFailed, type Ports } from "../ports/index.ts"
import { mapped, steps } from "../ports/steps.ts"
import { encodeBase64Url } from "../wire/index.ts"
import { type Fetching, keysOf } from "./remote.ts"
import { type Inquiry, bytesOf } from "./request.ts"

/** Signed tokens. */
export interface SignedTokens {
  readonly accessToken: string | undefined
  readonly idToken: string | undefined
}

/**
 * Returns the left half of a value's digest, by the hash of the signature algorithm (OpenID Connect Core §3.1.3.6); Ed25519 uses SHA-512.
 */
export const halfHash = (ports: Pick<Ports, "digest">, alg: SigningAlgorithm, value: string): Effect.Effect<string, PortFailed> =>
  mapped(alg === "EdDSA" ? ports.digest.sha512(value) : ports.digest.sha256(value), (digest) => {
    const bytes = bytesOf(digest)
    return encodeBase64Url(bytes.subarray(0, bytes.length / 2))
  })

const signAccessToken = (ports: Ports, plan: AccessTokenPlan | undefined): Effect.Effect<string | undefined, PortFailed> => {
  if (plan === undefined) return Effect.succeed(undefined)
  return plan._tag === "Reference" ? Effect.succeed(plan.value) : ports.signer.sign({ alg: plan.alg, typ: plan.typ, claims: plan.claims })
}

/** The ports for signing a JWT and encrypting it to its recipient. */
export type Signing = Fetching & { readonly ports: Pick<Ports, "signer" | "jwts"> }

/** Encrypts a signed text with a key of its recipient; fails without one (OpenID Connect Core §10.2). */
const encrypted = steps(function* (text: string, contentType: string, plan: EncryptionPlan | undefined, inquiry: Signing) {
  if (plan === undefined) return text
  const { alg, enc, keys: source } = plan
  const failed = (cause: string) => new PortFailed({ port: "Jwts", operation: "encrypt", cause })
  const { keys, reason } = yield* keysOf(source, false, inquiry)
  if (keys === undefined) return yield* Effect.fail(failed(reason))
  const sealed = yield* inquiry.ports.jwts.encrypt(text, contentType, { alg, enc }, keys)
  return sealed ?? (yield* Effect.fail(failed(`the client has no key for ${alg}`)))
})

/**
 * Signs the planned tokens. The ID token has the `at_hash` of the access token, the `c_hash` of the code, and the `s_hash` of the state
 * that are returned with it.
 */
export const signTokens = steps(function* (inquiry: Inquiry, { accessToken: plan, idToken: planned, code, state }: TokenPlan) {
  const { ports } = inquiry
  const accessToken = yield* signAccessToken(ports, plan)
  if (planned === undefined) return { accessToken, idToken: undefined }
  const { alg, claims, encryption } = planned
  const hashes = {
    ...(accessToken === undefined ? {} : { at_hash: yield* halfHash(ports, alg, accessToken) }),
    ...(code === undefined ? {} : { c_hash: yield* halfHash(ports, alg, code) }),
    ...(state === undefined ? {} : { s_hash: yield* halfHash(ports, alg, state) }),
  }
  const signed = yield* ports.signer.sign({ alg, typ: "JWT", claims: { ...claims, ...hashes } })
  return { accessToken, idToken: yield* encrypted(signed, "JWT", encryption, inquiry) }
})

/** Signs, encrypts, or both, a JWT that is the whole response body. */
export const signJwt = steps(function* (inquiry: Signing, { alg, typ, claims, encryption }: Omit<JwtPlan, "contentType">) {
  if (alg === undefined) return yield* encrypted(JSON.stringify(claims), "json", encryption, inquiry)
  return yield* encrypted(yield* inquiry.ports.signer.sign({ alg, typ, claims }), "JWT", encryption, inquiry)
})

/** Returns tokens as parameters of an authorization response (RFC 6749 §4.2.2, OpenID Connect Core §3.2.2.5). */
const frontChannel = (plan: TokenPlan | undefined, signed: SignedTokens | undefined): ReadonlyArray<readonly [string, string]> => {
  if (plan === undefined || signed === undefined) return []
  const { accessToken, idToken } = signed
  const access: ReadonlyArray<readonly [string, string]> =
    accessToken === undefined
      ? []
      : [
          ["access_token", accessToken],
          ["token_type", plan.tokenType],
          ["expires_in", String(plan.expiresIn)],
          ...(plan.scope.length === 0 ? [] : ([["scope", plan.scope.join(" ")]] as const)),
          ...(plan.authorizationDetails === undefined
            ? []
            : ([["authorization_details", JSON.stringify(plan.authorizationDetails)]] as const)),
        ]
  return idToken === undefined ? access : [...access, ["id_token", idToken]]
}

/** Returns the parameters of an authorization response, always with `state` and `iss` (RFC 9207 §2). */
export const responseParams = (
  { callback: { state, added = [] }, params, tokens }: SendBack,
  signed: SignedTokens | undefined,
  issuer: string,
): ResponseParams => [
  ...params,
  ...frontChannel(tokens, signed),
  ...(state === undefined ? [] : ([["state", state]] as const)),
  ["iss", issuer],
  ...added,
]

/** Signs the response itself if its mode requires it; undefined if its parameters are sent unsigned. */
export const signResponse = (
  inquiry: Inquiry,
  decision: SendBack,
  signed: SignedTokens | undefined,
): Effect.Effect<string | undefined, PortFailed> => {
  const { callback } = decision
  const { issuer } = inquiry.ports.settings
  if (callback.mode.sign === undefined) return Effect.succeed(undefined)
  return signJwt(inquiry, callback.mode.sign(responseParams(decision, signed, issuer), { ...callback, issuer, now: inquiry.now }))
}

type SendBack = Extract<Decision, { readonly _tag: "SendBack" }>
