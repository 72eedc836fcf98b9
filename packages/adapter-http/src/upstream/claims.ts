import { type Json, type JsonObject, isJsonObject, reservedClaims, standardScopes } from "@postern/core/model"

/** The types of the standard claims that are not texts (OpenID Connect Core §5.1). */
const kinds: Readonly<Record<string, "flag" | "number" | "object">> = {
  email_verified: "flag",
  phone_number_verified: "flag",
  updated_at: "number",
  address: "object",
}

/** The scopes that OpenID Connect Core §5.4 defines for claims about a person. */
const personal = new Set(["profile", "email", "address", "phone"])

/** The standard claims about a person (OpenID Connect Core §5.1). */
export const standardClaims: ReadonlyArray<string> = standardScopes.flatMap(({ name, claims }) => (personal.has(name) ? claims : []))

/** The claim of the other provider that each of ours is taken from. */
export type ClaimMapping = Readonly<Record<string, string>>

/** The mapping of a provider that is told none: the standard claims as they are. */
export const usualMapping: ClaimMapping = Object.fromEntries(standardClaims.map((name) => [name, name]))

/** Claims by which a provider vouches for what somebody else could misuse: an address that opens accounts elsewhere (OpenID Connect Core §5.7). */
export const vouchingClaims = ["email_verified", "phone_number_verified"] as const

/** A claim by which a provider vouches for an address. */
export type VouchingClaim = (typeof vouchingClaims)[number]

/** A mapping without the vouching claims that a provider is not trusted for. */
export const trustedMapping = (mapping: ClaimMapping, trusted: ReadonlyArray<VouchingClaim>): ClaimMapping =>
  Object.fromEntries(Object.entries(mapping).filter(([ours]) => vouchingClaims.every((name) => name !== ours || trusted.includes(name))))

/** A claim with the type that its name has; undefined where it has another. Some providers write `"true"` for true. */
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

/** The claims of ours that are not among theirs. */
export const missing = (mapping: ClaimMapping, theirs: JsonObject): boolean =>
  Object.values(mapping).some((name) => !Object.hasOwn(theirs, name))

/** Our claims out of theirs. What only the provider itself states is never taken, whatever a mapping says. */
export const mapped = (mapping: ClaimMapping, theirs: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(mapping).flatMap(([ours, name]) => {
      const value = Object.hasOwn(theirs, name) ? theirs[name] : undefined
      const kept = value === undefined || reservedClaims.has(ours) ? undefined : fitting(ours, value)
      return kept === undefined ? [] : [[ours, kept]]
    }),
  )
