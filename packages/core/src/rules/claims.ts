import { type Catalog, type Client, type Json, isJsonObject, parseJsonObject } from "../model/index.ts"

/** A request for one claim by name (OpenID Connect Core §5.5.1). */
export interface WantedClaim {
  readonly name: string
  readonly essential: boolean
  /** The only values that will do; empty when any will. */
  readonly values: ReadonlyArray<Json>
}

/** The claims that a `claims` parameter asks for (OpenID Connect Core §5.5). */
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

/** The most claims that may be asked for by name in one place: many times as many as there are. */
const mostClaims = 200

const wantedOf = (place: Json | undefined): ReadonlyArray<WantedClaim> | undefined => {
  if (place === undefined || place === null) return []
  if (!isJsonObject(place) || Object.keys(place).length > mostClaims) return undefined
  const each = Object.entries(place).map(([name, how]) => wanted(name, how))
  return each.every((claim) => claim !== undefined) ? each : undefined
}

/** Reads a `claims` parameter; undefined when there is none or it is not one. Members other than `userinfo` and `id_token` are ignored. */
export const readClaimsRequest = (text: string | undefined): ClaimsRequest | undefined => {
  const request = text === undefined ? undefined : parseJsonObject(text)
  if (request === undefined) return undefined
  const userinfo = wantedOf(request["userinfo"])
  const idToken = wantedOf(request["id_token"])
  return userinfo === undefined || idToken === undefined ? undefined : { userinfo, idToken }
}

/** The claims a client may be given: those of the identity scopes it is allowed. */
const claimable = ({ identity }: Catalog, { scope }: Client): ReadonlySet<string> =>
  new Set(scope.flatMap((name) => identity.get(name)?.claims ?? []))

/** A claim asked for by name, as a consent remembers it. No scope has a space in it. */
const consentWord = (claim: string): string => `claim ${claim}`

/** The claim that a word of a consent stands for; undefined for a scope. */
export const claimOfWord = (word: string): string | undefined => (word.startsWith("claim ") ? word.slice(6) : undefined)

/** The claims asked for by name that no requested scope gives, as words for a consent: a person is asked for each. */
export const claimWords = (
  known: Catalog,
  client: Client,
  scope: ReadonlyArray<string>,
  request: ClaimsRequest | undefined,
): ReadonlyArray<string> => {
  if (request === undefined) return []
  const may = claimable(known, client)
  const given = new Set(["sub", ...scope.flatMap((name) => known.identity.get(name)?.claims ?? [])])
  const names = new Set([...request.userinfo, ...request.idToken].map(({ name }) => name))
  return [...names].filter((name) => may.has(name) && !given.has(name)).map(consentWord)
}

/** The names among those wanted that were granted: the client may have them, and the person did not object. */
export const grantedClaims = (
  known: Catalog,
  client: Client,
  wantedNames: ReadonlyArray<WantedClaim>,
  refused: ReadonlyArray<string>,
): ReadonlyArray<string> => {
  const may = claimable(known, client)
  return wantedNames.map(({ name }) => name).filter((name) => may.has(name) && !refused.includes(consentWord(name)))
}
