import { basic, request, signedIn } from "../support/flows.ts"
import type { World } from "../support/world.ts"

type Pairs = ReadonlyArray<readonly [string, string]>

/** One endpoint's request, and the parts of it that a stranger can fill with anything. */
export interface Row {
  /** As the route table names it. */
  readonly endpoint: string
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  readonly path: string
  /** True if the body is JSON: `fields` are then members of its object that hold a list, and `parameters` members that hold a text. */
  readonly json?: true
  /** Parameters that make the request a sound one, so that the rest of it is read too. */
  readonly fields?: Pairs
  readonly headers?: Readonly<Record<string, string>>
  /** True if a signed-in person asks. */
  readonly person?: true
  /** Parameters whose values are read. */
  readonly parameters?: ReadonlyArray<string>
  /** Most characters of a request, if less than a body or URL may have. */
  readonly longest?: number
}

const device = "urn:ietf:params:oauth:grant-type:device_code"
const exchange = "urn:ietf:params:oauth:grant-type:token-exchange"
const machine = { authorization: basic("machine") }
const web = { authorization: basic("web") }
const exchanges = { authorization: basic("exchanges") }

const authorizeParameters = [
  "client_id",
  "redirect_uri",
  "response_type",
  "response_mode",
  "scope",
  "state",
  "nonce",
  "prompt",
  "max_age",
  "code_challenge",
  "resource",
  "login_hint",
  "ui_locales",
  "claims",
  "claims_locales",
  "acr_values",
  "id_token_hint",
  "authorization_details",
  "request",
  "request_uri",
]

/** Builds the row of an endpoint that reads no parameter. */
const unread = (endpoint: string, path: string): Row => ({ endpoint, method: "GET", path })

const token = (grantType: string, parameters: ReadonlyArray<string>, headers: Readonly<Record<string, string>> = web): Row => ({
  endpoint: "token",
  method: "POST",
  path: "/connect/token",
  fields: [["grant_type", grantType]],
  headers,
  parameters,
})

