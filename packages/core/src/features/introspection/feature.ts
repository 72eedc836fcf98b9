import { authenticationMembers } from "../client-authentication/index.ts"
import type { Feature } from "../feature.ts"
import { contentEncryptionAlgorithms, keyEncryptionAlgorithms } from "../../model/index.ts"
import { introspection } from "./index.ts"
import { clientMetadata } from "./metadata.ts"

/** Token introspection: RFC 7662, and as a JWT RFC 9701. */
export const feature: Feature = {
  name: "introspection",
  clientMetadata,
  registration: "introspection",
  endpoints: () => [introspection],
  discovery: ({ url, signing, clientAuthentication }) => ({
    introspection_endpoint: url(introspection.path),
    ...authenticationMembers(
      "introspection_endpoint",
      clientAuthentication.filter(({ method }) => method !== "none"),
    ),
    introspection_signing_alg_values_supported: signing,
    introspection_encryption_alg_values_supported: keyEncryptionAlgorithms,
    introspection_encryption_enc_values_supported: contentEncryptionAlgorithms,
  }),
}
