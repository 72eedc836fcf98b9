import { type Confirmation, type Instant, type Json, type JsonObject, confirmationOf, scopeWords } from "@postern/core/model"

/** A verified access token. */
export interface AccessToken {
  /** The issuer that signed the token or answered its introspection. */
  readonly issuer: string
  /** The person, or the client if nobody signed in (RFC 9068 §2.2). Undefined if introspection states none. */
  readonly subject: string | undefined
  /** The client that the token was issued to. */
  readonly clientId: string | undefined
  /** The scope values. */
  readonly scope: ReadonlyArray<string>
  /** The resources that the token is intended for. */
  readonly audience: ReadonlyArray<string>
  /** The time at which the token was issued. */
  readonly issuedAt: Instant | undefined
  /** The time at which it expires; `Infinity` if introspection states none. */
  readonly expiresAt: Instant
  /** The time before which it is not yet valid. */
  readonly notBefore: Instant | undefined
  /** The token's `jti`. */
  readonly id: string | undefined
  /** The key or certificate that the token is bound to. Undefined for a bearer token (RFC 9449 §6, RFC 8705 §3.1). */
  readonly confirmation: Confirmation | undefined
  /** The authentication context of the sign-in (RFC 9068 §2.2.1, RFC 9470 §6). */
  readonly acr: string | undefined
  /** The time of the sign-in. */
  readonly authTime: Instant | undefined
  /** Every claim, or every member of the introspection response, such as `authorization_details`, `act` and the issuer's own. */
  readonly claims: JsonObject
}

const text = (claims: JsonObject, name: string): string | undefined => {
  const value = claims[name]
  return typeof value === "string" && value !== "" ? value : undefined
}

const moment = (claims: JsonObject, name: string): Instant | undefined => {
  const value = claims[name]
  return typeof value === "number" && Number.isFinite(value) ? value : undefined
}

const texts = (value: unknown): ReadonlyArray<string> => {
  const listed: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
  return listed.filter((each) => typeof each === "string")
}

/** Reads claims. A token that states no expiry counts as expired. */
export const tokenOf = (claims: JsonObject, issuer: string): AccessToken => ({
  issuer,
  subject: text(claims, "sub"),
  clientId: text(claims, "client_id"),
  scope: scopeWords(text(claims, "scope") ?? ""),
  audience: texts(claims["aud"]),
  issuedAt: moment(claims, "iat"),
  expiresAt: moment(claims, "exp") ?? 0,
  notBefore: moment(claims, "nbf"),
  id: text(claims, "jti"),
  confirmation: confirmationOf(claims["cnf"]),
  acr: text(claims, "acr"),
  authTime: moment(claims, "auth_time"),
  claims,
})

/** The required claims of a JWT access token (RFC 9068 §2.2). */
const required = ["exp", "iat", "aud", "sub", "client_id", "jti"] as const

const isText = (value: Json): boolean => typeof value === "string"
const isMoment = (value: Json): boolean => typeof value === "number" && Number.isFinite(value)
const isTexts = (value: Json): boolean => Array.isArray(value) && value.every(isText)

/** The types of the registered claims (RFC 7519 §4.1, RFC 9068 §2.2; RFC 8693 §4.2 for `scope`, OpenID Connect Core §2 for `amr`). */
const claimTypes: Readonly<Record<string, (value: Json) => boolean>> = {
  sub: isText,
  client_id: isText,
  jti: isText,
  scope: isText,
  acr: isText,
  amr: isTexts,
  aud: (value) => isText(value) || isTexts(value),
  exp: isMoment,
  iat: isMoment,
  nbf: isMoment,
  auth_time: isMoment,
}

/** The types of the members of an introspection response (RFC 7662 §2.2). */
const memberTypes = { ...claimTypes, username: isText }

const mistyped = (claims: JsonObject, types: typeof claimTypes): ReadonlyArray<string> =>
  Object.entries(types).flatMap(([name, fits]) => {
    const value = claims[name]
    return value === undefined || fits(value) ? [] : [name]
  })

const isEmpty = (value: Json | undefined): boolean => value === undefined || value === "" || (Array.isArray(value) && value.length === 0)

/** Describes the required claims that a JWT access token lacks and the claims that have another type. Empty if there are none. */
export const claimFaults = (claims: JsonObject): ReadonlyArray<string> => [
  ...required.filter((name) => isEmpty(claims[name])).map((name) => `lacks ${name}`),
  ...mistyped(claims, claimTypes).map((name) => `has another type of ${name}`),
]

/** Lists the members of an introspection response that have another type. */
export const mistypedMembers = (answer: JsonObject): ReadonlyArray<string> => mistyped(answer, memberTypes)

/** The supported confirmation methods (RFC 7800 §3.1, RFC 9449 §6.1, RFC 8705 §3.1). */
const methods: ReadonlySet<string> = new Set(["jkt", "x5t#S256"])

/**
 * Reports whether the confirmation of a token is supported: it must be absent or consist of one digest. Any other must not pass as a bearer
 * token.
 */
export const isKnownConfirmation = ({ cnf }: JsonObject): boolean => {
  if (cnf === undefined) return true
  if (typeof cnf !== "object" || cnf === null || Array.isArray(cnf)) return false
  const [first, ...others] = Object.entries(cnf)
  return first !== undefined && others.length === 0 && methods.has(first[0]) && typeof first[1] === "string" && /^[\w-]{43}$/.test(first[1])
}
