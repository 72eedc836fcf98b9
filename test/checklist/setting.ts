import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { request as httpRequest } from "node:http"
import { join } from "node:path"
import { promisify } from "node:util"
import { type RunningServer, command } from "../support/server.ts"
import { Surfer } from "../support/surfer.ts"

const redirect_uris = ["https://app.example/cb", "https://app.example/cb?tab=1"]
const all = "openid profile email offline_access api.read api.write"
const code = { redirect_uris, grant_types: ["authorization_code", "refresh_token"], scope: all, require_consent: false }
const machine = { grant_types: ["client_credentials"], response_types: [], scope: "api.read" }

export const password = "correct horse battery"

/** The secret of a client whose own says nothing special. */
export const secretOf = (clientId: string): string => (clientId === "spicy" ? "s:e%c+r &t=ü" : `secret of ${clientId}`)

/** The provider that the checklist is held against. */
export const config = {
  resources: [
    { identifier: "https://api.example", scopes: ["api.read", "api.write"] },
    { identifier: "https://billing.example", scopes: ["billing"] },
  ],
  clients: [
    {
      client_id: "web",
      ...code,
      post_logout_redirect_uris: ["https://app.example/out"],
      grant_types: [...code.grant_types, "client_credentials"],
    },
    { client_id: "other", ...code, post_logout_redirect_uris: ["https://other.example/out"] },
    { client_id: "asks", client_name: "Asking App", ...code, require_consent: true },
    { client_id: "opaque", ...code, access_token_format: "reference" },
    { client_id: "old", ...code, require_pkce: false },
    { client_id: "plain", ...code, allow_plain_pkce: true },
    { client_id: "brief", ...code, authorization_code_lifetime: 1 },
    { client_id: "fleeting", ...code, access_token_lifetime: 1 },
    { client_id: "strict", ...code, refresh_token_grace: 0 },
    {
      client_id: "hybrid",
      ...code,
      grant_types: [...code.grant_types, "implicit"],
      response_types: ["code", "code id_token", "code token", "code id_token token", "id_token", "id_token token", "token"],
    },
    {
      client_id: "implicit",
      ...code,
      scope: "openid profile",
      grant_types: ["implicit"],
      response_types: ["id_token"],
    },
    { client_id: "spa", token_endpoint_auth_method: "none", ...code, refresh_token_grace: 0 },
    {
      client_id: "native",
      application_type: "native",
      token_endpoint_auth_method: "none",
      ...code,
      redirect_uris: ["http://127.0.0.1/cb", "com.example.app:/cb"],
    },
    { client_id: "ropc", grant_types: ["password", "refresh_token"], response_types: [], scope: "openid email offline_access" },
    {
      client_id: "tv",
      client_name: "Television",
      token_endpoint_auth_method: "none",
      grant_types: ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"],
      response_types: [],
      scope: "openid email offline_access",
    },
    { client_id: "screen", grant_types: ["urn:ietf:params:oauth:grant-type:device_code"], response_types: [], scope: "openid" },
    { client_id: "machine", ...machine, scope: "api.read api.write" },
    { client_id: "spicy", ...machine },
    { client_id: "off", ...machine, disabled: true },
    { client_id: "api", grant_types: [], response_types: [], introspection_resources: ["https://api.example"] },
    { client_id: "billing", grant_types: [], response_types: [], introspection_resources: ["https://billing.example"] },
  ].map((client) => ("token_endpoint_auth_method" in client ? client : { ...client, client_secret: secretOf(client.client_id) })),
  users: ["alice", "bob", "carol", "dora", "erin"].map((username) => ({
    username,
    subject: `sub-${username}`,
    password,
    disabled: username === "dora",
    claims: { name: username, email: `${username}@example.com`, email_verified: true, phone_number: "+1 555 0100" },
  })),
}

export type Pairs = ReadonlyArray<readonly [string, string]>
export type Fields = Readonly<Record<string, string | undefined>> | Pairs

const pairsOf = (fields: Fields): Pairs =>
  Array.isArray(fields)
    ? (fields as Pairs)
    : Object.entries(fields as Record<string, string | undefined>).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value] as const],
      )

/** Writes fields as a form or a query; undefined leaves one out, and pairs may repeat a name. */
export const encode = (fields: Fields): string => new URLSearchParams(pairsOf(fields).map(([name, value]) => [name, value])).toString()

