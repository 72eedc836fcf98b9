import type { Client, Session, Settings } from "../model/index.ts"
import type { ClaimsRequest } from "./claims.ts"

/** The contents of `acr_values` (specification §2.1, §2.2 acr_values). */
export interface AcrAsked {
  /** The provider of `idp:NAME`. */
  readonly idp: string | undefined
  /** The tenant of `tenant:NAME`. */
  readonly tenant: string | undefined
  /**
   * All other values: authentication contexts, in order of preference, after those that `claims` requests (OpenID Connect Core §3.1.2.1,
   * §5.5.1.1).
   */
  readonly contexts: ReadonlyArray<string>
}

const special = ["idp:", "tenant:"] as const

/**
 * Reads `acr_values` and the `acr` in `claims`. The client's defaults apply if a request has neither (OpenID Connect Dynamic Client
 * Registration §2).
 */
export const acrAsked = (acrValues: string | undefined, client: Client | undefined, claims?: ClaimsRequest): AcrAsked => {
  const sent = acrValues?.split(" ").filter((word) => word !== "")
  const acr = claims?.idToken.find(({ name }) => name === "acr")
  const wanted = (acr?.values ?? []).filter((value) => typeof value === "string")
  const words = sent ?? (wanted.length > 0 ? [] : (client?.defaultAcrValues ?? []))
  const named = (prefix: (typeof special)[number]): string | undefined =>
    words.find((word) => word.startsWith(prefix) && word.length > prefix.length)?.slice(prefix.length)
  return {
    idp: named("idp:"),
    tenant: named("tenant:"),
    contexts: [...new Set([...wanted, ...words.filter((word) => !special.some((prefix) => word.startsWith(prefix)))])],
  }
}

/**
 * Returns the authentication context of a sign-in: the one stated for it, or the default of a password or of another provider. Every
 * `acr_values` therefore gets an `acr`, even for a session from before there were defaults (OpenID Connect Core §2, §3.1.2.1).
 */
export const acrReached = ({ acr }: Pick<Settings, "acr">, session: Pick<Session, "acr" | "idp">): string =>
  session.acr ?? (session.idp === undefined ? acr.password : acr.upstream)

/**
 * Returns the requested contexts that a new sign-in can satisfy and that are above the current one, in order of preference; none if the
 * current one is itself requested. Only the contexts of `acrValues` are ordered, from weakest to strongest; every other one is below them
 * (RFC 9470 §5).
 */
export const acrAbove = (
  { acrValues }: Pick<Settings, "acrValues">,
  wanted: ReadonlyArray<string>,
  reached: string,
): ReadonlyArray<string> =>
  wanted.includes(reached) ? [] : wanted.filter((value) => acrValues.indexOf(value) > acrValues.indexOf(reached))

/** Returns every authentication context that a sign-in can have (OpenID Connect Discovery §3 acr_values_supported). */
export const acrValuesOf = ({ acr, acrValues, identityProviders }: Settings): ReadonlyArray<string> => [
  ...new Set([acr.password, ...(identityProviders.length === 0 ? [] : [acr.upstream]), ...acrValues]),
]

/**
 * Reports whether a value is a valid authentication context: one word of `acr_values`, of at most 200 characters, that names neither a
 * provider nor a tenant.
 */
export const isContext = (value: unknown): value is string =>
  typeof value === "string" && /^(?!idp:|tenant:)[\x21-\x7e]{1,200}$/.test(value)

/** The maximum number of methods of a sign-in. */
const mostMethods = 20

/** Reports whether a value is a valid list of methods: at most 20, each of 1 to 50 printable ASCII characters (RFC 8176 §1). */
export const areMethods = (value: unknown): value is ReadonlyArray<string> =>
  // A sparse array has fewer keys than its length.
  Array.isArray(value) &&
  value.length <= mostMethods &&
  Array.from(value).every((each) => typeof each === "string" && /^[\x21-\x7e]{1,50}$/.test(each))

/** Reports whether a context is one that this provider itself assigns to sign-ins. */
export const isOwnContext = ({ acr, acrValues }: Pick<Settings, "acr" | "acrValues">, context: string): boolean =>
  context === acr.password || context === acr.upstream || acrValues.includes(context)
