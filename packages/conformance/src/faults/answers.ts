import { type Change, at, beside, fault, headed, lacking, members, parameters, sent, typed, withStatus, without } from "./change.ts"
import type { Fault } from "./fault.ts"

const tokens = (id: string, title: string, paragraph: string, change: Change): Fault =>
  fault(`token.${id}`, title, paragraph, ["code", "token", "client", "refresh"], at("/connect/token", change))

const response = (id: string, title: string, paragraph: string, change: (found: URLSearchParams) => void): Fault =>
  fault(`redirect.${id}`, title, paragraph, ["authorize", "response"], parameters(change))

/** Moves a response from the query to the fragment of its address, or back, if that part matches. */
const moved = (from: "hash" | "search", into: "hash" | "search", what: RegExp): Change =>
  sent((to) => {
    if (!what.test(to[from])) return to
    to[into] = to[from].slice(1)
    to[from] = ""
    return to
  })

/** Responses of the endpoints that are changed before they are sent. */
export const answerFaults: ReadonlyArray<Fault> = [
  tokens("cached", "lets caches keep its tokens", "RFC 6749 §5.1", without("cache-control")),
  tokens("type-missing", "does not say how its tokens are used", "RFC 6749 §5.1", lacking("token_type")),
  tokens("html", "answers with tokens as text", "RFC 6749 §5.1", typed("text/plain")),
  tokens("error-ok", "answers errors with 200", "RFC 6749 §5.2", withStatus(400, 200)),
  tokens(
    "error-characters",
    "describes errors in characters that are not allowed",
    "RFC 6749 §5.2",
    beside("error", { error_description: 'a "quote"' }),
  ),
  tokens("no-challenge", "does not say how clients prove themselves", "RFC 6749 §5.2", without("www-authenticate")),
  tokens("client-403", "answers failed clients with 403", "RFC 6749 §5.2", withStatus(401, 403)),
  tokens("no-cors", "keeps its tokens from applications in a browser", "Fetch §3.2", without("access-control-allow-origin")),
  response("state-lost", "loses the state", "RFC 6749 §4.1.2", (found) => found.delete("state")),
  response("state-changed", "changes the state", "RFC 6749 §4.1.2", (found) =>
    found.set("state", found.get("state")?.toLowerCase() ?? "made up"),
  ),
  response("iss-other", "names another issuer in its answers", "RFC 9207 §2.4", (found) =>
    found.set("iss", "https://other.conformance.test"),
  ),
  response("iss-lost", "leaves its issuer out of answers", "RFC 9207 §2", (found) => found.delete("iss")),
  fault(
    "redirect.code-in-fragment",
    "puts a code into the fragment",
    "OAuth 2.0 Multiple Response Types §5",
    ["authorize"],
    moved("search", "hash", /[?&]code=/),
  ),
  fault(
    "redirect.tokens-in-query",
    "puts tokens into the query",
    "OAuth 2.0 Multiple Response Types §5",
    ["response"],
    moved("hash", "search", /token/),
  ),
  fault(
    "pages.framed",
    "lets other sites frame its sign-in page",
    "RFC 9700 §4.16",
    ["authorize"],
    headed((headers) => {
      headers.delete("content-security-policy")
      headers.delete("x-frame-options")
    }),
  ),
  fault("pages.referrer", "tells other sites where a person was", "RFC 9700 §4.2.4", ["authorize"], without("referrer-policy")),
  fault("pages.307", "sends the browser on with 307", "RFC 9700 §4.12", ["authorize"], withStatus(303, 307)),
  fault(
    "pages.cookies",
    "lets scripts read its cookies",
    "RFC 6265 §4.1.2.6",
    ["authorize"],
    headed((headers) => {
      const cookies = headers.getSetCookie()
      headers.delete("set-cookie")
      for (const each of cookies) headers.append("set-cookie", each.replace(/;\s*httponly/i, ""))
    }),
  ),
  fault(
    "userinfo.sub-other",
    "tells of another person at userinfo",
    "OpenID Connect Core §5.3.2",
    ["userinfo"],
    at(
      "/userinfo",
      members(() => ({ sub: "somebody else" })),
    ),
  ),
  fault("userinfo.sub-missing", "tells no sub at userinfo", "OpenID Connect Core §5.3.2", ["userinfo"], at("/userinfo", lacking("sub"))),
  fault(
    "userinfo.null",
    "tells null for what it does not know",
    "OpenID Connect Core §5.3.2",
    ["userinfo"],
    at(
      "/userinfo",
      members(() => ({ middle_name: null })),
    ),
  ),
  fault(
    "userinfo.verified-text",
    "tells email_verified as a text",
    "OpenID Connect Core §5.1",
    ["userinfo"],
    at("/userinfo", beside("email", { email_verified: "true" })),
  ),
  fault(
    "userinfo.too-much",
    "tells the email to everybody",
    "OpenID Connect Core §5.4",
    ["userinfo"],
    at(
      "/userinfo",
      members(() => ({ email: "alice@example.com" })),
    ),
  ),
  fault(
    "userinfo.no-challenge",
    "does not say how userinfo is asked",
    "RFC 6750 §3",
    ["userinfo"],
    at("/userinfo", without("www-authenticate")),
  ),
  fault(
    "introspection.active",
    "calls every token active",
    "RFC 7662 §2.2",
    ["introspection"],
    at(
      "/introspect",
      members(() => ({ active: true })),
    ),
  ),
  fault(
    "introspection.too-much",
    "tells of tokens that are not active",
    "RFC 7662 §2.2",
    ["introspection"],
    at(
      "/introspect",
      members(({ active }) => (active === false ? { sub: "alice" } : {})),
    ),
  ),
  fault(
    "revocation.unknown-error",
    "refuses to revoke what it does not know",
    "RFC 7009 §2.2",
    ["revocation"],
    at("/revocation", withStatus(200, 400)),
  ),
  fault("pushed.200", "answers pushed requests with 200", "RFC 9126 §2.2", ["pushed"], at("/par", withStatus(201, 200))),
  fault(
    "device.no-interval",
    "never tells a device to wait",
    "RFC 8628 §3.5",
    ["device"],
    at(
      "/connect/token",
      members(({ error }) => (error === "authorization_pending" || error === "slow_down" ? { error: "invalid_grant" } : {})),
    ),
  ),
  fault(
    "device.no-expiry",
    "does not say how long a device code lives",
    "RFC 8628 §3.2",
    ["device"],
    at("/deviceauthorization", lacking("expires_in")),
  ),
]
