import { type Confirmation, type Instant, type JsonObject, confirmationOf, scopeWords } from "@postern/core/model"

/** An access token that was verified: what it says, in words of its own. */
export interface AccessToken {
  /** The issuer that signed it, or answered for it. */
  readonly issuer: string
  /** The person, or the client where nobody signed in (RFC 9068 §2.2); undefined where introspection names none. */
  readonly subject: string | undefined
  /** The client that it was issued to. */
  readonly clientId: string | undefined
  /** The words of its scope. */
  readonly scope: ReadonlyArray<string>
  /** The resources that it is for. */
  readonly audience: ReadonlyArray<string>
  /** The time it was issued at. */
  readonly issuedAt: Instant | undefined
  /** The time at which it expires; `Infinity` if introspection states none. */
  readonly expiresAt: Instant
  /** The time before which it is not yet valid. */
  readonly notBefore: Instant | undefined
  /** Its `jti`. */
  readonly id: string | undefined
  /** The key or certificate that it is bound to; undefined for a bearer token (RFC 9449 §6, RFC 8705 §3.1). */
  readonly confirmation: Confirmation | undefined
  /** The authentication context of its sign-in (RFC 9068 §2.2.1, RFC 9470 §6). */
  readonly acr: string | undefined
  /** The time of its sign-in. */
  readonly authTime: Instant | undefined
  /** Every claim, or every member of the introspection: `authorization_details`, `act`, and those of the issuer's own. */
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

/** The claims that a JWT access token must have, each with the kind of its value (RFC 9068 §2.2). */
const required = { exp: "number", iat: "number", sub: "string", client_id: "string", jti: "string" } as const

/** The claims that a JWT access token lacks, or has as something else. */
export const missingClaims = (claims: JsonObject): ReadonlyArray<string> => [
  ...Object.entries(required).flatMap(([name, kind]) => (typeof claims[name] === kind && claims[name] !== "" ? [] : [name])),
  ...(texts(claims["aud"]).length === 0 ? ["aud"] : []),
]

/** The methods of confirmation that can be judged here (RFC 7800 §3.1, RFC 9449 §6.1, RFC 8705 §3.1). */
const methods: ReadonlySet<string> = new Set(["jkt", "x5t#S256"])

/** Reports whether the confirmation of a token can be judged: it is absent, or it is one digest. Anything else must not pass as a bearer token. */
export const isKnownConfirmation = ({ cnf }: JsonObject): boolean => {
  if (cnf === undefined) return true
  if (typeof cnf !== "object" || cnf === null || Array.isArray(cnf)) return false
  const [first, ...others] = Object.entries(cnf)
  return first !== undefined && others.length === 0 && methods.has(first[0]) && typeof first[1] === "string" && /^[\w-]{43}$/.test(first[1])
}
