import { isLoopback, uriParts } from "./redirectUri.ts"
import { type Fault, type Registration, fault, together } from "./registrationFault.ts"
import { pass, table } from "./rule.ts"

/** The fault of a URL that the provider fetches, or could. */
export const documentFault = (uri: string, development: boolean): readonly [string, string] | undefined => {
  const parts = uriParts(uri)
  if (parts === undefined || parts.host === "") return ["is not an absolute URL", "write https://host/path"]
  if (parts.userinfo) return ["carries a user name", "leave out everything before the @"]
  if (parts.scheme === "https" || (development && parts.scheme === "http" && isLoopback(parts.host))) return pass
  return ["is not https", "use https; http is for loopback in development only"]
}

/** The members that make a JWK private, or a shared secret (RFC 7518 §6.2.2, §6.3.2, §6.4, RFC 8037 §2). */
const privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

/** The rules for the things that a client publishes, or states: its keys, and documents of its own. */
export const publishedRules = table<Registration, Fault>("registration/published")
  .rule("registration.keys-once", "RFC 7591 §2", ({ client }) =>
    client.jwks !== undefined && client.jwks_uri !== undefined
      ? fault(["jwks_uri"], "is given beside jwks", "give one of the two: jwks_uri, where the client can publish its keys")
      : pass,
  )
  .rule("registration.keys-public", "RFC 7591 §2, RFC 7517 §9.2", ({ client }) =>
    together(
      (client.jwks?.keys ?? []).flatMap((key, at) => {
        const secret = privateMembers.find((name) => name in key)
        return secret === undefined
          ? []
          : [fault(["jwks", "keys", at], `holds ${secret}, which is secret`, "give the public key alone, and replace a key that was shown")]
      }),
    ),
  )
  .rule("registration.jwks-uri", "RFC 7591 §5", ({ client, provider: seen }) => {
    const found = client.jwks_uri === undefined ? pass : documentFault(client.jwks_uri, seen.development)
    return found === undefined ? pass : fault(["jwks_uri"], ...found)
  })
  .rule("registration.initiate-login-uri", "OpenID Connect Dynamic Client Registration §2", ({ client, provider: seen }) => {
    const found = client.initiate_login_uri === undefined ? pass : documentFault(client.initiate_login_uri, seen.development)
    return found === undefined ? pass : fault(["initiate_login_uri"], ...found)
  })
  .rule("registration.sector-identifier-uri", "OpenID Connect Dynamic Client Registration §5", ({ client, provider: seen }) => {
    const found = client.sector_identifier_uri === undefined ? pass : documentFault(client.sector_identifier_uri, seen.development)
    return found === undefined ? pass : fault(["sector_identifier_uri"], ...found)
  })
