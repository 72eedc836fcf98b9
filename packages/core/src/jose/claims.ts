import type { JsonObject } from "../model/index.ts"

/** The claims of a payload; undefined for anything but a JSON object. */
export const readClaims = (payload: Uint8Array): JsonObject | undefined => {
  try {
    const claims: unknown = JSON.parse(new TextDecoder().decode(payload))
    // JSON.parse makes JSON, which it cannot say by type.
    return typeof claims === "object" && claims !== null && !Array.isArray(claims) ? (claims as JsonObject) : undefined
  } catch {
    return undefined
  }
}
