import type { JsonObject } from "@postern/core"
import { type SigningKey, generateKey } from "@postern/core/jose"
import { CompactSign, type JWK, decodeJwt, decodeProtectedHeader, exportSPKI, importJWK } from "jose"

/** Members of a JSON object. */
export type Members = Readonly<Record<string, unknown>>

/** A token taken apart. */
export interface Forged {
  readonly jwt: string
  readonly header: Members & { readonly alg: string }
  readonly claims: Members
}

/** Makes tokens of any content, with the provider's keys and with a stranger's. */
export interface Forge {
  /** The provider's keys: one for RS256 and one for ES256. */
  readonly keys: ReadonlyArray<SigningKey>
  /** Takes a JWT apart; undefined for what is none. */
  readonly read: (jwt: string) => Forged | undefined
  /** Signs claims with the provider's key for the algorithm of the header. */
  readonly sign: (header: Forged["header"], claims: Members) => Promise<string>
  /** Signs claims with a key that the provider never published, which stands in the header. */
  readonly signAsStranger: (header: Forged["header"], claims: Members) => Promise<string>
  /** Makes a MAC of claims with the text of the provider's public key as the secret. */
  readonly macWithPublicKey: (header: Forged["header"], claims: Members) => Promise<string>
}

const bytes = (claims: Members): Uint8Array => new TextEncoder().encode(JSON.stringify(claims))

const privateKey = async ({ privateJwk, alg }: SigningKey) => importJWK(JSON.parse(privateJwk) as JWK, alg)

const read = (jwt: string): Forged | undefined => {
  try {
    const { alg, ...header } = decodeProtectedHeader(jwt)
    return alg === undefined ? undefined : { jwt, header: { ...header, alg }, claims: decodeJwt(jwt) as JsonObject }
  } catch {
    return undefined
  }
}

const signed = async (key: SigningKey, header: Forged["header"], claims: Members): Promise<string> =>
  new CompactSign(bytes(claims)).setProtectedHeader(header).sign(await privateKey(key), { crit: { misbehave: true } })

/** Makes the keys of a provider, and a stranger's. */
export const openForge = async (at: number): Promise<Forge> => {
  const [rsa, ec, stranger] = await Promise.all(
    (["RS256", "ES256", "RS256"] as const).map((alg) => generateKey(alg, { createdAt: at - 1000, activeAt: at - 1000 })),
  )
  if (rsa === undefined || ec === undefined || stranger === undefined) throw new Error("no keys were made")
  const keys = [rsa, ec]
  return {
    keys,
    read,
    sign: (header, claims) => signed(header.alg === "ES256" ? ec : rsa, header, claims),
    signAsStranger: (header, claims) => signed(stranger, { ...header, alg: "RS256", kid: stranger.kid, jwk: stranger.publicJwk }, claims),
    macWithPublicKey: async (header, claims) => {
      const pem = await exportSPKI((await importJWK(rsa.publicJwk as JWK, "RS256", { extractable: true })) as CryptoKey)
      return new CompactSign(bytes(claims)).setProtectedHeader({ ...header, alg: "HS256" }).sign(new TextEncoder().encode(pem))
    },
  }
}
