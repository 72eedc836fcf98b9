import { authorityFault, isLoopback, isLoopbackAddress, spellingFault, uriParts } from "./redirectUri.ts"
import { pass } from "./rule.ts"

/** Parameters of an authorization response (RFC 6749 §4.1.2, §4.2.2, OpenID Connect Core §3.3.2.5, Session Management §2, RFC 9207 §2, JARM §2.3). */
export const responseParameters: ReadonlySet<string> = new Set([
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

/**
 * Returns the fault of a redirect URI with the name of a response parameter: a client that reads the first of two equal parameters would
 * use the registered one instead of the provider's. Names are compared decoded and case-insensitively, as a client may read them.
 */
export const collision = (uri: string, taken: ReadonlySet<string>): readonly [string, string] | undefined => {
  const [, query = ""] = /^[^?#]*\?([^#]*)/s.exec(uri) ?? []
  const name = [...new URLSearchParams(query).keys()].map((each) => each.toLowerCase()).find((each) => taken.has(each))
  return name === undefined
    ? pass
    : [`carries ${name} in its query, which the provider adds`, `give the client's own parameter another name`]
}

/** Returns the fault of a redirect URI; undefined if there is none. */
export const redirectFault = (uri: string, native: boolean, development: boolean): readonly [string, string] | undefined => {
  const spelling = spellingFault(uri)
  if (spelling !== undefined) return spelling
  const parts = uriParts(uri)
  if (parts === undefined) return ["is not an absolute URI", "write it in full, with its scheme"]
  if (parts.fragment) return ["has a fragment", "remove the # and everything after it"]
  if (parts.userinfo) return ["carries a user name", "remove everything before the @"]
  if (parts.scheme === "https") {
    if (parts.host === "") return ["names no host", "write https://host/path"]
    return authorityFault(parts)
  }
  if (parts.scheme === "http") {
    if (native && isLoopbackAddress(parts.host)) return authorityFault(parts)
    if (development && isLoopback(parts.host)) return authorityFault(parts)
    return ["is http and not a loopback address of a native client", "use https, or application_type native with http://127.0.0.1/…"]
  }
  if (!native) return ["has a scheme of its own, which only a native client may use", "use https, or set application_type to native"]
  return parts.scheme.includes(".")
    ? pass
    : ["has a private scheme without a dot", "use a reversed domain name of yours: com.example.app:/callback"]
}
