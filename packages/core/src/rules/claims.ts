import { type Catalog, type Client, type Json, isJsonObject, parseJsonObject } from "../model/index.ts"

/** A request for one claim by name (OpenID Connect Core §5.5.1). */
export interface WantedClaim {
  readonly name: string
  readonly essential: boolean
  /** The accepted values; empty if any value is accepted. */
  readonly values: ReadonlyArray<Json>
}

/** The claims in a `claims` parameter (OpenID Connect Core §5.5). */
export interface ClaimsRequest {
  readonly userinfo: ReadonlyArray<WantedClaim>
  readonly idToken: ReadonlyArray<WantedClaim>
}

const wanted = (name: string, how: Json): WantedClaim | undefined => {
  if (how === null) return { name, essential: false, values: [] }
  if (!isJsonObject(how)) return undefined
  const { essential = false, value, values = [] } = how
  if (typeof essential !== "boolean" || !Array.isArray(values)) return undefined
  return { name, essential, values: value === undefined ? values : [value] }
}

/** The maximum number of claims requested by name in one place, which is many times the number of known claims. */
const mostClaims = 200

const wantedOf = (place: Json | undefined): ReadonlyArray<WantedClaim> | undefined => {
  if (place === undefined || place === null) return []
  if (!isJsonObject(place) || Object.keys(place).length > mostClaims) return undefined
  const each = Object.entries(place).map(([name, how]) => wanted(name, how))
  return each.every((claim) => claim !== undefined) ? each : undefined
}

/** Reads a `claims` parameter; undefined if there is none or it is invalid. Members other than `userinfo` and `id_token` are ignored. */
export const readClaimsRequest = (text: string | undefined): ClaimsRequest | undefined => {
  const request = text === undefined ? undefined : parseJsonObject(text)
  if (request === undefined) return undefined
  const userinfo = wantedOf(request["userinfo"])
  const idToken = wantedOf(request["id_token"])
  return userinfo === undefined || idToken === undefined ? undefined : { userinfo, idToken }
}

/** Returns the claims of scopes. */
const claimsOf = ({ identity }: Catalog, scope: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(scope.flatMap((name) => identity.get(name)?.claims ?? []))

/** Returns the claims that a client may receive: those of its allowed identity scopes. */
const claimable = (known: Catalog, { scope }: Client): ReadonlySet<string> => claimsOf(known, scope)

/** Returns the granted claims that the client may still receive: the operator may have taken their scopes from it since. */
export const stillClaimable = (known: Catalog, client: Client, names: ReadonlyArray<string> = []): ReadonlyArray<string> => {
  if (names.length === 0) return names
  const may = claimable(known, client)
  return names.filter((name) => may.has(name))
}

/** Returns the word for a named claim in a consent. Scopes contain no space, so it cannot be one. */
const consentWord = (claim: string): string => `claim ${claim}`

/** Returns the named claim of a word in a consent; undefined for a scope. */
export const claimOfWord = (word: string): string | undefined => (word.startsWith("claim ") ? word.slice(6) : undefined)

/** Returns the claims requested by name that no requested scope includes, as words of a consent, because a person decides on each. */
export const claimWords = (
  known: Catalog,
  client: Client,
  scope: ReadonlyArray<string>,
  request: ClaimsRequest | undefined,
): ReadonlyArray<string> => {
  if (request === undefined) return []
  const may = claimable(known, client)
  const given = claimsOf(known, scope)
  const names = new Set([...request.userinfo, ...request.idToken].map(({ name }) => name))
  return [...names].filter((name) => name !== "sub" && may.has(name) && !given.has(name)).map(consentWord)
}

/** A person's answer to a request for scopes, and for claims by name. */
export interface Answered {
  readonly requested: ReadonlyArray<string>
  readonly granted: ReadonlyArray<string>
  /** The words of the consent that the person deselected. */
  readonly refused: ReadonlyArray<string>
}

/**
 * Returns the granted ones of the requested claims: the client may receive them, and the person did not object. A person who deselects a
 * scope objects to its claims, also to those that are requested by name.
 */
export const grantedClaims = (
  known: Catalog,
  client: Client,
  wantedNames: ReadonlyArray<WantedClaim>,
  { requested, granted, refused }: Answered,
): ReadonlyArray<string> => {
  const may = claimable(known, client)
  const [asked, given] = [claimsOf(known, requested), claimsOf(known, granted)]
  return wantedNames
    .map(({ name }) => name)
    .filter((name) => may.has(name) && (asked.has(name) ? given.has(name) : !refused.includes(consentWord(name))))
}
