import type { Json } from "@postern/core"
import { generateKey, joseSigner } from "@postern/core/jose"
import { beginning } from "./world.ts"

/** Another issuer, whose JWTs a provider may be told to trust. */
export const peerIssuer = "https://peer.example"

const signerOf = async () => {
  const key = await generateKey("ES256", { createdAt: beginning - 1000, activeAt: beginning - 1000 }, undefined)
  return joseSigner({ keys: () => [key], now: () => beginning })
}

const peer = await signerOf()
const stranger = await signerOf()

/** Its public keys. */
export const peerJwks = { keys: await peer.keys() }

/** Its claims about Alice, made out to the provider of every world, good for a minute; undefined removes one. */
export const peerClaims = (changes: Readonly<Record<string, Json | undefined>> = {}): Record<string, Json> => {
  const all: Record<string, Json | undefined> = {
    iss: peerIssuer,
    sub: "sub-alice",
    aud: "https://op.example",
    iat: beginning,
    exp: beginning + 60,
    ...changes,
  }
  return Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

/** A JWT of its own with these claims and this type. */
export const peerSigned = async (claims: Record<string, Json>, typ: string): Promise<string> => peer.sign({ alg: "ES256", typ, claims })

/** A JWT of its own, or one that somebody else signed in its name. */
export const peerJwt = async (changes: Readonly<Record<string, Json | undefined>> = {}, forged = false): Promise<string> =>
  (forged ? stranger : peer).sign({ alg: "ES256", typ: "JWT", claims: peerClaims(changes) })
