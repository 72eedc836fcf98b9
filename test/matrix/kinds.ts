import type { ClientMetadata } from "@postern/core"

/** A client of the matrix: its registration, none where nobody knows it, and what it would send in `redirect_uri`. */
export interface Kind {
  readonly name: string
  readonly clientId: string
  readonly client: ClientMetadata | undefined
  readonly redirectUri: string
}

const everyType = ["code", "id_token", "token", "id_token token", "code id_token", "code token", "code id_token token"]
const everyScope = "openid profile email address phone offline_access api.read api.write billing"
const silent = {
  grant_types: ["authorization_code", "refresh_token", "implicit"],
  response_types: everyType,
  redirect_uris: ["https://app.example/cb", "https://app.example/cb?tab=1"],
  scope: everyScope,
}
const usual = { ...silent, require_consent: false }
const codeOnly = { grant_types: ["authorization_code", "refresh_token"], response_types: ["code"] }
const registered: Readonly<Record<string, Omit<ClientMetadata, "client_id">>> = {
  "confidential web client": { ...usual, ...codeOnly, client_secret: "secret of web", response_types: ["code", "id_token code"] },
  "hybrid client allowed all": { ...usual, client_secret: "secret of hybrid" },
  "public client of a page": { ...usual, token_endpoint_auth_method: "none" },
  "public client told that PKCE is not required": { ...usual, token_endpoint_auth_method: "none", require_pkce: false },
  "native client": {
    ...usual,
    application_type: "native",
    token_endpoint_auth_method: "none",
    redirect_uris: ["http://127.0.0.1/cb", "http://[::1]:8080/cb", "com.example.app:/cb"],
  },
  "client that requires consent": { ...usual, client_secret: "secret of asks", require_consent: true },
  "client of which nothing is said about consent": { ...silent, client_secret: "secret of silent" },
  "client without PKCE, plain allowed": { ...usual, client_secret: "secret of lax", require_pkce: false, allow_plain_pkce: true },
  "client without PKCE, plain not allowed": { ...usual, client_secret: "secret of free", require_pkce: false },
  "client with PKCE, plain allowed": { ...usual, client_secret: "secret of plain", allow_plain_pkce: true },
  "client allowed only code": { ...usual, ...codeOnly, client_secret: "secret of coder" },
  "client allowed only the implicit flow": {
    ...usual,
    grant_types: ["implicit"],
    response_types: ["id_token", "token", "token id_token"],
    scope: "openid profile email phone api.read",
  },
  "client allowed few scopes": { ...usual, client_secret: "secret of narrow", scope: "openid api.read" },
  "client whose ID tokens tell of the person": { ...usual, client_secret: "secret of tells", id_token_user_claims: true },
  "client with opaque access tokens": { ...usual, client_secret: "secret of opaque", access_token_format: "reference" },
  "client that is disabled": { ...usual, client_secret: "secret of disabled", disabled: true },
}

/** Every kind of client, each the only client of its world. */
export const kinds: ReadonlyArray<Kind> = [
  ...Object.entries(registered).map(([name, metadata], at): Kind => {
    const clientId = `client-${at}`
    const redirectUri = metadata.redirect_uris?.[0] ?? ""
    return { name, clientId, client: { client_id: clientId, ...metadata }, redirectUri }
  }),
  { name: "client that nobody knows", clientId: "nobody", client: undefined, redirectUri: "https://app.example/cb" },
]
