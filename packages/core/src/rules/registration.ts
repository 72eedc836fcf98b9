import type { ClientMetadata } from "../model/index.ts"
import { canonicalResponseType, membersOf, responseTypesOf, scopeWords } from "../model/index.ts"
import { isLoopback, isLoopbackAddress, uriParts } from "./redirectUri.ts"
import { answerRules } from "./registrationAnswers.ts"
import { authMethod, authenticationRules } from "./registrationAuthentication.ts"
import { type Fault, type RegistrationSeen, apart, eachOf, fault, together } from "./registrationFault.ts"
import { demandRules } from "./registrationDemands.ts"
import { profileRules } from "./registrationProfile.ts"
import { redirectParameterRules } from "./registrationRedirects.ts"
import { publishedRules, requestObjectRules } from "./registrationRequests.ts"
import { objections, pass, rule, table } from "./rule.ts"

const grantTypes = (client: ClientMetadata): ReadonlyArray<string> => client.grant_types ?? ["authorization_code"]

const redirectFault = (uri: string, native: boolean, development: boolean): readonly [string, string] | undefined => {
  const parts = uriParts(uri)
  if (parts === undefined) return ["is not an absolute URI", "write it in full, with its scheme"]
  if (parts.fragment) return ["has a fragment", "leave out everything from the # on"]
  if (parts.userinfo) return ["carries a user name", "leave out everything before the @"]
  if (parts.scheme === "https") return parts.host === "" ? ["names no host", "write https://host/path"] : pass
  if (parts.scheme === "http") {
    if (native && isLoopbackAddress(parts.host)) return pass
    if (development && isLoopback(parts.host)) return pass
    return ["is http and not a loopback address of a native client", "use https, or application_type native with http://127.0.0.1/…"]
  }
  if (!native) return ["has a scheme of its own, which only a native client may use", "use https, or set application_type to native"]
  return parts.scheme.includes(".")
    ? pass
    : ["has a private scheme without a dot", "use a reversed domain name of yours: com.example.app:/callback"]
}

