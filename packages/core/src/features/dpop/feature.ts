import type { Feature } from "../feature.ts"
import { byProof, nonceHeader, proofHeader } from "./index.ts"
import { boundKinds, boundTokens, noncesRequired, proofLifetime } from "./metadata.ts"
import { proofAlgorithms } from "./proof.ts"

/** Proofs of possession to which tokens are bound (DPoP): RFC 9449. */
export const feature: Feature = {
  name: "dpop",
  confirmations: [byProof],
  authorizationParameters: [{ name: "dpop_jkt" }],
  clientMetadata: [boundTokens, boundKinds],
  providerSettings: [noncesRequired, proofLifetime, boundKinds],
  registration: "dpop",
  allowedHeaders: [proofHeader],
  exposedHeaders: [nonceHeader],
  discovery: () => ({ dpop_signing_alg_values_supported: proofAlgorithms }),
}
