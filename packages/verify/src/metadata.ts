import type { Json, JsonObject } from "@postern/core/model"
import { proofAlgorithms } from "@postern/core/verify"
import { type Answer, protectedResourcePlace } from "@postern/core/wire"
import { type ResourceServerOptions, dpopOf, hasMetadata } from "./options.ts"

/**
 * The path of a resource's metadata: the resource's own path follows the well-known one (RFC 9728 §3.1). Undefined for a resource that
 * cannot have metadata.
 */
export const metadataPlace = (options: Pick<ResourceServerOptions, "resource">): string | undefined =>
  hasMetadata(options) ? protectedResourcePlace(options.resource) : undefined

const present = (members: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

/** The metadata of a resource (RFC 9728 §2). */
export const metadataOf = (options: ResourceServerOptions): JsonObject => {
  const { resource, issuer, scopes, bound, metadata } = options
  const dpop = dpopOf(options)
  return {
    ...metadata,
    ...present({
      resource,
      authorization_servers: [issuer],
      scopes_supported: scopes === undefined ? undefined : [...scopes],
      bearer_methods_supported: ["header"],
      dpop_signing_alg_values_supported: dpop && [...(dpop.algorithms ?? proofAlgorithms)],
      dpop_bound_access_tokens_required: bound === "dpop" ? true : undefined,
      tls_client_certificate_bound_access_tokens: bound === "certificate" ? true : undefined,
    }),
  }
}

/** Makes the response with a resource's metadata. It is public and readable by scripts of every origin (RFC 9728 §3.2). */
export const metadataAnswer = (metadata: JsonObject): Answer => ({
  status: 200,
  headers: [
    ["content-type", "application/json"],
    ["cache-control", "public, max-age=300"],
    ["access-control-allow-origin", "*"],
  ],
  body: JSON.stringify(metadata),
})