/** Rules a client's metadata must pass before it is registered (RFC 7591 §2). */
export const registrationRules = table<ClientMetadata, RegistrationSeen, Fault>("registration", [
  rule("registration.grant-types", "RFC 7591 §2", (client, seen) =>
    eachOf("grant_types", client.grant_types, (grant) =>
      seen.grantTypes.includes(grant)
        ? pass
        : [`${grant} is not a grant type of this provider`, `use one of: ${seen.grantTypes.join(", ")}`],
    ),
  ),
  rule("registration.response-types", "RFC 7591 §2", (client, seen) =>
    eachOf("response_types", client.response_types, (type) =>
      seen.responseTypes.includes(canonicalResponseType(type))
        ? pass
        : [`${type} is not a response type of this provider`, `use one of: ${seen.responseTypes.join(", ")}`],
    ),
  ),
  rule("registration.grant-and-response", "RFC 7591 §2.1", (client) => {
    const granted = grantTypes(client).includes("authorization_code")
    const code = responseTypesOf(client).some((type) => canonicalResponseType(type).split(" ").includes("code"))
    if (granted && !code)
      return fault(["response_types"], "authorization_code needs a response type with code", "add code to response_types")
    if (code && !granted)
      return fault(["grant_types"], "a response type with code needs authorization_code", "add authorization_code to grant_types")
    return pass
  }),
  rule("registration.implicit", "RFC 7591 §2.1", (client) => {
    const granted = grantTypes(client).includes("implicit")
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
  }),
  ...authenticationRules,
  rule("registration.public-grants", "RFC 6749 §4.4", (client) =>
    authMethod(client) === "none" && grantTypes(client).includes("client_credentials")
      ? fault(
          ["grant_types"],
          "client_credentials needs a client that can keep a secret",
          "set token_endpoint_auth_method to client_secret_basic and give a secret",
        )
      : pass,
  ),
  rule("registration.redirect-uris-present", "RFC 7591 §2", (client) =>
    responseTypesOf(client).length > 0 && (client.redirect_uris ?? []).length === 0
      ? fault(["redirect_uris"], "is missing or empty", "list every redirect URI of the client, in full")
      : pass,
  ),
  rule("registration.redirect-uris", "RFC 6749 §3.1.2, RFC 8252 §7, RFC 9700 §2.6", (client, seen) =>
    eachOf("redirect_uris", client.redirect_uris, (uri) => redirectFault(uri, client.application_type === "native", seen.development)),
  ),
  rule("registration.post-logout-redirect-uris", "OpenID Connect RP-Initiated Logout §3.1", (client, seen) =>
    eachOf("post_logout_redirect_uris", client.post_logout_redirect_uris, (uri) =>
      redirectFault(uri, client.application_type === "native", seen.development),
    ),
  ),
  ...redirectParameterRules,
  rule("registration.scope", "RFC 6749 §3.3", (client, seen) => {
    const unknown = scopeWords(client.scope ?? "").filter((name) => !seen.catalog.names.includes(name))
    return unknown.length === 0
      ? pass
      : fault(
          ["scope"],
          `${unknown.join(" ")}: no such scope`,
          `declare it under scopes or resources, or use: ${seen.catalog.names.join(" ")}`,
        )
  }),
  rule("registration.offline-access", "OpenID Connect Core §11", (client) =>
    scopeWords(client.scope ?? "").includes("offline_access") && !grantTypes(client).includes("refresh_token")
      ? fault(
          ["scope"],
          "offline_access without the refresh_token grant gives nothing",
          "add refresh_token to grant_types, or drop offline_access",
        )
      : pass,
  ),
  rule("registration.identity-providers", "specification §1", (client, seen) =>
    eachOf("identity_providers", client.identity_providers, (name) =>
      seen.identityProviders?.includes(name) === false
        ? [`${name} is no configured provider`, "declare it under identity_providers of the configuration"]
        : pass,
    ),
  ),
  rule("registration.local-login", "specification §1", (client) =>
    client.allow_local_login === false && (client.identity_providers ?? []).length === 0
      ? fault(
          ["allow_local_login"],
          "leaves its people no way to sign in",
          "name at least one of the configured providers in identity_providers",
        )
      : pass,
  ),
  rule("registration.introspection-resources", "RFC 7662 §2.1", (client, seen) =>
    eachOf("introspection_resources", client.introspection_resources, (identifier) =>
      seen.catalog.resources.some((resource) => resource.identifier === identifier)
        ? pass
        : [`${identifier} is no declared resource`, "declare it under resources"],
    ),
  ),
  rule("registration.grant-policies-known", "RFC 7591 §2", (client, { policyFaults }) =>
    together(
      Object.keys(client.grant_policies ?? {}).flatMap((name) =>
        policyFaults?.has(name) === true
          ? []
          : [fault(["grant_policies", name], "is no extension grant of this provider", "name one that is turned on, or remove it")],
      ),
    ),
  ),
  rule("registration.grant-policies", "RFC 7591 §2", (client, { policyFaults = new Map() }) =>
    together(
      [...policyFaults].flatMap(([name, faultOf]) => {
        const found = grantTypes(client).includes(name) ? faultOf(client.grant_policies?.[name]) : undefined
        return found === undefined ? [] : [{ ...found, path: ["grant_policies", name, ...found.path] }]
      }),
    ),
  ),
  ...profileRules,
  ...demandRules,
  ...answerRules,
  ...publishedRules,
  ...requestObjectRules,
])

/** Every fault of a client's metadata; empty when it may be registered. */
export const registrationFaults = (client: ClientMetadata, seen: RegistrationSeen): ReadonlyArray<Fault> =>
  [...objections(registrationRules, client, seen, seen.rulesOff), ...featureFaults(client, seen)].flatMap(apart)

const featureFaults = (client: ClientMetadata, provider: RegistrationSeen): ReadonlyArray<Fault> => {
  const judged = { client, provider, members: membersOf(client) }
  return (provider.registration ?? []).flatMap((each) => objections(each, judged, judged, provider.rulesOff))
}
