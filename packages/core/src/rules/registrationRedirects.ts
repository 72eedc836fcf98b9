import type { ClientMetadata } from "../model/index.ts"
import { type Fault, type RegistrationSeen, eachOf } from "./registrationFault.ts"
import { type Rule, pass, rule } from "./rule.ts"

/** Parameters of an authorization response (RFC 6749 §4.1.2, §4.2.2, OpenID Connect Core §3.3.2.5, Session Management §2, RFC 9207 §2, JARM §2.3). */
const responseParameters: ReadonlySet<string> = new Set([
  "code",
  "state",
  "iss",
  "error",
  "error_description",
  "error_uri",
  "access_token",
  "token_type",
  "expires_in",
  "scope",
  "id_token",
  "session_state",
  "response",
])

/** The parameter that a logout adds to where it sends people (RP-Initiated Logout §3). */
const logoutParameters: ReadonlySet<string> = new Set(["state"])

/**
 * A client that reads the first of two equal parameters would take the registered one for the provider's. Names are compared as a
 * client reads them: decoded, and without regard to case.
 */
const collision = (uri: string, taken: ReadonlySet<string>): readonly [string, string] | undefined => {
  const [, query = ""] = /^[^?#]*\?([^#]*)/s.exec(uri) ?? []
  const name = [...new URLSearchParams(query).keys()].map((each) => each.toLowerCase()).find((each) => taken.has(each))
  return name === undefined
    ? pass
    : [`carries ${name} in its query, which the provider adds`, `give the client's own parameter another name`]
}

/** Rules about what stands in the query of a URI to which the provider adds parameters. */
export const redirectParameterRules: ReadonlyArray<Rule<ClientMetadata, RegistrationSeen, Fault>> = [
  rule("registration.redirect-uri-parameters", "RFC 6749 §3.1.2, RFC 9207 §2, RFC 9700 §4.4", (client) =>
    eachOf("redirect_uris", client.redirect_uris, (uri) => collision(uri, responseParameters)),
  ),
  rule("registration.post-logout-parameters", "OpenID Connect RP-Initiated Logout §3", (client) =>
    eachOf("post_logout_redirect_uris", client.post_logout_redirect_uris, (uri) => collision(uri, logoutParameters)),
  ),
]
