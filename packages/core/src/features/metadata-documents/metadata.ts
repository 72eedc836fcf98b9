import type { Client, ClientMetadata, ClientTerms, Json, JsonObject } from "../../model/index.ts"
import { registeredClient } from "../../model/registered.ts"
import { isLoopback, uriParts } from "../../rules/redirectUri.ts"
import type { Fault } from "../../rules/registrationFault.ts"
import type { Composition } from "../feature.ts"
import {
  type Known,
  type RegistrationPolicy,
  algorithmsUnder,
  effective,
  inLanguage,
  instead,
  registeredNames,
} from "../registration/index.ts"
import type { DocumentPolicy, DocumentSettings, Place } from "./options.ts"
import type { MetadataDocumentRow } from "./rows.ts"

/** The algorithms with which a client can verify ID tokens (OpenID Connect Relying Party Metadata Choices §3). */
const algorithmsMember = "id_token_signing_alg_values_supported"

/** The authentication methods that a client says it can use. */
const methodsMember = "token_endpoint_auth_methods_supported"

const read: ReadonlySet<string> = new Set(["client_id", methodsMember, algorithmsMember])

/** The members of a document that have an effect. */
export const membersRead = (document: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(document).filter(([name]) => registeredNames.has(name) || inLanguage(name) !== undefined || read.has(name)),
  )

const texts = (value: Json | undefined): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string") : []

/**
 * The authentication method of a client. If the document does not state one, it is a signature if the client can sign and publishes keys,
 * because clients choose the strongest method that the provider also offers. Otherwise it is none, because no secret is shared with the
 * client (§4.1).
 */
const methodOf = (document: JsonObject): Json => {
  const { token_endpoint_auth_method: stated, jwks, jwks_uri: uri } = document
  if (stated !== undefined && stated !== null) return stated
  const able = texts(document[methodsMember])
  return able.includes("private_key_jwt") && (jwks !== undefined || uri !== undefined) ? "private_key_jwt" : "none"
}

/** Reports whether a redirect URI leads to the person's own device. Clients with such URIs seldom state that they are native. */
const isOnDevice = (uri: string): boolean => {
  const parts = uriParts(uri)
  return parts !== undefined && parts.scheme !== "https" && (parts.scheme !== "http" || isLoopback(parts.host))
}

/** Completes the metadata of a document with the values that it omits. `offered` has the algorithms that ID tokens may have, if they are known. */
const meant = (document: JsonObject, offered: ReadonlyArray<string>): JsonObject => {
  const able = texts(document[algorithmsMember])
  // RS256 is the default for a client that states nothing, and every client must be able to verify it (OpenID Connect Core §15.1).
  const both = able.length === 0 ? offered : able.filter((alg) => offered.length === 0 || offered.includes(alg))
  const algorithm = instead(both.length === 0 ? able : both)
  return {
    ...(algorithm === undefined ? {} : { id_token_signed_response_alg: algorithm }),
    ...document,
    token_endpoint_auth_method: methodOf(document),
    ...(texts(document["redirect_uris"]).some(isOnDevice) ? { application_type: document["application_type"] ?? "native" } : {}),
  }
}

/** The grants that clients may have if a policy states none: those in which a person approves a code. */
const grantTypes = ["authorization_code", "refresh_token"]

/** The effective limits, with the default grants and ports for documents where the policy states none. */
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

/** Members that a client cannot do without. A value of any other member that the client may not have is omitted. */
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
  /** The members of the document, completed with the values that it omits. */
  readonly asked: JsonObject
  readonly faults: ReadonlyArray<Fault>
}

/** Makes metadata from a document, as registration would. */
export const documented = (
  { clientId, document }: Pick<MetadataDocumentRow, "clientId" | "document">,
  policy: DocumentPolicy,
  settings: DocumentSettings,
  provider: Composition,
  known: Known & { readonly scope?: ReadonlyArray<string> | undefined },
): Documented => {
  const limits = limitsOf(policy, settings, known.scope)
  const asked = meant(document, algorithmsUnder(limits, known))
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
