import type { JsonObject } from "../model/index.ts"

/** A compact JWS taken apart (RFC 7515 §7.1). Nothing of it is verified: it says what its sender wants to be believed. */
export interface UnverifiedJwt {
  /** The header. */
  readonly header: JsonObject
  /** The claims. */
  readonly claims: JsonObject
}

const readPart = (part: string | undefined): JsonObject | undefined => {
  if (part === undefined || !/^[A-Za-z0-9_-]+$/.test(part) || part.length % 4 === 1) return undefined
  try {
    const bytes = Uint8Array.from(atob(part.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0))
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    // What JSON.parse makes is JSON, which it cannot say by type.
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}

/** Takes a signed JWT apart; undefined for anything else. Total: any text reads as something or nothing. */
export const readJwt = (jwt: string): UnverifiedJwt | undefined => {
  const parts = jwt.split(".")
  const [header, claims] = parts.length === 3 ? [readPart(parts[0]), readPart(parts[1])] : []
  return header === undefined || claims === undefined ? undefined : { header, claims }
}
