import { authenticationMembers } from "../client-authentication/index.ts"
import type { Feature } from "../feature.ts"
import { revocation } from "./index.ts"

/** Token revocation: RFC 7009. */
export const feature: Feature = {
  name: "revocation",
  endpoints: () => [revocation],
  discovery: ({ url, clientAuthentication }) => ({
    revocation_endpoint: url(revocation.path),
    ...authenticationMembers("revocation_endpoint", clientAuthentication),
  }),
}
