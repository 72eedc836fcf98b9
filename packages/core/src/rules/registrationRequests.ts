import type { ClientMetadata } from "../model/index.ts"
import { isLoopback, uriParts } from "./redirectUri.ts"
import { type Fault, type RegistrationSeen, eachOf, fault, together } from "./registrationFault.ts"
import { type Rule, pass, rule } from "./rule.ts"

/** What is wrong with a URL that the provider fetches, or could. */
const documentFault = (uri: string, development: boolean): readonly [string, string] | undefined => {
  const parts = uriParts(uri)
  if (parts === undefined || parts.host === "") return ["is not an absolute URL", "write https://host/path"]
  if (parts.userinfo) return ["carries a user name", "leave out everything before the @"]
  if (parts.scheme === "https" || (development && parts.scheme === "http" && isLoopback(parts.host))) return pass
  return ["is not https", "use https; http is for loopback in development only"]
}

/** The members that make a JWK private, or a shared secret (RFC 7518 §6.2.2, §6.3.2, §6.4, RFC 8037 §2). */
const privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

const hasKeys = ({ jwks, jwks_uri }: ClientMetadata): boolean => jwks !== undefined || jwks_uri !== undefined

/** What must hold of what a client publishes, or states: its keys, and documents of its own. */
export const publishedRules: ReadonlyArray<Rule<ClientMetadata, RegistrationSeen, Fault>> = [
  rule("registration.keys-once", "RFC 7591 §2", (client) =>
    client.jwks !== undefined && client.jwks_uri !== undefined
      ? fault(["jwks_uri"], "is given beside jwks", "give one of the two: jwks_uri, where the client can publish its keys")
      : pass,
  ),
  rule("registration.keys-public", "RFC 7591 §2, RFC 7517 §9.2", (client) =>
    together(
      (client.jwks?.keys ?? []).flatMap((key, at) => {
        const secret = privateMembers.find((name) => name in key)
        return secret === undefined
          ? []
          : [fault(["jwks", "keys", at], `holds ${secret}, which is secret`, "give the public key alone, and replace a key that was shown")]
      }),
    ),
  ),
  rule("registration.jwks-uri", "RFC 7591 §5", (client, seen) => {
    const found = client.jwks_uri === undefined ? pass : documentFault(client.jwks_uri, seen.development)
    return found === undefined ? pass : fault(["jwks_uri"], ...found)
  }),
  rule("registration.request-uris", "OpenID Connect Dynamic Client Registration §2", (client, seen) =>
    eachOf("request_uris", client.request_uris, (uri) => documentFault(uri, seen.development)),
  ),
  rule("registration.initiate-login-uri", "OpenID Connect Dynamic Client Registration §2", (client, seen) => {
    const found = client.initiate_login_uri === undefined ? pass : documentFault(client.initiate_login_uri, seen.development)
    return found === undefined ? pass : fault(["initiate_login_uri"], ...found)
  }),
  rule("registration.sector-identifier-uri", "OpenID Connect Dynamic Client Registration §5", (client, seen) => {
    const found = client.sector_identifier_uri === undefined ? pass : documentFault(client.sector_identifier_uri, seen.development)
    return found === undefined ? pass : fault(["sector_identifier_uri"], ...found)
  }),
]

/** What must hold of a client that sends request objects. */
export const requestObjectRules: ReadonlyArray<Rule<ClientMetadata, RegistrationSeen, Fault>> = [
  rule("registration.request-object-keys", "OpenID Connect Core §6.1", (client) => {
    if (hasKeys(client)) return pass
    const { request_object_signing_alg: alg, require_signed_request_object: required } = client
    if (alg !== undefined && alg !== "none")
      return fault(["request_object_signing_alg"], `is ${alg}, and there is no key to verify it by`, "give jwks_uri or jwks")
    if (required === true && alg === undefined)
      return fault(["require_signed_request_object"], "asks for signatures, and there is no key to verify them by", "give jwks_uri or jwks")
    return (client.request_uris ?? []).length > 0 && alg === undefined
      ? fault(
          ["request_uris"],
          "needs keys to verify what is found there by",
          "give jwks_uri or jwks, or set request_object_signing_alg to none",
        )
      : pass
  }),
  rule("registration.request-object-signed", "RFC 9101 §10.5", (client) =>
    client.require_signed_request_object === true && client.request_object_signing_alg === "none"
      ? fault(
          ["request_object_signing_alg"],
          "is none, while require_signed_request_object asks for signatures",
          "name an algorithm, or leave it out",
        )
      : pass,
  ),
  rule("registration.request-object-encryption", "OpenID Connect Dynamic Client Registration §2", (client, seen) => {
    const { request_object_encryption_alg: alg, request_object_encryption_enc: enc } = client
    if (alg === undefined)
      return enc === undefined
        ? pass
        : fault(["request_object_encryption_enc"], "means nothing without request_object_encryption_alg", "give both, or neither")
    return seen.encryptionAlgorithms.includes(alg)
      ? pass
      : fault(
          ["request_object_encryption_alg"],
          `is ${alg}: the provider has no key for that`,
          seen.encryptionAlgorithms.length === 0
            ? "add RSA-OAEP-256 or ECDH-ES to signing.encryption_algorithms"
            : `use one of: ${seen.encryptionAlgorithms.join(", ")}`,
        )
  }),
]
