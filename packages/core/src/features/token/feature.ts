import { tokenPath } from "../../rules/clientAuthentication.ts"
import { authenticationMembers } from "../client-authentication/index.ts"
import type { Feature } from "../feature.ts"
import { extensionTables } from "./extension.ts"
import { token } from "./index.ts"
import { clientMetadata, lifetimes } from "./metadata.ts"
import { registration } from "./registration.ts"

/** The token endpoint: RFC 6749 §3.2. */
export const feature: Feature = {
  name: "token",
  clientMetadata,
  lifetimes,
  registration,
  endpoints: ({ grants, extensionGrants }) => [token(grants, extensionGrants)],
  tables: extensionTables,
  discovery: ({ url, clientAuthentication }) => ({
    token_endpoint: url(tokenPath),
    ...authenticationMembers("token_endpoint", clientAuthentication),
  }),
}
