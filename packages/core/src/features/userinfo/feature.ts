import { Signature, clientField, contentEncryptionAlgorithms, encryptionFields, keyEncryptionAlgorithms } from "../../model/index.ts"
import type { Feature } from "../feature.ts"
import { userinfo } from "./index.ts"

/** Userinfo: OpenID Connect Core §5.3. */
export const feature: Feature = {
  name: "userinfo",
  endpoints: () => [userinfo],
  clientMetadata: [
    clientField("userinfo_signed_response_alg", Signature, "Algorithm that signs its userinfo. Default: plain JSON."),
    ...encryptionFields("userinfo", "its userinfo"),
  ],
  registration: "userinfo",
  discovery: ({ url, signing }) => ({
    userinfo_endpoint: url(userinfo.path),
    userinfo_signing_alg_values_supported: signing,
    userinfo_encryption_alg_values_supported: keyEncryptionAlgorithms,
    userinfo_encryption_enc_values_supported: contentEncryptionAlgorithms,
  }),
}
