import type { Instant, MetadataPlan, Seconds, SigningAlgorithm } from "../../model/index.ts"
import type { PublicJwk } from "../../ports/index.ts"
import type { Described } from "./metadata.ts"

/** The `typ` of signed metadata: no token of ours has it (RFC 8725 §3.11). */
const metadataType = "oauth-protected-resource+jwt"

/** The time for which a plan is kept: anybody may keep the answer as long. */
const keptFor: Seconds = 300

/** The circumstances that signed metadata depend on. */
interface Signing {
  readonly issuer: string
  readonly alg: SigningAlgorithm
  /** The published keys. The same list means that nothing changed. */
  readonly keys: ReadonlyArray<PublicJwk>
  readonly now: Instant
}

/** The plan that was made last for metadata, of one issuer at one place. */
const plans = new WeakMap<Described, Pick<Signing, "alg" | "keys" | "now"> & { readonly plan: MetadataPlan }>()

/** Plans the signature of metadata (RFC 9728 §2.2): the same plan while its answer may be kept and the keys are the same, so that nobody can have us sign at will. */
export const planOf = (found: Described, { issuer, alg, keys, now }: Signing): MetadataPlan => {
  const before = plans.get(found)
  const isKept = before?.alg === alg && before.keys === keys && now >= before.now && now < before.now + keptFor
  if (isKept) return before.plan
  const claims = { ...found.described, iss: issuer, iat: now }
  const plan: MetadataPlan = { alg, typ: metadataType, claims, encryption: undefined }
  plans.set(found, { alg, keys, now, plan })
  return plan
}
