import type { Feature } from "../feature.ts"
import { upstreamLogout as endpointOf } from "./endpoint.ts"
import { keptWithSession, remembered, upstreamSessions } from "./rows.ts"
import { deliverRest, restMessage } from "./sessions.ts"

/**
 * Accepts the logout tokens of the providers at which people sign in (OpenID Connect Back-Channel Logout), so that a sign-out there is also
 * a sign-out here. It is not one of the default features. The IdentityProviders port must have `logoutKeys`, as that of
 * `@postern/adapter-http/upstream` does. If a person has more than 1,000 sessions, the deliveries of `deliveriesOf` end the rest.
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
