import { canonicalResponseType, grantTypesOf, responseTypesOf } from "../../model/index.ts"
import { algorithmAccepted, ownAlgorithms } from "../../rules/registrationAlgorithm.ts"
import { type Fault, type Registration, type RegistrationSeen, eachOf, fault } from "../../rules/registrationFault.ts"
import { registeredProfile } from "../../rules/profile.ts"
import { type UriParts, authorityFault, uriParts } from "../../rules/redirectUri.ts"
import { documentFault, keyLack } from "../../rules/registrationPublished.ts"
import { collision, redirectFault, responseParameters } from "../../rules/registrationRedirects.ts"
import { pass, table } from "../../rules/rule.ts"
import type { ClientMetadata } from "../../model/index.ts"

/** Reads a redirect URI on `http://localhost` of a native client that may use such URIs; undefined for any other. */
const localhostOf = (
  { application_type: type, loopback_localhost: allowed, profile }: ClientMetadata,
  seen: RegistrationSeen,
  uri: string,
): UriParts | undefined => {
  const parts = uriParts(uri)
  const mayHave = allowed ?? registeredProfile(profile, seen).parameters.loopbackLocalhost === "any-port"
  const isLocalhost = parts?.scheme === "http" && parts.host === "localhost" && !parts.fragment && !parts.userinfo
  return type === "native" && mayHave && isLocalhost ? parts : undefined
}

/** Rules for redirect URIs, for clients that receive tokens through the browser, and for clients that send request objects. */
export const registration = table<Registration, Fault>("registration/authorize")
  .rule("registration.response-types", "RFC 7591 §2", ({ client, provider: seen }) =>
    eachOf("response_types", client.response_types, (type) =>
      seen.responseTypes.includes(canonicalResponseType(type))
        ? pass
        : [`${type} is not a response type of this provider`, `use one of: ${seen.responseTypes.join(", ")}`],
    ),
  )
  .rule("registration.grant-and-response", "RFC 7591 §2.1", ({ client }) => {
    const granted = grantTypesOf(client).includes("authorization_code")
    const code = responseTypesOf(client).some((type) => canonicalResponseType(type).split(" ").includes("code"))
    if (granted && !code)
      return fault(["response_types"], "authorization_code needs a response type with code", "add code to response_types")
    if (code && !granted)
      return fault(["grant_types"], "a response type with code needs authorization_code", "add authorization_code to grant_types")
    return pass
  })
  .rule("registration.redirect-uris-present", "RFC 7591 §2", ({ client }) =>
    responseTypesOf(client).length > 0 && (client.redirect_uris ?? []).length === 0
      ? fault(["redirect_uris"], "is missing or empty", "list every redirect URI of the client, in full")
      : pass,
  )
  .rule("registration.redirect-uris", "RFC 6749 §3.1.2, RFC 8252 §7, RFC 9700 §2.6", ({ client, provider: seen }) =>
    eachOf("redirect_uris", client.redirect_uris, (uri) => {
      const localhost = localhostOf(client, seen, uri)
      return localhost === undefined
        ? redirectFault(uri, client.application_type === "native", seen.development)
        : authorityFault(localhost)
    }),
  )
  .rule("registration.redirect-uri-parameters", "RFC 6749 §3.1.2, RFC 9207 §2, RFC 9700 §4.4", ({ client }) =>
    eachOf("redirect_uris", client.redirect_uris, (uri) => collision(uri, responseParameters)),
  )
  .rule("registration.implicit", "RFC 7591 §2.1", ({ client }) => {
    const granted = grantTypesOf(client).includes("implicit")
    const front = responseTypesOf(client).find((type) => /(?:^| )(?:id_token|token)(?: |$)/.test(type))
    if (granted && front === undefined)
      return fault(
        ["response_types"],
        "implicit needs a response type with id_token or token",
        "add one, or drop implicit from grant_types",
      )
    return !granted && front !== undefined
      ? fault(
          ["grant_types"],
          `the response type ${front} needs implicit`,
          "add implicit to grant_types: tokens through the browser are off until then",
        )
      : pass
  })
  .rule("registration.request-uris", "OpenID Connect Dynamic Client Registration §2", ({ client, provider: seen }) =>
    eachOf("request_uris", client.request_uris, (uri) => documentFault(uri, seen.development)),
  )
  .rule("registration.request-object-keys", "OpenID Connect Core §6.1, FAPI 2.0 Message Signing §5.3", ({ client, provider }) => {
    const { name, parameters } = registeredProfile(client.profile, provider)
    const { request_object_signing_alg: alg, require_signed_request_object: required, request_uris: uris = [] } = client
    if (alg === "none") return pass
    const lack = keyLack(client, ownAlgorithms(alg, { parameters }))
    if (lack === undefined) return pass
    const [reason, hint] = lack
    if (alg !== undefined) return fault(["request_object_signing_alg"], `is ${alg}, and ${reason}`, hint)
    if (required === true) return fault(["require_signed_request_object"], `asks for signatures, and ${reason}`, hint)
    if (parameters.signedRequests === "all" && responseTypesOf(client).length > 0)
      return fault(["profile"], `${name} demands signed requests, and ${reason}`, hint)
    return uris.length > 0
      ? fault(["request_uris"], `has signed requests, and ${reason}`, `${hint}; or set request_object_signing_alg to none`)
      : pass
  })
  .rule("registration.request-object-signed", "RFC 9101 §10.5", ({ client }) =>
    client.require_signed_request_object === true && client.request_object_signing_alg === "none"
      ? fault(
          ["request_object_signing_alg"],
          "is none, while require_signed_request_object asks for signatures",
          "name an algorithm, or leave it out",
        )
      : pass,
  )
  .rule("registration.request-object-encryption", "OpenID Connect Dynamic Client Registration §2", ({ client, provider: seen }) => {
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
  })
  .include(algorithmAccepted("request_object_signing_alg"))
