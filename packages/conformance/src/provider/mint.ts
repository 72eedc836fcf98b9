import { randomUUID } from "node:crypto"
import type { JsonObject, SignerPort, SigningAlgorithm } from "@postern/core"

/** A token to sign. */
export interface Minting {
  /** The `sub` claim; `alice` when not given. */
  readonly subject?: string | undefined
  /** The client by its identifier: `client_id` of an access token and, unless `audience` is given, `aud`; `app` when not given. */
  readonly client?: string | undefined
  /** The `aud` claim. */
  readonly audience?: string | ReadonlyArray<string> | undefined
  /** `access_token` (RFC 9068) when not given. */
  readonly kind?: "access_token" | "id_token" | undefined
  /** Seconds until it expires; negative for one that has expired. 3600 when not given. */
  readonly expiresIn?: number | undefined
  /** Claims in place of the usual ones, and beside them; one that is undefined is left out. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined
  /** The algorithm; RS256 when not given. */
  readonly alg?: SigningAlgorithm | undefined
  /** The `typ` header; `at+jwt` for an access token and `JWT` for an ID token when not given. */
  readonly typ?: string | undefined
}

/** Signs a token of any content with the keys of a provider. The provider keeps no row of it: only what reads it as a JWT takes it. */
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
  // A test may want anything in a token; JSON leaves out members that are undefined.
  const all = { ...usual, ...own, ...claims } as JsonObject
  return signer.sign({ alg, typ: typ ?? (kind === "access_token" ? "at+jwt" : "JWT"), claims: all })
}
