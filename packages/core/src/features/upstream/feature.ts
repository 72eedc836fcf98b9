import { ownForm } from "../../settle/ownForm.ts"
import type { Feature } from "../feature.ts"
import { callbackTables, upstreamCallback } from "./callback.ts"
import { choiceTables, upstream } from "./index.ts"

/** Sign-in at other OpenID Providers. */
export const feature: Feature = {
  name: "upstream",
  endpoints: ({ identityProviders }) => [ownForm(upstream), ...identityProviders.map(upstreamCallback)],
  tables: [...choiceTables, ...callbackTables],
}
