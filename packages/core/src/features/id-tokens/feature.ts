import type { Feature } from "../feature.ts"
import { clientMetadata, lifetimes } from "./metadata.ts"

/** ID tokens: OpenID Connect Core §2, §10. `issuance/` makes them for every grant. */
export const feature: Feature = { name: "id-tokens", clientMetadata, lifetimes, registration: "id-tokens" }