/** Every endpoint of the route table, each way it can be asked. One that is missing here fails a test. */
export const rows: ReadonlyArray<Row> = [
  unread("discovery", "/.well-known/openid-configuration"),
  unread("metadata", "/.well-known/oauth-authorization-server"),
  { endpoint: "protected-resource", method: "GET", path: "/.well-known/oauth-protected-resource/notes" },
  unread("jwks", "/.well-known/openid-configuration/jwks"),
  {
    endpoint: "authorize",
    method: "GET",
    path: "/connect/authorize",
    fields: Object.entries(request("hybrid")),
    parameters: authorizeParameters,
    person: true,
  },
  {
    endpoint: "authorize",
    method: "POST",
    path: "/connect/authorize",
    fields: Object.entries(request("asks")),
    parameters: authorizeParameters,
    person: true,
    longest: 12_288,
  },
  { endpoint: "authorize", method: "POST", path: "/connect/authorize", fields: Object.entries(request()), parameters: ["claims", "scope"] },
  {
    endpoint: "resume",
    method: "GET",
    path: "/connect/authorize/resume",
    parameters: ["interaction"],
    person: true,
  },
  token("authorization_code", ["authorization_details", "code", "redirect_uri", "code_verifier", "resource", "client_id", "client_secret"]),
  token("refresh_token", ["authorization_details", "refresh_token", "scope", "resource"]),
  token("client_credentials", ["authorization_details", "scope", "resource", "grant_type"], machine),
  token("client_credentials", ["authorization_details", "client_assertion"], {}),
  token("password", ["username", "password", "scope", "acr_values"], { authorization: basic("ropc") }),
  token(device, ["device_code"], { authorization: basic("screen") }),
  token(exchange, ["subject_token", "actor_token", "audience", "scope", "resource"], exchanges),
  token("urn:ietf:params:oauth:grant-type:jwt-bearer", ["assertion", "scope"], exchanges),
  {
    endpoint: "token",
    method: "POST",
    path: "/connect/token",
    fields: [
      ["grant_type", exchange],
      ["requested_token_type", "urn:ietf:params:oauth:token-type:id-jag"],
    ],
    headers: exchanges,
    parameters: ["subject_token", "subject_token_type", "audience", "scope", "resource"],
  },
  { endpoint: "userinfo", method: "GET", path: "/connect/userinfo", parameters: ["access_token"] },
  { endpoint: "userinfo", method: "POST", path: "/connect/userinfo", parameters: ["access_token"] },
  { endpoint: "revocation", method: "POST", path: "/connect/revocation", headers: web, parameters: ["token", "token_type_hint"] },
  {
    endpoint: "introspection",
    method: "POST",
    path: "/connect/introspect",
    headers: { authorization: basic("api") },
    parameters: ["token", "token_type_hint"],
  },
  {
    endpoint: "device-authorization",
    method: "POST",
    path: "/connect/deviceauthorization",
    headers: { authorization: basic("screen") },
    parameters: ["scope", "client_id", "authorization_details"],
  },
  {
    endpoint: "pushed-authorization",
    method: "POST",
    path: "/connect/par",
    headers: { authorization: basic("web") },
    parameters: ["scope", "redirect_uri", "state", "claims", "prompt", "resource", "request"],
  },
  {
    endpoint: "backchannel-authentication",
    method: "POST",
    path: "/connect/ciba",
    headers: { authorization: basic("may-sign") },
    parameters: [
      "scope",
      "login_hint",
      "binding_message",
      "id_token_hint",
      "login_hint_token",
      "acr_values",
      "authorization_details",
      "resource",
      "request",
      "requested_expiry",
    ],
  },
  { endpoint: "approval", method: "GET", path: "/approve", parameters: ["request", "another"], person: true },
  { endpoint: "approval", method: "POST", path: "/approve", parameters: ["request", "csrf", "decision"], person: true },
  {
    endpoint: "registration",
    method: "POST",
    path: "/connect/register",
    json: true,
    fields: [["redirect_uris", "https://app.example/cb"]],
    parameters: ["client_name", "scope", "client_uri", "jwks_uri", "initiate_login_uri", "software_statement"],
  },
  { endpoint: "manage-registration", method: "GET", path: "/connect/register/client", parameters: ["client_id"] },
  { endpoint: "manage-registration", method: "PUT", path: "/connect/register/client", json: true, parameters: ["client_id"] },
  { endpoint: "manage-registration", method: "DELETE", path: "/connect/register/client", parameters: ["client_id"] },
  { endpoint: "device", method: "GET", path: "/device", parameters: ["user_code"] },
  { endpoint: "device", method: "POST", path: "/device", parameters: ["user_code", "csrf", "decision"], person: true },
  { endpoint: "device-qr", method: "GET", path: "/device/qr", parameters: ["user_code"] },
  { endpoint: "login", method: "GET", path: "/login", parameters: ["interaction", "ui_locales"] },
  { endpoint: "login", method: "POST", path: "/login", parameters: ["interaction", "csrf", "username", "password"], person: true },
  { endpoint: "login-upstream", method: "POST", path: "/login/upstream", parameters: ["interaction", "csrf", "provider"], person: true },
  { endpoint: "login-callback", method: "GET", path: "/login/callback/corp", parameters: ["state", "code", "error", "iss"] },
  { endpoint: "login-callback", method: "POST", path: "/login/callback/corp", parameters: ["state", "code"], person: true },
  {
    endpoint: "upstream-logout",
    method: "POST",
    path: "/login/upstream-logout/corp",
    parameters: ["logout_token"],
  },
  { endpoint: "consent", method: "GET", path: "/consent", parameters: ["interaction"], person: true },
  { endpoint: "consent", method: "POST", path: "/consent", parameters: ["interaction", "csrf", "scope", "decision"], person: true },
  unread("check-session", "/connect/checksession"),
  { endpoint: "home", method: "GET", path: "/", person: true },
  {
    endpoint: "end-session",
    method: "GET",
    path: "/connect/endsession",
    parameters: ["id_token_hint", "client_id", "post_logout_redirect_uri", "state", "ui_locales"],
    person: true,
  },
  {
    endpoint: "end-session",
    method: "POST",
    path: "/connect/endsession",
    parameters: ["id_token_hint", "state", "client_id", "csrf"],
    person: true,
    longest: 12_288,
  },
  { endpoint: "end-session", method: "POST", path: "/connect/endsession", parameters: ["state"] },
  { endpoint: "end-session-of-mine", method: "POST", path: "/sessions/end", parameters: ["csrf", "session"], person: true },
  { endpoint: "withdraw-consent", method: "POST", path: "/consents/withdraw", parameters: ["csrf", "client_id"], person: true },
  { endpoint: "logout", method: "GET", path: "/logout", person: true },
  { endpoint: "logout", method: "POST", path: "/logout", parameters: ["csrf"], person: true },
]

/** The cookies of a person who is signed in. */
export const cookiesOf = async (w: World): Promise<string> =>
  [...(await signedIn(w)).cookies].map(([name, value]) => `${name}=${value}`).join("; ")
