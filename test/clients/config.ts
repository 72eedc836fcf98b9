import { clientKey } from "../support/clientKeys.ts"

/** The key that responses to `sealed` are encrypted to. */
export const sealedKey = await clientKey("ECDH-ES")

/** The provider that client libraries are tried against. */
export const config = {
  resources: [{ identifier: "https://api.example", scopes: ["api.read", "api.write"] }],
  clients: [
    {
      client_id: "web",
      client_secret: "a secret with : % + and ü",
      client_name: "Web App",
      redirect_uris: ["https://app.example/cb"],
      grant_types: ["authorization_code", "refresh_token"],
      scope: "openid profile email offline_access api.read",
      access_token_format: "reference",
    },
    {
      client_id: "sealed",
      client_secret: "a secret with : % + and ü",
      redirect_uris: ["https://app.example/cb"],
      scope: "openid",
      require_consent: false,
      jwks: { keys: [sealedKey.publicJwk] },
      authorization_signed_response_alg: "ES256",
      authorization_encrypted_response_alg: "ECDH-ES",
      response_modes: ["jwt"],
    },
    {
      client_id: "spa",
      token_endpoint_auth_method: "none",
      redirect_uris: ["https://spa.example/cb"],
      grant_types: ["authorization_code", "refresh_token"],
      scope: "openid offline_access",
    },
    {
      client_id: "machine",
      client_secret: "machine secret",
      grant_types: ["client_credentials"],
      response_types: [],
      scope: "api.read api.write",
    },
    {
      client_id: "api",
      client_secret: "api secret",
      grant_types: [],
      response_types: [],
      introspection_resources: ["https://api.example"],
    },
  ],
  users: [
    {
      username: "alice",
      password: "correct horse battery",
      claims: { name: "Alice Ant", email: "alice@example.com", email_verified: true },
    },
  ],
}

export const alice = ["alice", "correct horse battery"] as const
