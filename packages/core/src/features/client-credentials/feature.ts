import type { Feature } from "../feature.ts"
import { clientCredentials } from "./index.ts"

/** The client credentials grant: RFC 6749 §4.4. */
export const feature: Feature = { name: "client-credentials", grants: [clientCredentials], registration: "client-credentials" }
