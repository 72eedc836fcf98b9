import { type Client, isPublic } from "./client.ts"
import { type Json, isJsonObject } from "./json.ts"

/**
 * The key or certificate that a token is bound to, so that its presenter must prove possession of it: a key, by its thumbprint (RFC 9449
 * §6), or a certificate, by its digest (RFC 8705 §3.1). It is the value of the `cnf` claim (RFC 7800 §3.1).
 */
export type Confirmation =
  | { /** The SHA-256 thumbprint of a DPoP key (RFC 7638), base64url. */ readonly jkt: string }
  | { /** The SHA-256 digest of a certificate, base64url. */ readonly "x5t#S256": string }

/** The type of a token: a bearer token, or one that is presented with a DPoP proof (RFC 9449 §5). */
export type TokenType = "Bearer" | "DPoP"

/**
 * Returns the type of an access token with this confirmation. A token bound to a certificate is presented as a bearer token (RFC 8705 §3).
 */
export const tokenTypeOf = (confirmation: Confirmation | undefined): TokenType =>
  confirmation !== undefined && "jkt" in confirmation ? "DPoP" : "Bearer"

/** Reports whether two confirmations name the same key or certificate. */
export const sameConfirmation = (left: Confirmation, right: Confirmation): boolean => {
  if ("jkt" in left) return "jkt" in right && left.jkt === right.jkt
  return "x5t#S256" in right && left["x5t#S256"] === right["x5t#S256"]
}

/** Reports whether a request has proved possession of the key or certificate that a token is bound to; true for an unbound token. */
export const isProved = (bound: Confirmation | undefined, proved: ReadonlyArray<Confirmation> = []): boolean =>
  bound === undefined || proved.some((each) => sameConfirmation(each, bound))

/** Reads the `cnf` claim of a token of this provider; undefined for a bearer token. */
export const confirmationOf = (cnf: Json | undefined): Confirmation | undefined => {
  if (!isJsonObject(cnf)) return undefined
  const { jkt, "x5t#S256": digest } = cnf
  if (typeof jkt === "string") return { jkt }
  return typeof digest === "string" ? { "x5t#S256": digest } : undefined
}

/** The tokens that are bound to the key or certificate that the request has proved. */
export interface Binding {
  /** True for its access token. */
  readonly access: boolean
  /** True for its refresh token. */
  readonly refresh: boolean
}

/**
 * Binds access tokens, and the refresh tokens of public clients. Those of a confidential client are bound by its authentication (RFC 9449
 * §5, RFC 8705 §4, §7.1).
 */
export const boundByKind = (client: Client): Binding => ({ access: true, refresh: isPublic(client) })
