import type { JsonObject } from "../model/index.ts"
import { jwtParts, longestJwt, readJwtPart } from "../wire/index.ts"

/** The unverified claims of a JWT of at most 16,384 characters. They may be used only to find the keys with which to verify it. */
export const statedClaims = (jwt: string): JsonObject | undefined => {
  const parts = jwt.length > longestJwt ? [] : jwtParts(jwt)
  return parts.length === 3 ? readJwtPart(parts[1]) : undefined
}
