import { generateKeyPairSync } from "node:crypto"

const pair = generateKeyPairSync("ec", { namedCurve: "P-256" })

/** The key of the client that signs with it. */
export const privateKey = pair.privateKey

/** The same key as client libraries take it. */
export const cryptoKey = (): Promise<CryptoKey> =>
  crypto.subtle.importKey("jwk", pair.privateKey.export({ format: "jwk" }), { name: "ECDSA", namedCurve: "P-256" }, false, ["sign"])

/** The secret of the client that signs with it. */
export const sharedSecret = "a secret with : % + and ü, of 39 bytes"

const code = {
  redirect_uris: ["https://app.example/cb"],
  grant_types: ["authorization_code", "refresh_token", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code"],
  scope: "openid offline_access api.read",
  access_token_format: "reference",
  require_consent: false,
}

/** A provider with clients that sign assertions: one with a key, one with its secret, one with a key and for the issuer alone. */
export const signing = {
  key_encryption_key: "q83vEjRWeJASNFZ4kBI0VniQEjRWeJASNFZ4kBI0Vng=",
  resources: [{ identifier: "https://api.example", scopes: ["api.read"] }],
  clients: ["signs", "careful"]
    .map((client_id): object => ({
      client_id,
      token_endpoint_auth_method: "private_key_jwt",
      token_endpoint_auth_signing_alg: "ES256",
      client_assertion_audience: client_id === "careful" ? "issuer" : "any",
      jwks: { keys: [{ ...pair.publicKey.export({ format: "jwk" }), kid: "one", use: "sig" }] },
      ...code,
    }))
    .concat({ client_id: "hmac", token_endpoint_auth_method: "client_secret_jwt", client_secret: sharedSecret, ...code }),
  users: [{ username: "alice", password: "correct horse battery" }],
}
