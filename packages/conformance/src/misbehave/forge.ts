import type { JsonObject } from "@postern/core"
import { type SigningKey, generateKey } from "@postern/core/jose"
import { CompactSign, type JWK, decodeJwt, decodeProtectedHeader, exportSPKI, importJWK } from "jose"

/** Members of a JSON object. */
export type Members = Readonly<Record<string, unknown>>

/** A parsed token. */
export interface Forged {
  readonly jwt: string
  readonly header: Members & { readonly alg: string }
  readonly claims: Members
}

/** Creates tokens with any content, signed with the provider's keys or with others. */
export interface Forge {
  /** Parses a JWT; undefined for anything else. */
  readonly read: (jwt: string) => Forged | undefined
  /** The provider's key for an algorithm; undefined if it has none. */
  readonly keyFor: (alg: string) => SigningKey | undefined
  /** Signs claims, or JSON text, with the provider's key for the header's algorithm. */
  readonly sign: (header: Forged["header"], claims: Members | string) => Promise<string>
  /** A key that the provider has not published yet, as a member of a JWK Set. */
  readonly fresh: JsonObject
  /** Signs claims with the fresh key. */
  readonly signFresh: (header: Forged["header"], claims: Members) => Promise<string>
  /** A key that belongs to no provider, as a member of a JWK Set. */
  readonly stranger: JsonObject
  /** Signs claims with the stranger's key. The header names the location of that key. */
  readonly signAsStranger: (header: Forged["header"], claims: Members) => Promise<string>
  /** Computes a MAC of claims with the text of the provider's public key as the secret. */
  readonly macWithPublicKey: (header: Forged["header"], claims: Members) => Promise<string>
}

const bytes = (claims: Members | string): Uint8Array =>
  new TextEncoder().encode(typeof claims === "string" ? claims : JSON.stringify(claims))

const privateKey = async ({ privateJwk, alg }: SigningKey) => importJWK(JSON.parse(privateJwk) as JWK, alg)

const read = (jwt: string): Forged | undefined => {
  try {
    const { alg, ...header } = decodeProtectedHeader(jwt)
    return alg === undefined ? undefined : { jwt, header: { ...header, alg }, claims: decodeJwt(jwt) as JsonObject }
  } catch {
    return undefined
  }
}

const signed = async (key: SigningKey, header: Forged["header"], claims: Members | string): Promise<string> =>
  new CompactSign(bytes(claims)).setProtectedHeader(header).sign(await privateKey(key), { crit: { misbehave: true } })

/** Creates one key for each algorithm, already active. */
export const madeKeys = (at: number): Promise<ReadonlyArray<SigningKey>> =>
  Promise.all((["RS256", "ES256"] as const).map((alg) => generateKey(alg, { createdAt: at - 1000, activeAt: at - 1000 })))

/** Creates a forge that signs with a provider's current keys. */
export const openForge = async (at: number, keys: () => ReadonlyArray<SigningKey>): Promise<Forge> => {
  const times = { createdAt: at - 1000, activeAt: at - 1000 }
  const [fresh, stranger] = await Promise.all([generateKey("RS256", times), generateKey("RS256", times)])
  const keyFor = (alg: string): SigningKey | undefined => keys().findLast((each) => each.alg === alg)
  const key = ({ alg, kid }: Forged["header"]): SigningKey => {
    const found = keys().find((each) => each.kid === kid && each.alg === alg) ?? keyFor(alg) ?? keys()[0]
    if (found === undefined) throw new Error("the provider has no keys")
    return found
  }
  return {
    read,
    keyFor,
    sign: (header, claims) => signed(key(header), { ...header, alg: key(header).alg }, claims),
    fresh: fresh.publicJwk,
    signFresh: (header, claims) => signed(fresh, { ...header, alg: "RS256", kid: fresh.kid }, claims),
    stranger: stranger.publicJwk,
    signAsStranger: (header, claims) => signed(stranger, { ...header, alg: "RS256", kid: stranger.kid }, claims),
    macWithPublicKey: async (header, claims) => {
      const rsa = key({ alg: "RS256" })
      const pem = await exportSPKI((await importJWK(rsa.publicJwk as JWK, "RS256", { extractable: true })) as CryptoKey)
      return new CompactSign(bytes(claims)).setProtectedHeader({ ...header, alg: "HS256" }).sign(new TextEncoder().encode(pem))
    },
  }
}
