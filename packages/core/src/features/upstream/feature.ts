import type { Feature } from "../feature.ts"
import { upstreamCallback } from "./callback.ts"
import { upstream } from "./index.ts"
import { clientMetadata } from "./metadata.ts"

/** Sign-in at other OpenID Providers. */
export const feature: Feature = {
  name: "upstream",
  clientMetadata,
  registration: "upstream",
  endpoints: ({ identityProviders }) => [upstream, ...identityProviders.map(upstreamCallback)],
  tables: upstreamCallback({ name: "", displayName: "" }).tables ?? [],
  signInRules: ["upstream.identified", "upstream.fresh", "upstream.admitted", "upstream.person-active"],
}
