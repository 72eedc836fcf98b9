import { textOf } from "../exchange/exchange.ts"
import type { Fault } from "./fault.ts"

type Members = Readonly<Record<string, unknown>>
type Change = (answer: Response, request: Request) => Response | Promise<Response>

/** Changes the answers of one endpoint, by the end of its path. */
const at =
  (path: string, change: Change): Change =>
  (answer, request) =>
    new URL(request.url).pathname.endsWith(path) ? change(answer, request) : answer

const headed =
  (change: (headers: Headers) => void): Change =>
  (answer) => {
    const headers = new Headers(answer.headers)
    change(headers)
    return new Response(answer.body, { status: answer.status, headers })
  }

const without = (name: string): Change => headed((headers) => headers.delete(name))

const withStatus =
  (from: number, to: number): Change =>
  (answer) =>
    answer.status === from ? new Response(answer.body, { status: to, headers: answer.headers }) : answer

/** Changes the members of JSON answers; one that is undefined is left out. */
const members =
  (change: (found: Members) => Members): Change =>
  async (answer) => {
    if (!(answer.headers.get("content-type") ?? "").includes("json")) return answer
    const found = (await answer.json()) as Members
    return new Response(JSON.stringify({ ...found, ...change(found) }), { status: answer.status, headers: answer.headers })
  }

/** Changes the address that a redirect goes to. */
const sent =
  (change: (to: URL) => URL): Change =>
  (answer) => {
    const location = answer.headers.get("location")
    if (location === null || !location.startsWith("https://client.")) return answer
    return headed((headers) => headers.set("location", change(new URL(location)).href))(answer, new Request(location))
  }

const fault = (id: string, title: string, paragraph: string, near: ReadonlyArray<string>, answer: Change): Fault => ({
  id,
  title,
  paragraph,
  near,
  alteration: { answer },
})

const metadata = (id: string, title: string, paragraph: string, change: (found: Members) => Members): Fault =>
  fault(`metadata.${id}`, title, paragraph, ["discovery"], at("/openid-configuration", members(change)))

const publishedKeys = (id: string, title: string, paragraph: string, change: (key: Members) => Members | undefined): Fault =>
  fault(
    `keys.${id}`,
    title,
    paragraph,
    ["keys", "id-token"],
    at(
      "/jwks",
      members(({ keys }) => ({ keys: (keys as ReadonlyArray<Members>).map(change).filter((each) => each !== undefined) })),
    ),
  )

const tokens = (id: string, title: string, paragraph: string, change: Change): Fault =>
  fault(`token.${id}`, title, paragraph, ["code", "token", "client", "refresh"], at("/connect/token", change))

const parameters = (id: string, title: string, paragraph: string, change: (found: URLSearchParams) => void): Fault =>
  fault(
    `redirect.${id}`,
    title,
    paragraph,
    ["authorize", "response"],
    sent((to) => {
      change(to.searchParams)
      return to
    }),
  )

