import { type Json, type JsonObject, isJsonObject, reservedClaims, standardScopes } from "@postern/core/model"

/** The types of the standard claims that are not strings (OpenID Connect Core §5.1). */
const kinds: Readonly<Record<string, "flag" | "number" | "object">> = {
  email_verified: "flag",
  phone_number_verified: "flag",
  updated_at: "number",
  address: "object",
}

/** The scopes that OpenID Connect Core §5.4 defines for user claims. */
const personal = new Set(["profile", "email", "address", "phone"])

/** The standard user claims (OpenID Connect Core §5.1). */
export const standardClaims: ReadonlyArray<string> = standardScopes.flatMap(({ name, claims }) => (personal.has(name) ? claims : []))

/** A mapping from our claims to those of the other provider. */
export type ClaimMapping = Readonly<Record<string, string>>

/** The default mapping, which takes the standard claims unchanged. */
export const usualMapping: ClaimMapping = Object.fromEntries(standardClaims.map((name) => [name, name]))

/**
 * Claims by which a provider vouches for an address. A false one could be misused to take over accounts that are looked up by address
 * (OpenID Connect Core §5.7).
 */
export const vouchingClaims = ["email_verified", "phone_number_verified"] as const

/** A claim by which a provider vouches for an address. */
export type VouchingClaim = (typeof vouchingClaims)[number]

/** Returns a mapping without the vouching claims that a provider is not trusted for. */
export const trustedMapping = (mapping: ClaimMapping, trusted: ReadonlyArray<VouchingClaim>): ClaimMapping =>
  Object.fromEntries(Object.entries(mapping).filter(([ours]) => vouchingClaims.every((name) => name !== ours || trusted.includes(name))))

/** Converts a claim to the type of its name; undefined if it has another type. Some providers write `"true"` for true. */
const fitting = (name: string, value: Json): Json | undefined => {
  switch (Object.hasOwn(kinds, name) ? kinds[name] : undefined) {
    case "flag":
      if (value === "true" || value === "false") return value === "true"
      return typeof value === "boolean" ? value : undefined
    case "number":
      return typeof value === "number" ? value : undefined
    case "object":
      return isJsonObject(value) ? value : undefined
    case undefined:
      if (standardClaims.includes(name)) return typeof value === "string" && value !== "" ? value : undefined
      return value === null ? undefined : value
  }
}

/** Reports whether the provider's claims lack any of the mapped ones. */
export const missing = (mapping: ClaimMapping, theirs: JsonObject): boolean =>
  Object.values(mapping).some((name) => !Object.hasOwn(theirs, name))

/** Maps the provider's claims to ours. Claims that only our own provider may state are never taken, whatever the mapping. */
export const mapped = (mapping: ClaimMapping, theirs: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(mapping).flatMap(([ours, name]) => {
      const value = Object.hasOwn(theirs, name) ? theirs[name] : undefined
      const kept = value === undefined || reservedClaims.has(ours) ? undefined : fitting(ours, value)
      return kept === undefined ? [] : [[ours, kept]]
    }),
  )
