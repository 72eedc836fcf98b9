import type { JsonObject } from "../model/index.ts"
import { jwtParts, longestJwt, readJwtPart } from "../wire/index.ts"

/**
 * The claims that a JWT of at most 16,384 characters states, before anything of it is verified: to find out whose keys to verify it with, and for
 * nothing else.
 */
export const statedClaims = (jwt: string): JsonObject | undefined => {
  const parts = jwt.length > longestJwt ? [] : jwtParts(jwt)
  return parts.length === 3 ? readJwtPart(parts[1]) : undefined
}
