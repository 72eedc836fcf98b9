import type { Feature } from "../feature.ts"
import { authorizationCode } from "./index.ts"

/** The authorization code grant: RFC 6749 §4.1. */
export const feature: Feature = { name: "authorization-code", grants: [authorizationCode] }
