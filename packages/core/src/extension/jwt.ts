import * as Base64Url from "effect/encoding/Base64Url"
import type { JsonObject } from "../model/index.ts"

/** The claims that a JWT states, before anything of it is verified: to find out whose keys to verify it with, and for nothing else. */
export const statedClaims = (jwt: string): JsonObject | undefined => {
  const [, payload, seal, more] = jwt.split(".")
  if (payload === undefined || seal === undefined || more !== undefined) return undefined
  const text = Base64Url.decodeString(payload)
  if (text._tag === "Failure") return undefined
  try {
    const claims: unknown = JSON.parse(text.success)
    // What JSON.parse makes is JSON, which it cannot say by type.
    return typeof claims === "object" && claims !== null && !Array.isArray(claims) ? (claims as JsonObject) : undefined
  } catch {
    return undefined
  }
}
