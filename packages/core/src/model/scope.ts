import type { Json, JsonObject } from "./json.ts"

/** An identity scope: a name for a set of claims about a person (OpenID Connect Core §5.4). */
export interface IdentityScope {
  /** The scope. */
  readonly name: string
  /** The claims it releases. */
  readonly claims: ReadonlyArray<string>
  /** A required scope cannot be unticked on the consent page. */
  readonly required: boolean
  /** The name on the consent page. If omitted, the pages use their own text. */
  readonly title?: string | undefined
  /** A sentence about it on the consent page. */
  readonly description?: string | undefined
}

/** A scope that a protected resource understands (RFC 6749 §3.3). */
export interface ResourceScope {
  /** The scope. */
  readonly name: string
  /** True if it cannot be unticked on the consent page. */
  readonly required: boolean
  /** The name on the consent page; the scope itself by default. */
  readonly title?: string | undefined
  /** A sentence about it on the consent page. */
  readonly description?: string | undefined
}

/** A protected resource: an audience and the scopes it owns (RFC 8707 §2). */
export interface Resource {
  /** The identifier: the audience of its tokens, and the value of `resource`. */
  readonly identifier: string
  /** The name on the consent page; the identifier by default. */
  readonly title?: string | undefined
  /** The scopes it understands. */
  readonly scopes: ReadonlyArray<ResourceScope>
  /**
   * Further members of its metadata (RFC 9728 §2). If present, even as `{}`, the provider serves the metadata, and the identifier must be a
   * URL.
   */
  readonly metadata?: JsonObject | undefined
  /**
   * True if the provider's own metadata lists it in `protected_resources` (RFC 9728 §4). By default, it is listed if its metadata is
   * served.
   */
  readonly listed?: boolean | undefined
  /** True if the provider also signs its metadata, so that the document has `signed_metadata` (RFC 9728 §2.2). False by default. */
  readonly signed?: boolean | undefined
}

/** The scope that asks for a refresh token (OpenID Connect Core §11). */
export const offlineAccess = "offline_access"

/** Every scope the provider knows, indexed for the rules. */
export interface Catalog {
  /** The identity scopes, in the order of declaration. */
  readonly identityScopes: ReadonlyArray<IdentityScope>
  /** The resources, in the order of declaration. */
  readonly resources: ReadonlyArray<Resource>
  /** The identity scopes by name. */
  readonly identity: ReadonlyMap<string, IdentityScope>
  /** The scopes of resources by name. */
  readonly resource: ReadonlyMap<string, ResourceScope>
  /** The identifiers of the resources that own a scope. */
  readonly owners: ReadonlyMap<string, ReadonlyArray<string>>
  /** Every scope name, `offline_access` included, in the order of declaration. */
  readonly names: ReadonlyArray<string>
}

/** Indexes the declared scopes. A later declaration of a name replaces an earlier one. */
export const catalog = (identityScopes: ReadonlyArray<IdentityScope>, resources: ReadonlyArray<Resource>): Catalog => {
  const owners = new Map<string, Array<string>>()
  const resource = new Map<string, ResourceScope>()
  for (const { identifier, scopes } of resources) {
    for (const scope of scopes) {
      resource.set(scope.name, scope)
      owners.set(scope.name, [...(owners.get(scope.name) ?? []), identifier])
    }
  }
  const identity = new Map(identityScopes.map((scope) => [scope.name, scope]))
  const names = [...new Set([...identity.keys(), ...resource.keys(), offlineAccess])]
  return { identityScopes: [...identity.values()], resources, identity, resource, owners, names }
}

/** The identity scopes of OpenID Connect Core §5.4, `openid` itself, and `role` (specification §2.5). */
export const standardScopes: ReadonlyArray<IdentityScope> = [
  { name: "openid", claims: ["sub"], required: true },
  {
    name: "profile",
    required: false,
    claims: [
      "name",
      "given_name",
      "family_name",
      "middle_name",
      "nickname",
      "preferred_username",
      "profile",
      "picture",
      "website",
      "gender",
      "birthdate",
      "zoneinfo",
      "locale",
      "updated_at",
    ],
  },
  { name: "email", claims: ["email", "email_verified"], required: false },
  { name: "address", claims: ["address"], required: false },
  { name: "phone", claims: ["phone_number", "phone_number_verified"], required: false },
  { name: "role", claims: ["role"], required: false },
]

/** Removes duplicates and keeps the order. Most lists hold one value or none. */
export const distinct = (values: ReadonlyArray<string>): ReadonlyArray<string> => (values.length < 2 ? values : [...new Set(values)])

/** Splits a scope parameter into distinct scope values, in the order given (RFC 6749 §3.3). */
export const scopeWords = (scope: string): ReadonlyArray<string> => distinct(scope.split(" ").filter((word) => word !== ""))

/** Returns the audiences of a set of scopes: every resource that owns one of them, or an empty list. */
export const audiences = (known: Catalog, scope: ReadonlyArray<string>): ReadonlyArray<string> =>
  distinct(scope.flatMap((name) => known.owners.get(name) ?? []))

/**
 * Reports whether a claim has a value: neither null, blank, the string "null", nor an object of such values (OpenID Connect Core §5.3.2).
 */
const says = (value: Json | undefined): value is Json => {
  if (value === undefined || value === null) return false
  if (typeof value === "string") return value.trim() !== "" && value !== "null"
  return typeof value !== "object" || Array.isArray(value) || Object.values(value).some(says)
}

/** The part of a person's claims that is to be released. */
export interface Release {
  /** The granted scopes. */
  readonly scope: ReadonlyArray<string>
  /** Claims granted by name (OpenID Connect Core §5.5). */
  readonly names: ReadonlyArray<string>
  /** Requested languages in addition to the plain claim, as `name#fr` (OpenID Connect Core §5.2). */
  readonly locales: ReadonlyArray<string>
}

/** Selects the claims that the scopes and names release. Absent and empty claims are omitted. */
export const releasedClaims = (
  known: Catalog,
  { scope, names, locales }: Release,
  claims: Readonly<Record<string, Json>>,
): Record<string, Json> => {
  const released: Record<string, Json> = {}
  const release = (claim: string): void => {
    const value = claims[claim]
    // A single role becomes a list, so that its reader need not handle both forms (specification §2.5).
    if (claim !== "sub" && says(value)) released[claim] = claim === "role" && typeof value === "string" ? [value] : value
  }
  const releaseAll = (wanted: ReadonlyArray<string>): void => {
    for (const claim of wanted) {
      release(claim)
      for (const locale of locales) release(`${claim}#${locale}`)
    }
  }
  for (const name of scope) releaseAll(known.identity.get(name)?.claims ?? [])
  releaseAll(names)
  return released
}