/** Answer as it came over the wire. */
export interface Reply {
  readonly status: number
  /** Every value of a header, joined as they came. */
  readonly header: (name: string) => string | undefined
  readonly body: string
  readonly json: Readonly<Record<string, unknown>>
  /** The Location before its query or fragment. */
  readonly to: string | undefined
  /** Character that parts the Location from its parameters. */
  readonly mark: string
  /** Parameters of the Location, or of the form of a form_post page. */
  readonly params: Readonly<Record<string, string>>
}

const plain = (html: string): string =>
  html
    .replace(/&#(\d+);/g, (_, digits: string) => String.fromCharCode(Number(digits)))
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")

/** The hidden fields of a page. */
export const hiddenOf = (html: string): ReadonlyArray<[string, string]> =>
  [...html.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([input]) => [
    plain(/name="([^"]*)"/.exec(input)?.[1] ?? ""),
    plain(/value="([^"]*)"/.exec(input)?.[1] ?? ""),
  ])

const replyOf = (status: number, header: Reply["header"], body: string): Reply => {
  const [, to, mark = "", rest = ""] = /^([^?#]*)([?#]?)(.*)$/s.exec(header("location") ?? "") ?? []
  const isJson = header("content-type") === "application/json"
  return {
    status,
    header,
    body,
    json: isJson && body !== "" ? (JSON.parse(body) as Record<string, unknown>) : {},
    to: header("location") === undefined ? undefined : to,
    mark,
    params: Object.fromEntries(header("location") === undefined ? hiddenOf(body) : new URLSearchParams(rest)),
  }
}

export const formType = ["content-type", "application/x-www-form-urlencoded"] as const

/** Sends a request as it is told to: header names may repeat, and nothing is folded or followed. */
export const send = (server: RunningServer, method: string, target: string, headers: Pairs = [], body = ""): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url)
    const own: Pairs = [
      ...(headers.some(([name]) => name === "host") ? [] : [["host", `${hostname}:${port}`] as const]),
      ...headers,
      ...(body === "" ? [] : [["content-length", String(Buffer.byteLength(body))] as const]),
    ]
    const asked = httpRequest({ hostname, port, method, path: target, headers: own.flat() }, (incoming) => {
      let text = ""
      incoming.setEncoding("utf8").on("data", (chunk: string) => void (text += chunk))
      incoming.on("end", () => {
        const header = (name: string): string | undefined => incoming.headersDistinct[name]?.join(", ")
        resolve(replyOf(incoming.statusCode ?? 0, header, text))
      })
    })
    asked.on("error", reject)
    asked.end(body)
  })

const isPublic = (clientId: string): boolean => clientId === "spa" || clientId === "native" || clientId === "tv"

export const basic = (clientId: string, secret = secretOf(clientId)): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`).toString("base64")}`

/** Posts a form as a client. */
export const post = (
  server: RunningServer,
  path: string,
  clientId: string | undefined,
  fields: Fields,
  headers: Pairs = [],
): Promise<Reply> => {
  const own: Pairs = clientId !== undefined && isPublic(clientId) ? [["client_id", clientId]] : []
  const authorization: Pairs = clientId === undefined || isPublic(clientId) ? [] : [["authorization", basic(clientId)]]
  return send(server, "POST", path, [formType, ...authorization, ...headers], encode([...pairsOf(fields), ...own]))
}

export const token = (server: RunningServer, clientId: string | undefined, fields: Fields, headers: Pairs = []): Promise<Reply> =>
  post(server, "/connect/token", clientId, fields, headers)

export const verifier = "v".repeat(43)
export const challenge = createHash("sha256").update(verifier).digest("base64url")

const redirectUriOf = (clientId: string): string => (clientId === "native" ? "http://127.0.0.1/cb" : "https://app.example/cb")

/** An authorization request with changes. */
export const request = (clientId = "web", changes: Readonly<Record<string, string | undefined>> = {}): Pairs =>
  pairsOf({
    client_id: clientId,
    redirect_uri: redirectUriOf(clientId),
    response_type: "code",
    scope: "openid",
    state: "st",
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...changes,
  })

