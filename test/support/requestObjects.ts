import { type KeyObject, generateKeyPairSync } from "node:crypto"
import type { ClientMetadata, JsonObject, OutboundAnswer } from "@postern/core"
import { type SigningKey, generateKey, joseSigner } from "@postern/core/jose"
import type { CachingHeaders, OutboundPort, SignerPort } from "@postern/core/ports"
import { CompactEncrypt, CompactSign, type JWK, importJWK } from "jose"
import { request } from "./flows.ts"
import { beginning, issuer } from "./world.ts"

const pairs = {
  rsa: generateKeyPairSync("rsa", { modulusLength: 2048 }),
  p256: generateKeyPairSync("ec", { namedCurve: "P-256" }),
  p384: generateKeyPairSync("ec", { namedCurve: "P-384" }),
  p521: generateKeyPairSync("ec", { namedCurve: "P-521" }),
  ed: generateKeyPairSync("ed25519"),
  /** Nobody's. */
  stray: generateKeyPairSync("ec", { namedCurve: "P-256" }),
}

type KeyName = keyof typeof pairs

const jwkOf = (name: KeyName): JsonObject => ({ ...(pairs[name].publicKey.export({ format: "jwk" }) as JsonObject), kid: name })

/** Public keys of the clients, as a set. */
export const setOf = (...names: ReadonlyArray<KeyName>) => ({ keys: names.map(jwkOf) })

/** Picks the key that signs by an algorithm. */
const keyFor = (alg: string): KeyName => {
  if (alg.startsWith("ES")) return alg === "ES256" ? "p256" : alg === "ES384" ? "p384" : "p521"
  return alg.startsWith("Ed") ? "ed" : "rsa"
}

const code = { redirect_uris: ["https://app.example/cb"], scope: "openid email offline_access api.read billing", require_consent: false }
const jwks = setOf("rsa", "p256", "p384", "p521", "ed")

/** Clients that send request objects. */
export const objectClients: ReadonlyArray<ClientMetadata> = [
  { client_id: "signs", client_secret: "secret of signs", ...code, jwks },
  { client_id: "signs-es256", client_secret: "secret of signs-es256", ...code, jwks, request_object_signing_alg: "ES256" },
  { client_id: "unsigned", client_secret: "secret of unsigned", ...code, jwks, request_object_signing_alg: "none" },
  { client_id: "must", client_secret: "secret of must", ...code, jwks, require_signed_request_object: true },
  {
    client_id: "must-none",
    client_secret: "secret of must-none",
    ...code,
    require_signed_request_object: true,
    request_object_signing_alg: "none",
  },
  { client_id: "publishes", client_secret: "secret of publishes", ...code, jwks_uri: "https://client.example/jwks" },
  {
    client_id: "refers",
    client_secret: "secret of refers",
    ...code,
    jwks,
    request_uris: ["https://client.example/r", "https://client.example/r#hash", "https://client.example/gone"],
  },
  { client_id: "keyless", client_secret: "secret of keyless", ...code, request_uris: ["https://client.example/r"] },
  {
    client_id: "seals",
    client_secret: "secret of seals",
    ...code,
    jwks,
    request_object_encryption_alg: "ECDH-ES",
    request_object_encryption_enc: "A128GCM",
  },
]

/** Builds the claims of a client's request object, with changes; undefined removes one. */
export const claimsFor = (clientId: string, changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => {
  const base = { ...request(clientId), iss: clientId, aud: issuer, iat: beginning, nbf: beginning, exp: beginning + 300, jti: "j1" }
  return Object.fromEntries(Object.entries({ ...base, ...changes }).filter(([, value]) => value !== undefined))
}

/** Signature of an object. */
export interface Signing {
  readonly alg?: string
  readonly key?: KeyName
  readonly header?: Readonly<Record<string, unknown>>
}

/** Signs claims as a client does. */
export const signed = (
  claims: Readonly<Record<string, unknown>>,
  { alg = "ES256", key = keyFor(alg), header = {} }: Signing = {},
): Promise<string> =>
  new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
    .setProtectedHeader({ alg, kid: key, typ: "oauth-authz-req+jwt", ...header })
    .sign(pairs[key].privateKey as KeyObject)

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** An object without a signature (RFC 7519 §6). */
export const unsecured = (claims: unknown, header: Readonly<Record<string, unknown>> = {}): string =>
  `${encoded({ alg: "none", ...header })}.${encoded(claims)}.`

const ourKeys: Promise<ReadonlyArray<SigningKey>> = Promise.all(
  (["ECDH-ES", "RSA-OAEP-256"] as const).map((alg) => generateKey(alg, { createdAt: beginning, activeAt: beginning }, undefined)),
)

/** A provider's signer with keys to decrypt with. */
export const decrypting = (signer: SignerPort): SignerPort => {
  const { decrypt, encryptionAlgorithms, keys } = joseSigner({ keys: () => ourKeys, now: () => beginning })
  return { ...signer, decrypt, encryptionAlgorithms, keys: async () => [...(await signer.keys()), ...(await keys())] }
}

/** Encrypts a signed object to the provider. */
export const sealed = async (
  jws: string,
  alg = "ECDH-ES",
  enc = "A128GCM",
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> => {
  const key = (await ourKeys).find((each) => each.alg === alg)
  return new CompactEncrypt(new TextEncoder().encode(jws))
    .setProtectedHeader({ alg, enc, cty: "JWT", kid: key?.kid ?? "", ...header })
    .encrypt(await importJWK(key?.publicJwk as JWK, alg))
}

/** Documents that clients publish, by URL, and what was fetched. */
export const publishing = (
  documents: Readonly<Record<string, string | (() => Promise<string>)>>,
  caching?: CachingHeaders,
): OutboundPort & { readonly fetched: ReadonlyArray<readonly [string, string]> } => {
  const fetched: Array<readonly [string, string]> = []
  return {
    fetched,
    fetch: async (url, accept): Promise<OutboundAnswer> => {
      fetched.push([url, accept])
      const document = documents[url]
      return document === undefined
        ? { _tag: "Unfetched", reason: "the connection failed: ECONNREFUSED" }
        : {
            _tag: "Fetched",
            status: 200,
            contentType: "text/html",
            body: typeof document === "string" ? document : await document(),
            caching,
          }
    },
  }
}
