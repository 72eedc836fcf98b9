import { assertionAlgorithms } from "../../rules/clientAssertion.ts"
import { clientAuthenticationMethods, tokenPath } from "../../rules/clientAuthentication.ts"
import type { Feature } from "../feature.ts"
import { extensionTables } from "./extension.ts"
import { token } from "./index.ts"
import { registration } from "./registration.ts"

/** The token endpoint and client authentication at it: RFC 6749 §2.3, §3.2. */
export const feature: Feature = {
  name: "token",
  registration,
  endpoints: ({ grants, extensionGrants }) => [token(grants, extensionGrants)],
  clientAuthentication: clientAuthenticationMethods,
  tables: extensionTables,
  discovery: ({ url, clientAuthentication: methods }) => ({
    token_endpoint: url(tokenPath),
    token_endpoint_auth_methods_supported: methods,
    token_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
  }),
}
