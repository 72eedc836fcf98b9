import {
  type CompactJWSHeaderParameters,
  type FlattenedJWSInput,
  type JWK,
  compactVerify,
  createLocalJWKSet,
  decodeProtectedHeader,
} from "jose"
// Imported by name, because the object of all jose errors is not needed and no bundle could omit it.
import { JOSEError, JWKSMultipleMatchingKeys, JWKSNoMatchingKey } from "jose/errors"
import type { JsonObject, JwkSet } from "../model/index.ts"
import type { JwtVerdict, JwtsPort } from "../ports/index.ts"
import { readClaims } from "./claims.ts"
import { compact } from "./compact.ts"

type Resolve = ReturnType<typeof createLocalJWKSet>

/** Parsed sets, by identity, because a set is fetched or stated once and used for many tokens. */
const resolvers = new WeakMap<JwkSet, Resolve>()

const resolverOf = (keys: JwkSet): Resolve => {
  const known = resolvers.get(keys)
  if (known !== undefined) return known
  // jose checks the members of each key on import; until then, a set is any JSON.
  const made = createLocalJWKSet({ keys: keys.keys as Array<JWK> })
  resolvers.set(keys, made)
  return made
}

const reasonOf = (error: unknown): string => (error instanceof JOSEError ? error.message : "the JWT cannot be read")

const verdict = (payload: Uint8Array, protectedHeader: CompactJWSHeaderParameters): JwtVerdict => {
  const claims = readClaims(payload)
  // A header that jose has parsed is a JSON object.
  return claims === undefined
    ? { _tag: "Invalid", reason: "its payload is no JSON object" }
    : { _tag: "Verified", header: protectedHeader as JsonObject, claims }
}

/**
 * Reports whether a secret is at least as long as the digest of a JWT's algorithm (RFC 7518 §3.2). Other algorithms are not checked here.
 */
const isLongEnough = (jwt: string, secret: Uint8Array): boolean => {
  const { alg = "" } = decodeProtectedHeader(jwt)
  return secret.length * 8 >= Number(/^HS(\d{3})$/.exec(alg)?.[1] ?? 0)
}

/** Tries each suitable key if a set has several for a token without a kid. */
const verifyAmong = async (jwt: string, candidates: JWKSMultipleMatchingKeys, algorithms: ReadonlyArray<string>): Promise<JwtVerdict> => {
  for await (const key of candidates) {
    const verified = await compactVerify(jwt, key, { algorithms: [...algorithms] }).catch(() => undefined)
    if (verified !== undefined) return verdict(verified.payload, verified.protectedHeader)
  }
  return { _tag: "NoKey", reason: "no key of the set made its signature" }
}

/** Verifies the signature of a JWT with a key of a set, using jose. Only listed algorithms are accepted. */
export const verify: JwtsPort["verify"] = async (jwt, keys, algorithms) => {
  try {
    const resolve = resolverOf(keys)
    const key = (header: CompactJWSHeaderParameters, input: FlattenedJWSInput) => resolve(header, input)
    const { payload, protectedHeader } = await compactVerify(compact(jwt), key, { algorithms: [...algorithms] })
    return verdict(payload, protectedHeader)
  } catch (error) {
    if (error instanceof JWKSMultipleMatchingKeys) return verifyAmong(jwt, error, algorithms)
    if (error instanceof JWKSNoMatchingKey) return { _tag: "NoKey", reason: "the set has no key that it names" }
    return { _tag: "Invalid", reason: reasonOf(error) }
  }
}

/** Verifies a signature with a shared secret. */
export const verifySecret: JwtsPort["verifySecret"] = async (jwt, secret, algorithms) => {
  try {
    const key = new TextEncoder().encode(secret.reveal())
    if (!isLongEnough(jwt, key)) return { _tag: "Invalid", reason: "the secret is shorter than the digest of its algorithm" }
    const { payload, protectedHeader } = await compactVerify(compact(jwt), key, { algorithms: [...algorithms] })
    return verdict(payload, protectedHeader)
  } catch (error) {
    return { _tag: "Invalid", reason: reasonOf(error) }
  }
}

/**
 * Verifies JWTs with keys of other parties, using jose, without encryption. A provider for small bundles uses it and cannot encrypt; one
 * whose clients may request encrypted responses needs `joseJwts`.
 */
export const joseJwsVerifier: JwtsPort = {
  verify,
  verifySecret,
  encrypt: () => {
    throw new Error("nothing is encrypted here: give the provider joseJwts of @postern/core/jose as its port jwts")
  },
}
