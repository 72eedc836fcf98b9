import type { Instant, JsonObject, MetadataPlan, Seconds, SigningAlgorithm } from "../model/index.ts"
import type { PublicJwk } from "../ports/index.ts"

/** The time for which a plan is kept: anybody may keep the answer as long. */
const keptFor: Seconds = 300

/** The circumstances that signed metadata depend on. */
interface Signing {
  readonly issuer: string
  /** The `typ` of the JWT: no token of ours has it (RFC 8725 §3.11). */
  readonly typ: string
  readonly alg: SigningAlgorithm
  /** The published keys. The same list means that nothing changed. */
  readonly keys: ReadonlyArray<PublicJwk>
  readonly now: Instant
}

/** The plan that was made last for metadata, of one issuer at one place. */
const plans = new WeakMap<JsonObject, Pick<Signing, "alg" | "keys" | "now"> & { readonly plan: MetadataPlan }>()

/** Plans the signature of metadata (RFC 8414 §2.1, RFC 9728 §2.2): the same plan while its answer may be kept and the keys are the same, so that nobody can have us sign at will. */
export const planOf = (described: JsonObject, { issuer, typ, alg, keys, now }: Signing): MetadataPlan => {
  const before = plans.get(described)
  const isKept = before?.alg === alg && before.keys === keys && now >= before.now && now < before.now + keptFor
  if (isKept) return before.plan
  const plan: MetadataPlan = { alg, typ, claims: { ...described, iss: issuer, iat: now }, encryption: undefined }
  plans.set(described, { alg, keys, now, plan })
  return plan
}
