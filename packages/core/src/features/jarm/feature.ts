import { contentEncryptionAlgorithms, keyEncryptionAlgorithms } from "../../model/index.ts"
import type { Feature } from "../feature.ts"
import { formPostJwt, fragmentJwt, jwt, queryJwt } from "./index.ts"
import { encryptionAlg, encryptionEnc, signingAlg } from "./metadata.ts"

/** Authorization responses as JWTs: JWT Secured Authorization Response Mode (JARM). */
export const feature: Feature = {
  name: "jarm",
  responseModes: [jwt, queryJwt, fragmentJwt, formPostJwt],
  clientMetadata: [signingAlg, encryptionAlg, encryptionEnc],
  registration: "jarm",
  discovery: ({ signing }) => ({
    authorization_signing_alg_values_supported: signing,
    authorization_encryption_alg_values_supported: keyEncryptionAlgorithms,
    authorization_encryption_enc_values_supported: contentEncryptionAlgorithms,
  }),
}
