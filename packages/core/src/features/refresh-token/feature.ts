import type { Feature } from "../feature.ts"
import { refreshToken } from "./index.ts"
import { registration } from "./registration.ts"

/** The refresh token grant: RFC 6749 §6. */
export const feature: Feature = { name: "refresh-token", grants: [refreshToken], registration }