/** Answers that are changed on their way out. */
export const answerFaults: ReadonlyArray<Fault> = [
  metadata("issuer-other", "names another issuer in its metadata", "OpenID Connect Discovery §4.3", () => ({
    issuer: "https://other.conformance.test",
  })),
  metadata("issuer-slash", "adds a slash to its issuer", "OpenID Connect Discovery §4.3", ({ issuer }) => ({
    issuer: `${String(issuer)}/`,
  })),
  metadata("no-rs256", "does not list RS256", "OpenID Connect Discovery §3", () => ({ id_token_signing_alg_values_supported: ["ES256"] })),
  metadata("no-code", "does not list the code flow", "OpenID Connect Discovery §3", () => ({ response_types_supported: ["id_token"] })),
  metadata("subject-types", "lists a subject type that does not exist", "OpenID Connect Discovery §3", () => ({
    subject_types_supported: ["private"],
  })),
  metadata("http-endpoint", "publishes an endpoint without TLS", "OpenID Connect Discovery §3", ({ userinfo_endpoint: url }) => ({
    userinfo_endpoint: String(url).replace("https:", "http:"),
  })),
  metadata("fragment", "publishes an endpoint with a fragment", "OpenID Connect Discovery §3", ({ userinfo_endpoint: url }) => ({
    userinfo_endpoint: `${String(url)}#a`,
  })),
  metadata("empty-list", "publishes an empty list", "RFC 8414 §2", () => ({ acr_values_supported: [] })),
  metadata("boolean-text", "says yes as a text", "OpenID Connect Discovery §3", () => ({ claims_parameter_supported: "true" })),
  metadata("repeated", "lists a value twice", "OpenID Connect Discovery §3", () => ({ response_modes_supported: ["query", "query"] })),
  metadata("auth-none-alg", "offers none for client assertions", "RFC 8414 §2", () => ({
    token_endpoint_auth_signing_alg_values_supported: ["none", "ES256"],
  })),
  metadata("locales", "lists locales that are none", "OpenID Connect Discovery §3", () => ({ ui_locales_supported: ["de_AT.UTF-8"] })),
  metadata("scopes", "does not list openid", "OpenID Connect Discovery §3", () => ({ scopes_supported: ["profile"] })),
  fault(
    "metadata.html",
    "serves its metadata as HTML",
    "OpenID Connect Discovery §4.2",
    ["discovery"],
    at(
      "/openid-configuration",
      headed((headers) => headers.set("content-type", "text/html")),
    ),
  ),
  fault(
    "metadata.no-cors",
    "keeps its metadata from applications in a browser",
    "Fetch §3.2",
    ["discovery"],
    at("/openid-configuration", without("access-control-allow-origin")),
  ),
  publishedKeys("private", "publishes its private keys", "RFC 7517 §9.2", (key) => ({ ...key, d: "AAAA" })),
  publishedKeys("kid-shared", "gives all keys one kid", "RFC 7517 §4.5", (key) => ({ ...key, kid: "one" })),
  publishedKeys("kid-missing", "publishes keys without a kid", "OpenID Connect Core §10.1", (key) => ({ ...key, kid: undefined })),
  publishedKeys("padded", "pads its keys", "RFC 7518 §6", (key) => ({
    ...key,
    ...(key["n"] === undefined ? { x: `${textOf(key["x"])}=` } : { n: `${textOf(key["n"])}=` }),
  })),
  publishedKeys("symmetric", "publishes a symmetric key", "RFC 7518 §6.4", (key) =>
    key["kty"] === "EC" ? { kty: "oct", k: "AAAA", kid: key["kid"] } : key,
  ),
  publishedKeys("no-rsa", "publishes no RSA key", "OpenID Connect Core §15.1", (key) => (key["kty"] === "RSA" ? undefined : key)),
  publishedKeys("small", "publishes an RSA key of 1024 bits", "RFC 7518 §3.3", (key) =>
    key["n"] === undefined ? key : { ...key, n: Buffer.alloc(128, 255).toString("base64url") },
  ),
  tokens("cached", "lets caches keep its tokens", "RFC 6749 §5.1", without("cache-control")),
  tokens(
    "type-missing",
    "does not say how its tokens are used",
    "RFC 6749 §5.1",
    members(() => ({ token_type: undefined })),
  ),
  tokens(
    "html",
    "answers with tokens as text",
    "RFC 6749 §5.1",
    headed((headers) => headers.set("content-type", "text/plain")),
  ),
  tokens("error-ok", "answers errors with 200", "RFC 6749 §5.2", withStatus(400, 200)),
  tokens(
    "error-characters",
    "describes errors in characters that are not allowed",
    "RFC 6749 §5.2",
    members(({ error }) => (error === undefined ? {} : { error_description: 'a "quote"' })),
  ),
  tokens("no-challenge", "does not say how clients prove themselves", "RFC 6749 §5.2", without("www-authenticate")),
  tokens("client-403", "answers failed clients with 403", "RFC 6749 §5.2", withStatus(401, 403)),
  tokens("no-cors", "keeps its tokens from applications in a browser", "Fetch §3.2", without("access-control-allow-origin")),
  parameters("state-lost", "loses the state", "RFC 6749 §4.1.2", (found) => found.delete("state")),
  parameters("state-changed", "changes the state", "RFC 6749 §4.1.2", (found) =>
    found.set("state", found.get("state")?.toLowerCase() ?? "made up"),
  ),
  parameters("iss-other", "names another issuer in its answers", "RFC 9207 §2.4", (found) =>
    found.set("iss", "https://other.conformance.test"),
  ),
  parameters("iss-lost", "leaves its issuer out of answers", "RFC 9207 §2", (found) => found.delete("iss")),
  fault(
    "redirect.code-in-fragment",
    "puts a code into the fragment",
    "OAuth 2.0 Multiple Response Types §5",
    ["authorize"],
    sent((to) => {
      if (!to.searchParams.has("code")) return to
      to.hash = to.search.slice(1)
      to.search = ""
      return to
    }),
  ),
  fault(
    "redirect.tokens-in-query",
    "puts tokens into the query",
    "OAuth 2.0 Multiple Response Types §5",
    ["response"],
    sent((to) => {
      if (!to.hash.includes("token")) return to
      to.search = to.hash.slice(1)
      to.hash = ""
      return to
    }),
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
  fault(
    "userinfo.sub-missing",
    "tells no sub at userinfo",
    "OpenID Connect Core §5.3.2",
    ["userinfo"],
    at(
      "/userinfo",
      members(() => ({ sub: undefined })),
    ),
  ),
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
    at(
      "/userinfo",
      members(({ email }) => (email === undefined ? {} : { email_verified: "true" })),
    ),
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
    at(
      "/deviceauthorization",
      members(() => ({ expires_in: undefined })),
    ),
  ),
]
