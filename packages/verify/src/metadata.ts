import type { Json, JsonObject } from "@postern/core/model"
import { proofAlgorithms } from "@postern/core/verify"
import { type Answer, protectedResourcePlace } from "@postern/core/wire"
import { type ResourceServerOptions, hasMetadata } from "./options.ts"

/** The place of a resource's metadata: its path comes after the well-known one (RFC 9728 §3.1). Undefined for a resource that is no URL of the web. */
export const metadataPlace = (options: Pick<ResourceServerOptions, "resource">): string | undefined =>
  hasMetadata(options) ? protectedResourcePlace(options.resource) : undefined

const present = (members: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

/** The metadata of a resource (RFC 9728 §2). */
export const metadataOf = ({ resource, issuer, scopes, dpop, bound, metadata }: ResourceServerOptions): JsonObject => ({
  ...metadata,
  ...present({
    resource,
    authorization_servers: [issuer],
    scopes_supported: scopes === undefined ? undefined : [...scopes],
    bearer_methods_supported: ["header"],
    dpop_signing_alg_values_supported: dpop === false ? undefined : [...(dpop?.algorithms ?? proofAlgorithms)],
    dpop_bound_access_tokens_required: bound === "dpop" ? true : undefined,
    tls_client_certificate_bound_access_tokens: bound === "certificate" ? true : undefined,
  }),
})

/** The answer with a resource's metadata, for everybody and for scripts of every origin (RFC 9728 §3.2). */
export const metadataAnswer = (metadata: JsonObject): Answer => ({
  status: 200,
  headers: [
    ["content-type", "application/json"],
    ["cache-control", "public, max-age=300"],
    ["access-control-allow-origin", "*"],
  ],
  body: JSON.stringify(metadata),
})
