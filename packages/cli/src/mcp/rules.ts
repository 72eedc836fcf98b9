import type { Json } from "@postern/core/model"
import { type NamedClient, methodsOf } from "./clients.ts"
import { type Looked, type Server, isSameIdentifier, textOf } from "./server.ts"

/** A requirement of clients. `check` returns the reason why it isn't met, or undefined. */
export interface McpRule<Seen> {
  readonly id: string
  readonly cites: string
  readonly check: (seen: Seen) => string | undefined
}

const rule = <Seen>(id: string, cites: string, check: McpRule<Seen>["check"]): McpRule<Seen> => ({ id, cites, check })

const mcp = "Model Context Protocol 2026-07-28, Authorization"

const listed = (value: Json | undefined, fallback: ReadonlyArray<string>): ReadonlyArray<Json> => (Array.isArray(value) ? value : fallback)

/** Reports whether a value is an https URL, or an http one on loopback. */
export const isWeb = (url: Json | undefined): url is string =>
  typeof url === "string" && /^(?:https:\/\/|http:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?:[:/]|$))/.test(url) && URL.canParse(url)

const placeOf = ({ url, problem }: Looked): string => (problem === undefined ? url : `${url} (${problem})`)

/** The requirements for the resource and its server. No client can use a server that doesn't meet them. */
export const serverRules: ReadonlyArray<McpRule<Server>> = [
  rule("mcp.resource-described", "RFC 9728 §3.1", ({ resource }) =>
    resource === undefined || resource.metadata !== undefined
      ? undefined
      : `no metadata of the resource is at ${resource.looked.map(placeOf).join(" or ")}`,
  ),
  rule("mcp.resource-same", "RFC 9728 §3.3", ({ resource }) =>
    resource?.metadata === undefined || isSameIdentifier(textOf(resource.metadata["resource"]), resource.url)
      ? undefined
      : `the metadata is about ${textOf(resource.metadata["resource"])}, and ${resource.url} was asked`,
  ),
  rule("mcp.resource-server", "RFC 9728 §2", ({ resource, issuer }) =>
    resource?.metadata === undefined || isWeb(issuer)
      ? undefined
      : "the metadata of the resource names no authorization server by an https URL",
  ),
  rule("mcp.metadata-found", "RFC 8414 §3.1, OpenID Connect Discovery §4", ({ looked, issuer }) =>
    !isWeb(issuer) || looked.some(({ found }) => found !== undefined)
      ? undefined
      : `no metadata of the server is at ${looked.map(placeOf).join(", ")}`,
  ),
  rule("mcp.issuer-same", "RFC 8414 §3.3", ({ looked, issuer }) => {
    const other = looked.find(({ found }) => found !== undefined && found["issuer"] !== issuer)
    return other && `${other.url} is the metadata of ${textOf(other.found?.["issuer"])}, and ${issuer} was asked`
  }),
  rule("mcp.endpoints", "RFC 8414 §2", ({ metadata, barred }) => {
    const missing = ["authorization_endpoint", "token_endpoint"].find((name) => !isWeb(metadata[name]))
    if (missing !== undefined) return `${missing} is missing, or is neither https nor of this machine`
    const [first] = Object.entries(barred)
    return first && `${first[0]} is not asked: ${first[1]}`
  }),
  rule("mcp.challenge-s256", `RFC 7636 §4.2; ${mcp}`, ({ metadata }) =>
    listed(metadata["code_challenge_methods_supported"], []).includes("S256")
      ? undefined
      : "code_challenge_methods_supported does not name S256: clients go no further",
  ),
  rule("mcp.code", "RFC 6749 §4.1", ({ metadata }) =>
    listed(metadata["response_types_supported"], ["code"]).includes("code") &&
    listed(metadata["grant_types_supported"], ["authorization_code"]).includes("authorization_code")
      ? undefined
      : "the server has no authorization code flow",
  ),
]

/** A client and the server that it uses. */
export interface Meeting {
  readonly client: NamedClient
  readonly server: Pick<Server, "metadata">
}

/** Reports whether a server supports client ID metadata documents. */
export const readsDocuments = ({ metadata }: Pick<Server, "metadata">): boolean =>
  metadata["client_id_metadata_document_supported"] === true

/**
 * Reports whether a client is identified by its document: it has one, the server supports documents, and they share an authentication
 * method, such as `none`.
 */
export const isByDocument = ({ client, server }: Meeting): boolean =>
  client.document !== undefined && readsDocuments(server) && hasMethod({ client, server })

const hasMethod = ({ client, server: { metadata } }: Meeting): boolean => {
  const known = listed(metadata["token_endpoint_auth_methods_supported"], ["client_secret_basic"])
  return methodsOf(client).some((method) => known.includes(method))
}

const registers = ({ metadata }: Pick<Server, "metadata">): boolean => isWeb(metadata["registration_endpoint"])

/** The requirements for a single client at a server. */
export const clientRules: ReadonlyArray<McpRule<Meeting>> = [
  rule("mcp.client-redirects", "RFC 6749 §3.1.2.2, RFC 7591 §2", ({ client }) =>
    client.callbacks.length > 0 ? undefined : "the client has no redirect_uris: no authorization response could reach it",
  ),
  rule("mcp.client-method", "Client ID Metadata Document §4.2, RFC 8414 §2", ({ client, server }) =>
    hasMethod({ client, server }) || client.document === undefined || !readsDocuments(server) || registers(server)
      ? undefined
      : `token_endpoint_auth_methods_supported names none of ${methodsOf(client).join(", ")}`,
  ),
  rule("mcp.client-known", `Client ID Metadata Document §5; RFC 7591 §3; ${mcp}`, ({ client, server }) => {
    if (isByDocument({ client, server }) || registers(server)) return undefined
    return client.document === undefined
      ? "the client registers itself, and the server has no registration_endpoint"
      : "client_id_metadata_document_supported is not true, and the server has no registration_endpoint"
  }),
]

/** Returns remarks about a server that don't prevent its use. */
export const remarksOn = ({ looked, metadata, resource, issuer }: Server): ReadonlyArray<string> => [
  ...(resource !== undefined && resource.challenge === undefined
    ? ["the resource answers without resource_metadata in WWW-Authenticate (RFC 9728 §5.1): clients guess the place of its metadata"]
    : []),
  ...(resource?.metadata !== undefined && resource.metadata["resource"] !== resource.url
    ? [`the resource spells itself ${textOf(resource.metadata["resource"])}: strict clients compare byte for byte (RFC 9728 §3.3)`]
    : []),
  ...(resource?.metadata === undefined ? [] : resource.looked.flatMap((each) => (each.problem === undefined ? [] : [placeOf(each)]))),
  ...looked.flatMap((each) =>
    each.found === undefined && isWeb(issuer) ? [`nothing is at ${placeOf(each)}, where clients look too`] : [],
  ),
  ...(metadata["authorization_response_iss_parameter_supported"] === true ? [] : ["responses do not name the issuer (RFC 9207)"]),
  ...(listed(metadata["grant_types_supported"], ["authorization_code"]).includes("refresh_token")
    ? []
    : ["there are no refresh tokens: people sign in again whenever a token ends"]),
  ...(listed(metadata["scopes_supported"], []).includes("offline_access")
    ? []
    : ["scopes_supported does not name offline_access: some clients then ask for no refresh token"]),
]
