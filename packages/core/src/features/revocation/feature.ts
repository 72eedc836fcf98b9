import { assertionAlgorithms } from "../../rules/clientAssertion.ts"
import type { Feature } from "../feature.ts"
import { revocation } from "./index.ts"

/** Token revocation: RFC 7009. */
export const feature: Feature = {
  name: "revocation",
  endpoints: () => [revocation],
  discovery: ({ url, clientAuthentication }) => ({
    revocation_endpoint: url(revocation.path),
    revocation_endpoint_auth_methods_supported: clientAuthentication,
    revocation_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
  }),
}
