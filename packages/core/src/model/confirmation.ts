import { type Client, isPublic } from "./client.ts"
import { type Json, isJsonObject } from "./json.ts"

/**
 * The proof that a token's presenter owes beside having it: that they hold a key, named by its thumbprint (RFC 9449 §6), or a certificate, named
 * by its digest (RFC 8705 §3.1). It is what the `cnf` claim says (RFC 7800 §3.1).
 */
export type Confirmation =
  | { /** The SHA-256 thumbprint of a DPoP key (RFC 7638), base64url. */ readonly jkt: string }
  | { /** The SHA-256 digest of a certificate, base64url. */ readonly "x5t#S256": string }

/** The type of a token: a bearer's, or one that is presented with a DPoP proof (RFC 9449 §5). */
export type TokenType = "Bearer" | "DPoP"

/** The type of the access tokens of a confirmation; one bound to a certificate is presented as a bearer's is (RFC 8705 §3). */
export const tokenTypeOf = (confirmation: Confirmation | undefined): TokenType =>
  confirmation !== undefined && "jkt" in confirmation ? "DPoP" : "Bearer"

/** Reports whether two confirmations name the same key or certificate. */
export const sameConfirmation = (left: Confirmation, right: Confirmation): boolean => {
  if ("jkt" in left) return "jkt" in right && left.jkt === right.jkt
  return "x5t#S256" in right && left["x5t#S256"] === right["x5t#S256"]
}

/** Reports whether what a token is bound to is among what a request has proved; true for one that is bound to nothing. */
export const isProved = (bound: Confirmation | undefined, proved: ReadonlyArray<Confirmation> = []): boolean =>
  bound === undefined || proved.some((each) => sameConfirmation(each, bound))

/** Reads the `cnf` claim of a token of ours; undefined for a bearer token. */
export const confirmationOf = (cnf: Json | undefined): Confirmation | undefined => {
  if (!isJsonObject(cnf)) return undefined
  const { jkt, "x5t#S256": digest } = cnf
  if (typeof jkt === "string") return { jkt }
  return typeof digest === "string" ? { "x5t#S256": digest } : undefined
}

/** The tokens of an issuance that are bound to what its request has proved. */
export interface Binding {
  /** True for its access token. */
  readonly access: boolean
  /** True for its refresh token. */
  readonly refresh: boolean
}

/** Access tokens are bound, and the refresh tokens of public clients: a confidential client's are by its authentication (RFC 9449 §5, RFC 8705 §4, §7.1). */
export const boundByKind = (client: Client): Binding => ({ access: true, refresh: isPublic(client) })
