import type { Feature } from "../feature.ts"
import { upstreamLogout as endpointOf } from "./endpoint.ts"
import { keptWithSession, remembered, upstreamSessions } from "./rows.ts"
import { deliverRest, restMessage } from "./sessions.ts"

/**
 * Takes the logout tokens of the providers that people sign in at (OpenID Connect Back-Channel Logout): whoever signs out there is signed out here. Not among the
 * default features. The IdentityProviders port must have `logoutKeys`, as that of `@postern/adapter-http/upstream` does. Of somebody with more than 1,000 sessions the
 * deliveries of `deliveriesOf` end the rest.
 *
 * ```ts
 * createProvider({ ...options, features: [...defaultFeatures, upstreamLogout()] })
 * ```
 */
export const upstreamLogout = (): Feature => ({
  name: "upstream-logout",
  endpoints: ({ identityProviders }) => identityProviders.map(endpointOf),
  tables: endpointOf({ name: "", displayName: "" }).tables ?? [],
  rows: [upstreamSessions],
  upstreamSignIns: [remembered],
  sessionUses: [keptWithSession],
  deliveries: { [restMessage]: deliverRest },
})
