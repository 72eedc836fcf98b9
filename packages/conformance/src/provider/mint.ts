import { randomUUID } from "node:crypto"
import type { JsonObject, SignerPort, SigningAlgorithm } from "@postern/core"

/** A token to sign. */
export interface Minting {
  /** The `sub` claim; `alice` by default. */
  readonly subject?: string | undefined
  /** The client by its identifier; `app` by default. It is the `client_id` of an access token and, without `audience`, the `aud` claim. */
  readonly client?: string | undefined
  /** The `aud` claim. */
  readonly audience?: string | ReadonlyArray<string> | undefined
  /** The type of token; `access_token` (RFC 9068) by default. */
  readonly kind?: "access_token" | "id_token" | undefined
  /** Seconds until it expires; 3600 by default. A negative number makes an expired token. */
  readonly expiresIn?: number | undefined
  /** Claims that replace or extend the usual ones. Undefined removes a claim. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined
  /** The algorithm; RS256 by default. */
  readonly alg?: SigningAlgorithm | undefined
  /** The `typ` header; by default `at+jwt` for an access token and `JWT` for an ID token. */
  readonly typ?: string | undefined
}

/**
 * Signs a token with any content, using a provider's keys. The provider stores no row for it, so only code that validates it as a JWT
 * accepts it.
 */
export const minted = async (
  {
    subject = "alice",
    client = "app",
    audience = client,
    kind = "access_token",
    expiresIn = 3600,
    claims = {},
    alg = "RS256",
    typ,
  }: Minting,
  { issuer, signer, now }: { readonly issuer: string; readonly signer: SignerPort; readonly now: number },
): Promise<string> => {
  const usual = { iss: issuer, sub: subject, aud: audience, iat: now, exp: now + expiresIn }
  const own = kind === "access_token" ? { client_id: client, jti: randomUUID(), scope: "openid" } : { auth_time: now }
  // A test may set any claim. JSON omits undefined members.
  const all = { ...usual, ...own, ...claims } as JsonObject
  return signer.sign({ alg, typ: typ ?? (kind === "access_token" ? "at+jwt" : "JWT"), claims: all })
}
