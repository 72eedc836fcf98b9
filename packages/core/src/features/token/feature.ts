import { tokenPath } from "../../rules/clientAuthentication.ts"
import { authenticationMembers } from "../client-authentication/index.ts"
import type { Feature } from "../feature.ts"
import { token } from "./index.ts"
import { clientMetadata, lifetimes } from "./metadata.ts"

/** The token endpoint: RFC 6749 §3.2. */
export const feature: Feature = {
  name: "token",
  clientMetadata,
  lifetimes,
  registration: "token",
  endpoints: ({ grants, extensionGrants, defineExtension }) => [token([...grants, ...extensionGrants.map(defineExtension)])],
  discovery: ({ url, clientAuthentication }) => ({
    token_endpoint: url(tokenPath),
    ...authenticationMembers("token_endpoint", clientAuthentication),
  }),
}