/** Opens an authorization request in a browser and follows it to a page or to the client. */
export const askPairs = async (server: RunningServer, browser: Surfer, pairs: Pairs): Promise<Reply> => {
  const { response } = await browser.follow(`${server.url}/connect/authorize?${encode(pairs)}`)
  return replyOf(response.status, (name) => response.headers.get(name) ?? undefined, await response.text())
}

export const ask = (
  server: RunningServer,
  browser: Surfer,
  changes: Readonly<Record<string, string | undefined>> = {},
  clientId = "web",
): Promise<Reply> => askPairs(server, browser, request(clientId, changes))

/** A browser in which a person has signed in. */
export const signedIn = async (server: RunningServer, username = "alice"): Promise<Surfer> => {
  const browser = new Surfer()
  const at = await browser.follow(`${server.url}/login`)
  await browser.submit(await at.response.text(), at.url, { username, password })
  return browser
}

/** The cookies of a browser as a header. */
export const cookieOf = (browser: Surfer): readonly [string, string] => [
  "cookie",
  [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
]

export const codeFor = async (
  server: RunningServer,
  browser: Surfer,
  clientId = "web",
  changes: Readonly<Record<string, string | undefined>> = {},
): Promise<string> => {
  const { params, status, body } = await ask(server, browser, changes, clientId)
  if (params["code"] === undefined) throw new Error(`no code: ${status} ${JSON.stringify(params)} ${body.slice(0, 300)}`)
  return params["code"]
}

export const redeem = (
  server: RunningServer,
  code: string,
  clientId = "web",
  changes: Readonly<Record<string, string | undefined>> = {},
): Promise<Reply> =>
  token(server, clientId, {
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUriOf(clientId),
    code_verifier: verifier,
    ...changes,
  })

/** Tokens by the whole code flow; empty text for one that was not issued. */
export const tokensFor = async (server: RunningServer, browser: Surfer, clientId = "web", scope = "openid offline_access") => {
  const { json, status, body } = await redeem(server, await codeFor(server, browser, clientId, { scope }), clientId)
  if (status !== 200) throw new Error(`no tokens: ${status} ${body}`)
  const text = (name: string): string => (typeof json[name] === "string" ? json[name] : "")
  return { access: text("access_token"), refresh: text("refresh_token"), id: text("id_token") }
}

export const refresh = (server: RunningServer, refreshToken: string, clientId = "web", more: Readonly<Record<string, string>> = {}) =>
  token(server, clientId, { grant_type: "refresh_token", refresh_token: refreshToken, ...more })

export const userinfo = (server: RunningServer, accessToken: string): Promise<Reply> =>
  send(server, "GET", "/connect/userinfo", [["authorization", `Bearer ${accessToken}`]])

export const introspect = (server: RunningServer, clientId: string, value: string): Promise<Reply> =>
  post(server, "/connect/introspect", clientId, { token: value })

const part = (jwt: string, index: number): Record<string, unknown> =>
  JSON.parse(Buffer.from(jwt.split(".")[index] ?? "", "base64url").toString()) as Record<string, unknown>

export const headOf = (jwt: string): Record<string, unknown> => part(jwt, 0)
export const claimsOf = (jwt: string): Record<string, unknown> => part(jwt, 1)

/** A JWT of the same claims that nobody signed. */
export const unsigned = (jwt: string): string =>
  `${Buffer.from(JSON.stringify({ ...headOf(jwt), alg: "none" })).toString("base64url")}.${jwt.split(".")[1] ?? ""}.`

/** A JWT of the same claims whose signature is spoilt. */
export const spoilt = (jwt: string): string => {
  const [head = "", payload = "", signature = ""] = jwt.split(".")
  return `${head}.${payload}.${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`
}

/** The half of a hash that an ID token carries (OpenID Connect Core §3.1.3.6). */
export const halfHash = (text: string): string => createHash("sha256").update(text).digest().subarray(0, 16).toString("base64url")

/** Runs the command beside the server, on its configuration. */
export const operate = async (server: RunningServer, ...args: ReadonlyArray<string>): Promise<void> => {
  await promisify(execFile)(process.execPath, [command, ...args, "--config", join(server.folder, "postern.json")], { cwd: server.folder })
}

export const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Keys and status of a refusal in JSON (RFC 6749 §5.2). */
export const refusal = ({ status, json, header }: Reply) => ({ status, error: json["error"], cache: header("cache-control") })
export const refused = (error: string, status = 400) => ({ status, error, cache: "no-store" })
