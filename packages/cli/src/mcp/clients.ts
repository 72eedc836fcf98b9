import type { JsonObject } from "@postern/core/model"

/** A client of the Model Context Protocol, as observed in use. */
export interface NamedClient {
  /** Its name on the command line. */
  readonly name: string
  /** The display name. */
  readonly title: string
  /** The client ID metadata document (Client ID Metadata Document §4); undefined for a client that registers itself. */
  readonly document: (JsonObject & { readonly client_id: string }) | undefined
  /** The metadata with which the client registers if its document isn't supported (RFC 7591 §2). */
  readonly registration: JsonObject
  /** The redirect URIs of its authorization requests. */
  readonly callbacks: ReadonlyArray<string>
}

const grants = ["authorization_code", "refresh_token"]
const publicClient = { grant_types: grants, response_types: ["code"], token_endpoint_auth_method: "none" }

/** Returns the registration metadata of a public client. */
const registering = (client_name: string, callbacks: ReadonlyArray<string>): JsonObject => ({
  client_name,
  redirect_uris: callbacks,
  ...publicClient,
  ...(callbacks.some((uri) => uri.startsWith("http:")) ? { application_type: "native" } : {}),
})

const known = (
  name: string,
  title: string,
  document: JsonObject & { readonly client_id: string },
  callbacks: ReadonlyArray<string>,
): NamedClient => ({ name, title, document, registration: registering(title, callbacks), callbacks })

/** Clients as observed in 2026: their documents and the redirect URIs of their requests. Loopback ports are examples of ephemeral ports. */
export const namedClients: ReadonlyArray<NamedClient> = [
  known(
    "claude-code",
    "Claude Code",
    {
      client_id: "https://claude.ai/oauth/claude-code-client-metadata",
      client_name: "Claude Code",
      client_uri: "https://claude.ai",
      redirect_uris: ["http://localhost/callback", "http://127.0.0.1/callback"],
      ...publicClient,
    },
    ["http://localhost:54545/callback", "http://127.0.0.1:54545/callback"],
  ),
  known(
    "claude-ai",
    "claude.ai",
    {
      client_id: "https://claude.ai/oauth/mcp-oauth-client-metadata",
      client_name: "Claude",
      client_uri: "https://claude.ai",
      redirect_uris: ["https://claude.ai/api/mcp/auth_callback"],
      ...publicClient,
      grant_types: [...grants, "urn:ietf:params:oauth:grant-type:jwt-bearer"],
    },
    ["https://claude.ai/api/mcp/auth_callback"],
  ),
  known(
    "chatgpt",
    "ChatGPT",
    {
      client_id: "https://chatgpt.com/oauth/client.json",
      client_name: "ChatGPT",
      client_uri: "https://chatgpt.com/",
      redirect_uris: ["https://chatgpt.com/connector_platform_oauth_redirect"],
      grant_types: grants,
      response_types: ["code"],
      token_endpoint_auth_method: "private_key_jwt",
      token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
      token_endpoint_auth_signing_alg: "RS256",
      jwks_uri: "https://chatgpt.com/oauth/jwks.json",
    },
    ["https://chatgpt.com/connector_platform_oauth_redirect"],
  ),
  known(
    "chatgpt-connector",
    "ChatGPT, a connector",
    {
      client_id: "https://chatgpt.com/connector/oauth/example",
      client_name: "ChatGPT",
      redirect_uris: ["https://chatgpt.com/connector/oauth/example"],
      grant_types: grants,
      response_types: ["code"],
      token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
      id_token_signing_alg_values_supported: ["RS256", "ES256"],
      subject_types_supported: ["public", "pairwise"],
    },
    ["https://chatgpt.com/connector/oauth/example"],
  ),
  known(
    "vs-code",
    "Visual Studio Code",
    {
      client_id: "https://vscode.dev/oauth/client-metadata.json",
      client_name: "Visual Studio Code",
      client_uri: "https://vscode.dev/product",
      redirect_uris: ["http://127.0.0.1:33418/", "https://vscode.dev/redirect"],
      ...publicClient,
      grant_types: [...grants, "urn:ietf:params:oauth:grant-type:device_code"],
      application_type: "native",
    },
    ["http://127.0.0.1:33418/", "http://127.0.0.1:51999/", "https://vscode.dev/redirect"],
  ),
  known(
    "codex",
    "Codex",
    {
      client_id: "https://chatgpt.com/oauth/codex/client.json",
      client_name: "Codex",
      redirect_uris: ["http://127.0.0.1/callback", "http://localhost/callback"],
      ...publicClient,
    },
    ["http://127.0.0.1:61234/callback"],
  ),
  known(
    "goose",
    "Goose",
    {
      client_id: "https://goose-docs.ai/oauth/client-metadata.json",
      client_name: "Goose",
      redirect_uris: ["http://127.0.0.1/oauth_callback", "http://[::1]/oauth_callback"],
      grant_types: ["authorization_code"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      code_challenge_methods_supported: ["S256"],
    },
    ["http://127.0.0.1:50211/oauth_callback", "http://[::1]:50211/oauth_callback"],
  ),
  known(
    "zed",
    "Zed",
    {
      client_id: "https://zed.dev/oauth/client-metadata.json",
      client_name: "Zed",
      redirect_uris: ["http://127.0.0.1/callback"],
      ...publicClient,
    },
    ["http://127.0.0.1:49377/callback"],
  ),
  {
    name: "mcporter",
    title: "mcporter",
    document: undefined,
    registration: registering("mcporter", ["http://127.0.0.1:57120/callback"]),
    callbacks: ["http://127.0.0.1:57120/callback"],
  },
]

/** Finds a client by name or by the URL of its document. */
export const clientNamed = (name: string): NamedClient | undefined =>
  namedClients.find((each) => each.name === name || each.document?.client_id === name)

const strings = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : []

/** Returns a redirect URI as sent in a request. A loopback URI without a port gets an ephemeral one. */
const asked = (uri: string): string => {
  const found = /^(http:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]))(\/.*)?$/.exec(uri)
  return found === null ? uri : `${found[1]}:54545${found[2] ?? ""}`
}

/** Creates a client from a custom metadata document. */
export const clientOfDocument = (url: string, document: JsonObject): NamedClient => {
  const title = typeof document["client_name"] === "string" ? document["client_name"] : url
  return known(url, title, { ...document, client_id: url }, strings(document["redirect_uris"]).map(asked))
}

/** Returns the authentication methods that a client supports, the preferred one first. */
export const methodsOf = ({ document, registration }: NamedClient): ReadonlyArray<string> => {
  const { token_endpoint_auth_method: stated, token_endpoint_auth_methods_supported: able } = document ?? registration
  const all = [...(typeof stated === "string" ? [stated] : []), ...strings(able)]
  return all.length === 0 ? ["none"] : [...new Set(all)]
}

/** Returns the offered scopes that a client requests. It omits offline_access if the client can't use refresh tokens. */
export const scopeFor = ({ document, registration }: NamedClient, offered: string | undefined): string | undefined => {
  const { grant_types: types } = document ?? registration
  const refreshes = types === undefined || strings(types).includes("refresh_token")
  return refreshes
    ? offered
    : offered
        ?.split(" ")
        .filter((name) => name !== "offline_access")
        .join(" ")
}
