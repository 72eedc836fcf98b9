import type { Instant, JsonObject, MetadataPlan, Seconds, SigningAlgorithm } from "../model/index.ts"
import type { PublicJwk } from "../ports/index.ts"

/** The time for which a plan is reused; the response may be cached for as long. */
const keptFor: Seconds = 300

/** The inputs of signed metadata. */
interface Signing {
  readonly issuer: string
  /** The `typ` of the JWT, which no token of this provider has (RFC 8725 §3.11). */
  readonly typ: string
  readonly alg: SigningAlgorithm
  /** The published keys. An identical list means that nothing changed. */
  readonly keys: ReadonlyArray<PublicJwk>
  readonly now: Instant
}

/** The latest plan for metadata, of one issuer at one place. */
const plans = new WeakMap<JsonObject, Pick<Signing, "alg" | "keys" | "now"> & { readonly plan: MetadataPlan }>()

/**
 * Plans the signature of metadata (RFC 8414 §2.1, RFC 9728 §2.2). The plan stays the same while the response may be cached and the keys are
 * the same, so that nobody can cause signatures at will.
 */
export const planOf = (described: JsonObject, { issuer, typ, alg, keys, now }: Signing): MetadataPlan => {
  const before = plans.get(described)
  const isKept = before?.alg === alg && before.keys === keys && now >= before.now && now < before.now + keptFor
  if (isKept) return before.plan
  const plan: MetadataPlan = { alg, typ, claims: { ...described, iss: issuer, iat: now }, encryption: undefined }
  plans.set(described, { alg, keys, now, plan })
  return plan
}
