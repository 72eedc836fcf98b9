import { type ClientDefinition, type ClientSetting, defineClient } from "@postern/core"
import { memoryClientStore } from "@postern/core/memory"

/** A client of a provider under test. Its metadata has the registered names (RFC 7591 §2), and each member has a default. */
export type TestClient = Partial<ClientDefinition> & {
  /** The identifier; `app` by default. */
  readonly client_id?: string | undefined
  /**
   * The secret; `secret-of-ID-in-tests-and-nowhere-else` by default. A client whose authentication method is `none` or uses a key has none.
   */
  readonly client_secret?: string | undefined
}

/** A client, with the values that its application is configured with. */
export interface KnownClient {
  readonly client_id: string
  readonly client_secret: string | undefined
  readonly token_endpoint_auth_method: string
  readonly redirect_uris: ReadonlyArray<string>
  readonly scope: string
}

/** Default client metadata. PKCE stays required, and redirect URIs are compared exactly. */
const usual = {
  client_id: "app",
  redirect_uris: ["http://localhost:3000/callback"],
  grant_types: ["authorization_code", "refresh_token"],
  scope: "openid profile email address phone offline_access",
  require_consent: false,
} as const

const isSecretless = (method: string): boolean => method === "none" || method === "private_key_jwt"

/** Registers clients under the usual validation rules. Throws `ClientRefused`, which lists every error of a client. */
export const clientsOf = (given: ReadonlyArray<TestClient>, setting: ClientSetting) => {
  const all = given.map(({ client_secret, ...stated }) => {
    const metadata = { ...usual, ...stated, client_id: stated.client_id ?? usual.client_id }
    const secret = client_secret ?? `secret-of-${metadata.client_id}-in-tests-and-nowhere-else`
    const method = metadata.token_endpoint_auth_method ?? "client_secret_basic"
    const known: KnownClient = {
      client_id: metadata.client_id,
      client_secret: isSecretless(method) ? undefined : secret,
      token_endpoint_auth_method: method,
      redirect_uris: metadata.redirect_uris,
      scope: metadata.scope,
    }
    return { known, client: defineClient(metadata, setting) }
  })
  const secrets = all.flatMap(({ known }) => (known.client_secret === undefined ? [] : [[known.client_id, known.client_secret] as const]))
  return {
    known: all.map(({ known }) => known),
    store: memoryClientStore(
      all.map(({ client }) => client),
      Object.fromEntries(secrets),
    ),
  }
}
