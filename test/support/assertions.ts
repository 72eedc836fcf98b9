import { generateKeyPairSync, type KeyObject } from "node:crypto"
import { type ClientMetadata, type JsonObject, type OutboundPort } from "@postern/core"
import { CompactSign } from "jose"
import { post } from "./flows.ts"
import type { Said } from "./visitor.ts"
import { type World, issuer } from "./world.ts"

/** A key pair of a client. */
export interface ClientKey {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
  /** The public half as the client publishes it. */
  readonly jwk: JsonObject
}

const made = (kid: string, { privateKey, publicKey }: { readonly privateKey: KeyObject; readonly publicKey: KeyObject }): ClientKey => ({
  kid,
  privateKey,
  publicKey,
  // The public members of these kinds of key are texts.
  jwk: { ...(publicKey.export({ format: "jwk" }) as Record<string, string>), kid },
})

export const keys = {
  ec: made("ec", generateKeyPairSync("ec", { namedCurve: "P-256" })),
  next: made("next", generateKeyPairSync("ec", { namedCurve: "P-256" })),
  strange: made("ec", generateKeyPairSync("ec", { namedCurve: "P-256" })),
  rsa: made("rsa", generateKeyPairSync("rsa", { modulusLength: 2048 })),
  ed: made("ed", generateKeyPairSync("ed25519")),
}

export const jwks = { keys: [keys.ec.jwk, keys.rsa.jwk, keys.ed.jwk] }

/** The secret of `hmac`: 64 bytes, enough for every algorithm. */
export const sharedSecret = "0123456789abcdef".repeat(4)

const machine = {
  grant_types: ["client_credentials", "urn:ietf:params:oauth:grant-type:device_code"],
  response_types: [],
  scope: "api.read",
}

/** Address at which `published` publishes its keys. */
export const jwksUri = "https://app.example/jwks"

/** Clients that sign assertions, and some that do not. */
export const signingClients: ReadonlyArray<ClientMetadata> = [
  { client_id: "signs", token_endpoint_auth_method: "private_key_jwt", access_token_format: "reference", jwks, ...machine },
  { client_id: "signs too", token_endpoint_auth_method: "private_key_jwt", jwks, ...machine },
  {
    client_id: "es256",
    token_endpoint_auth_method: "private_key_jwt",
    token_endpoint_auth_signing_alg: "ES256",
    jwks,
    ...machine,
  },
  { client_id: "careful", token_endpoint_auth_method: "private_key_jwt", client_assertion_audience: "issuer", jwks, ...machine },
  { client_id: "published", token_endpoint_auth_method: "private_key_jwt", jwks_uri: jwksUri, ...machine },
  { client_id: "hmac", token_endpoint_auth_method: "client_secret_jwt", client_secret: sharedSecret, ...machine },
  { client_id: "short", token_endpoint_auth_method: "client_secret_jwt", client_secret: sharedSecret.slice(0, 32), ...machine },
  { client_id: "off", token_endpoint_auth_method: "private_key_jwt", jwks, disabled: true, ...machine },
  { client_id: "basic", client_secret: sharedSecret, ...machine },
  { client_id: "open", token_endpoint_auth_method: "none", jwks, ...machine },
]

/** Members of an assertion; undefined leaves one out. */
export interface AssertionParts {
  readonly header?: Readonly<Record<string, unknown>>
  readonly claims?: Readonly<Record<string, unknown>>
  /** Key that signs it; the client's own when not given. */
  readonly key?: KeyObject | Uint8Array
}

let counter = 0

/** An assertion as a client makes it, with changes. */
export const assertionOf = (w: World, clientId: string, { header, claims, key }: AssertionParts = {}): Promise<string> => {
  const shares = clientId === "hmac" || clientId === "short"
  const now = w.now()
  const said = { iss: clientId, sub: clientId, aud: issuer, jti: `jti ${counter++}`, iat: now, exp: now + 60, ...claims }
  const own = shares ? new TextEncoder().encode(clientId === "hmac" ? sharedSecret : sharedSecret.slice(0, 32)) : keys.ec.privateKey
  return new CompactSign(new TextEncoder().encode(JSON.stringify(said)))
    .setProtectedHeader({ alg: shares ? "HS256" : "ES256", ...(shares ? {} : { kid: "ec" }), ...header })
    .sign(key ?? own)
}

/** The parameters that carry an assertion. */
export const carrying = (client_assertion: string): Record<string, string> => ({
  client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
  client_assertion,
})

/** Asks for a token of a client's own with an assertion. */
export const askWith = (
  w: World,
  assertion: string,
  fields: Readonly<Record<string, string>> = {},
  headers: Record<string, string> = {},
  path = "/connect/token",
): Promise<Said> => post(w, path, undefined, { grant_type: "client_credentials", ...carrying(assertion), ...fields }, headers)

/** Asks for a token of a client's own, with an assertion of these parts. */
export const ask = async (w: World, clientId: string, parts: AssertionParts = {}): Promise<Said> =>
  askWith(w, await assertionOf(w, clientId, parts))

/** Keys under a URL, and how often they were fetched. */
export const publishing = (...first: ReadonlyArray<ClientKey>) => {
  let published = first
  let fetched = 0
  const outbound: OutboundPort = {
    fetch: (url) => {
      fetched++
      return url === jwksUri
        ? {
            _tag: "Fetched",
            status: 200,
            contentType: "application/jwk-set+json",
            body: JSON.stringify({ keys: published.map(({ jwk }) => jwk) }),
          }
        : { _tag: "Unfetched", reason: "no such host" }
    },
  }
  return {
    outbound,
    fetched: () => fetched,
    publish: (...next: ReadonlyArray<ClientKey>) => {
      published = next
      fetched = 0
    },
  }
}
