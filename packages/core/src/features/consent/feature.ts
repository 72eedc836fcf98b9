import type { Feature } from "../feature.ts"
import { consent } from "./index.ts"

/** The consent page: OpenID Connect Core §3.1.2.4. */
export const feature: Feature = { name: "consent", endpoints: () => [consent] }
