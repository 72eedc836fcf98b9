import type { Client, Session, Settings } from "../model/index.ts"
import type { ClaimsRequest } from "./claims.ts"

/** The values that `acr_values` asks for (specification §2.1, §2.2 acr_values). */
export interface AcrAsked {
  /** The provider of `idp:NAME`. */
  readonly idp: string | undefined
  /** The tenant of `tenant:NAME`. */
  readonly tenant: string | undefined
  /** Every other value: authentication contexts, best first; those that `claims` asks for before them (OpenID Connect Core §3.1.2.1, §5.5.1.1). */
  readonly contexts: ReadonlyArray<string>
}

const special = ["idp:", "tenant:"] as const

/**
 * Reads `acr_values`, and the `acr` that `claims` asks for; a client's own defaults count where a request names neither (OpenID Connect
 * Dynamic Client Registration §2).
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
 * The authentication context that a sign-in reached: what was said of it, or else the default of a password or of another provider. So no
 * answer to `acr_values` is silent, not even of a session from before there were defaults (OpenID Connect Core §2, §3.1.2.1).
 */
export const acrReached = ({ acr }: Pick<Settings, "acr">, session: Pick<Session, "acr" | "idp">): string =>
  session.acr ?? (session.idp === undefined ? acr.password : acr.upstream)

/**
 * The wanted contexts that a new sign-in can reach and that are above the one reached, best first; none where the one reached is itself wanted. Only the
 * contexts of `acrValues` have an order, from weakest to strongest; every other one is below them (RFC 9470 §5).
 */
export const acrAbove = (
  { acrValues }: Pick<Settings, "acrValues">,
  wanted: ReadonlyArray<string>,
  reached: string,
): ReadonlyArray<string> =>
  wanted.includes(reached) ? [] : wanted.filter((value) => acrValues.indexOf(value) > acrValues.indexOf(reached))

/** Every authentication context that a sign-in can be said to have reached (OpenID Connect Discovery §3 acr_values_supported). */
export const acrValuesOf = ({ acr, acrValues, identityProviders }: Settings): ReadonlyArray<string> => [
  ...new Set([acr.password, ...(identityProviders.length === 0 ? [] : [acr.upstream]), ...acrValues]),
]

/** Reports whether a value can be an authentication context: one word of `acr_values`, of at most 200 characters, that names neither a provider nor a tenant. */
export const isContext = (value: unknown): value is string =>
  typeof value === "string" && /^(?!idp:|tenant:)[\x21-\x7e]{1,200}$/.test(value)

/** The most methods that a sign-in names. */
const mostMethods = 20

/** Reports whether a value can be the methods of a sign-in: at most 20, each of 1 to 50 printable ASCII characters (RFC 8176 §1). */
export const areMethods = (value: unknown): value is ReadonlyArray<string> =>
  // A list with holes has fewer values than it says.
  Array.isArray(value) &&
  value.length <= mostMethods &&
  Array.from(value).every((each) => typeof each === "string" && /^[\x21-\x7e]{1,50}$/.test(each))

/** Reports whether a context is one that a sign-in at this provider can be said to have reached, so that its word is ours to give. */
export const isOwnContext = ({ acr, acrValues }: Pick<Settings, "acr" | "acrValues">, context: string): boolean =>
  context === acr.password || context === acr.upstream || acrValues.includes(context)
