import { textOf } from "../exchange/exchange.ts"
import { type Members, at, fault, members, typed, without } from "./change.ts"
import type { Fault } from "./fault.ts"

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

/** Adds a fragment to every endpoint address in the metadata. */
const withFragments = (found: Members): Members =>
  Object.fromEntries(
    Object.entries(found).flatMap(([name, value]) => (/_endpoint$|^jwks_uri$/.test(name) ? [[name, `${textOf(value)}#a`]] : [])),
  )

/** Metadata and keys that are changed before they are sent. */
export const publishedFaults: ReadonlyArray<Fault> = [
  metadata("issuer-other", "names another issuer in its metadata", "OpenID Connect Discovery §4.3", () => ({
    issuer: "https://other.conformance.test",
  })),
  metadata("issuer-slash", "adds a slash to its issuer", "OpenID Connect Discovery §4.3", ({ issuer }) => ({
    issuer: `${String(issuer)}/`,
  })),
  metadata("signed-none", "signs its metadata with no algorithm", "RFC 8414 §2.1", ({ issuer }) => ({
    signed_metadata: `${btoa('{"alg":"none"}').replaceAll("=", "")}.${btoa(JSON.stringify({ iss: issuer })).replace(/=+$/, "")}.`,
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
  metadata("fragments", "publishes every endpoint with a fragment", "OpenID Connect Discovery §3", withFragments),
  metadata("issuer-query", "adds a query to its issuer", "RFC 8414 §2", ({ issuer }) => ({ issuer: `${textOf(issuer)}?a=b` })),
  metadata("scope-form", "lists scopes with spaces in them", "RFC 6749 §3.3", () => ({ scopes_supported: ["openid", "a scope"] })),
  metadata("plain-alone", "offers plain challenges alone", "RFC 9700 §2.1.1", () => ({ code_challenge_methods_supported: ["plain"] })),
  metadata("no-auth-algs", "does not list the algorithms of client assertions", "RFC 8414 §2", () => ({
    token_endpoint_auth_signing_alg_values_supported: undefined,
  })),
  metadata("no-implicit", "lists no implicit grant beside its response types", "RFC 8414 §2", () => ({
    grant_types_supported: ["authorization_code"],
  })),
  metadata("no-sub", "does not list the claim sub", "OpenID Connect Discovery §3", () => ({ claims_supported: ["name"] })),
  metadata("no-userinfo", "does not publish its userinfo endpoint", "OpenID Connect Discovery §3", () => ({
    userinfo_endpoint: undefined,
  })),
  metadata("no-iss", "does not say that its answers name it", "RFC 9207 §3", () => ({
    authorization_response_iss_parameter_supported: undefined,
  })),
  metadata("objects-es256", "takes request objects of ES256 alone", "OpenID Connect Core §15.1", () => ({
    request_object_signing_alg_values_supported: ["ES256"],
  })),
  metadata("proofs-hs256", "takes proofs that are signed with a secret", "RFC 9449 §5.1", () => ({
    dpop_signing_alg_values_supported: ["HS256"],
  })),
  metadata("modes-other", "tells clients of results by a way that does not exist", "CIBA Core §4", () => ({
    backchannel_token_delivery_modes_supported: ["pigeon"],
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
    at("/openid-configuration", typed("text/html")),
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
  publishedKeys("none", "publishes no key", "RFC 7517 §5", () => undefined),
  publishedKeys("use-some", "says of one key alone what it is for", "RFC 7517 §4.2", (key) => ({
    ...key,
    use: key["kty"] === "RSA" ? "enc" : undefined,
  })),
  publishedKeys("use-other", "publishes keys for everything", "RFC 7517 §4.2", (key) => ({ ...key, use: "everything" })),
  publishedKeys("alg-none", "publishes a key for none", "RFC 8725 §3.2", (key) => ({ ...key, alg: "none" })),
  publishedKeys("unstable", "names its keys anew at each request", "OpenID Connect Core §10.1.1", (key) => ({
    ...key,
    kid: Math.random().toString(36),
  })),
  fault(
    "keys.no-cors",
    "keeps its keys from applications in a browser",
    "Fetch §3.2",
    ["keys"],
    at("/jwks", without("access-control-allow-origin")),
  ),
  fault(
    "metadata.oauth-other",
    "names another issuer in its metadata of RFC 8414",
    "RFC 8414 §3.3",
    ["discovery"],
    at(
      "/oauth-authorization-server",
      members(() => ({ issuer: "https://other.conformance.test" })),
    ),
  ),
]
