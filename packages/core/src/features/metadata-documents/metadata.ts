import type { Client, ClientMetadata, ClientTerms, Json, JsonObject, Settings } from "../../model/index.ts"
import { registeredClient } from "../../model/registered.ts"
import { isLoopback, uriParts } from "../../rules/redirectUri.ts"
import type { Fault } from "../../rules/registrationFault.ts"
import type { Composition } from "../feature.ts"
import { type RegistrationPolicy, effective, inLanguage, registeredNames } from "../registration/index.ts"
import type { DocumentPolicy, DocumentSettings, Place } from "./options.ts"
import type { MetadataDocumentRow } from "./rows.ts"

/** The algorithms that a client can verify ID tokens by (OpenID Connect Relying Party Metadata Choices §3). */
const algorithmsMember = "id_token_signing_alg_values_supported"

/** The ways of client authentication that a client says it can use. */
const methodsMember = "token_endpoint_auth_methods_supported"

const read: ReadonlySet<string> = new Set(["client_id", methodsMember, algorithmsMember])

/** The members of a document that decide something. */
export const membersRead = (document: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(document).filter(([name]) => registeredNames.has(name) || inLanguage(name) !== undefined || read.has(name)),
  )

const texts = (value: Json | undefined): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string") : []

/**
 * The way that a client authenticates by. The one it states; of those it can use, a signature where it publishes keys, since clients take the strongest that
 * the provider offers too; and none where it says nothing, since a secret is shared with nobody (§4.1).
 */
const methodOf = (document: JsonObject): Json => {
  const { token_endpoint_auth_method: stated, jwks, jwks_uri: uri } = document
  if (stated !== undefined && stated !== null) return stated
  const able = texts(document[methodsMember])
  return able.includes("private_key_jwt") && (jwks !== undefined || uri !== undefined) ? "private_key_jwt" : "none"
}

/** Reports whether a redirect URI leads to the person's own device: such clients seldom say that they are native. */
const isOnDevice = (uri: string): boolean => {
  const parts = uriParts(uri)
  return parts !== undefined && parts.scheme !== "https" && (parts.scheme !== "http" || isLoopback(parts.host))
}

/** Metadata as a document means it, with what it leaves out. */
const meant = (document: JsonObject): JsonObject => {
  const able = texts(document[algorithmsMember])
  // RS256 is what a client gets that states nothing, and every client must be able to verify it (OpenID Connect Core §15.1).
  const algorithm = able.length === 0 || able.includes("RS256") ? undefined : able[0]
  return {
    ...(algorithm === undefined ? {} : { id_token_signed_response_alg: algorithm }),
    ...document,
    token_endpoint_auth_method: methodOf(document),
    ...(texts(document["redirect_uris"]).some(isOnDevice) ? { application_type: document["application_type"] ?? "native" } : {}),
  }
}

/** The grants that clients may have where a policy says nothing: those by which a person is asked for a code. */
const grantTypes = ["authorization_code", "refresh_token"]

/** The limits as they hold: with the grants and the ports that documents have where nothing is said. */
const limitsOf = (
  policy: DocumentPolicy,
  { loopbackLocalhost }: DocumentSettings,
  fallback: ReadonlyArray<string> | undefined,
): RegistrationPolicy => ({
  ...policy,
  scope: policy.scope ?? fallback,
  grantTypes: policy.grantTypes ?? grantTypes,
  metadata: { ...(loopbackLocalhost === undefined ? {} : { loopback_localhost: loopbackLocalhost }), ...policy.metadata },
})

/** Members without which a client is another one than it says; a value of any other that it may not have is left out. */
const essential: ReadonlySet<string> = new Set([
  "client_id",
  "redirect_uris",
  "token_endpoint_auth_method",
  "grant_types",
  "response_types",
  "scope",
  "jwks",
  "jwks_uri",
  "application_type",
  "subject_type",
])

/** Metadata of a document under the limits of its host. */
export interface Documented {
  readonly client: ClientMetadata
  readonly policy: RegistrationPolicy
  /** The members as the document means them. */
  readonly asked: JsonObject
  readonly faults: ReadonlyArray<Fault>
}

/** Makes metadata of a document, as registration would. */
export const documented = (
  { clientId, document }: Pick<MetadataDocumentRow, "clientId" | "document">,
  policy: DocumentPolicy,
  settings: DocumentSettings,
  provider: Composition,
  known: { readonly catalog: Pick<Settings["catalog"], "identity">; readonly scope?: ReadonlyArray<string> | undefined },
): Documented => {
  const asked = meant(document)
  const limits = limitsOf(policy, settings, known.scope)
  const { client, faults } = effective({ asked, stated: {}, policy: limits }, clientId, provider, known)
  return {
    client,
    policy: limits,
    asked,
    faults: faults.filter(({ path: [name] }) => essential.has(String(name)) || policy.metadata?.[String(name)] !== undefined),
  }
}

/** The client of a document. */
export const clientOf = (
  { document, digest, keys, logo, keepUntil }: Pick<MetadataDocumentRow, "document" | "digest" | "keys" | "logo" | "keepUntil">,
  metadata: ClientMetadata,
  { host, policy: { verified = false, development = false } }: Place,
  { lifetimes }: DocumentSettings,
): Client => {
  const client = registeredClient(metadata, lifetimes)
  const { scope } = document
  const terms: ClientTerms = {
    name: client.clientName ?? null,
    redirectUris: client.redirectUris,
    scope: typeof scope === "string" ? scope : null,
    method: client.tokenEndpointAuthMethod,
    keys: client.keys.jwksUri ?? keys ?? null,
  }
  return {
    ...client,
    keys: { ...client.keys, ofStranger: true },
    logoUri: logo,
    document: { host, digest, terms, isVerified: verified, isUnderDevelopment: development, keepUntil },
  }
}
