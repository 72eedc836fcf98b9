import { createHash } from "node:crypto"
import { Surfer } from "../support/surfer.ts"

const person = { grant_types: ["authorization_code", "refresh_token"], scope: "openid offline_access" }

/** A configuration with clients whose tokens are looked up, signed, and a machine's. */
export const config = {
  resources: [{ identifier: "https://api.example", scopes: ["api.read"] }],
  signing: { algorithms: ["RS256", "ES256"] },
  clients: [
    { ...person, client_id: "web", client_secret: "secret", redirect_uris: ["https://app.example/cb"], access_token_format: "reference" },
    { ...person, client_id: "app", client_secret: "secret", redirect_uris: ["https://app.example/cb"] },
    {
      client_id: "machine",
      client_secret: "secret",
      grant_types: ["client_credentials"],
      response_types: [],
      scope: "api.read",
      access_token_format: "reference",
    },
    { client_id: "api", client_secret: "secret", grant_types: [], response_types: [], introspection_resources: ["https://api.example"] },
  ],
  users: [{ username: "alice", password: "correct horse battery" }],
}

const verifier = "v".repeat(43)

/** An answer of the token endpoint or another that speaks JSON. */
export interface Told {
  readonly status: number
  readonly retryAfter: string | null
  readonly json: Readonly<Record<string, unknown>>
}

/** Posts a form as a client. */
export const post = async (url: string, path: string, clientId: string, fields: Readonly<Record<string, string>>): Promise<Told> => {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${clientId}:secret`)}` },
    body: new URLSearchParams(fields),
  })
  const text = await response.text()
  return {
    status: response.status,
    retryAfter: response.headers.get("retry-after"),
    json: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>),
  }
}

/** Asks for a client and answers its address. */
export const authorizeUrl = (url: string, clientId: string, more: Readonly<Record<string, string>> = {}): string =>
  `${url}/connect/authorize?${new URLSearchParams({
    client_id: clientId,
    redirect_uri: "https://app.example/cb",
    response_type: "code",
    scope: "openid offline_access",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    ...more,
  }).toString()}`

/** A code for alice, who signs in and consents where she is asked to. */
export const codeFor = async (url: string, clientId: string, surfer = new Surfer()): Promise<string> => {
  const back = await surfer.authorize(authorizeUrl(url, clientId), "alice", "correct horse battery")
  return back.searchParams.get("code") ?? back.href
}

export const redeem = (url: string, clientId: string, code: string): Promise<Told> =>
  post(url, "/connect/token", clientId, {
    grant_type: "authorization_code",
    code,
    redirect_uri: "https://app.example/cb",
    code_verifier: verifier,
  })

export const refresh = (url: string, clientId: string, token: unknown): Promise<Told> =>
  post(url, "/connect/token", clientId, { grant_type: "refresh_token", refresh_token: String(token) })

export const machineToken = (url: string): Promise<Told> => post(url, "/connect/token", "machine", { grant_type: "client_credentials" })

export const userinfo = async (url: string, token: unknown): Promise<number> =>
  (await fetch(`${url}/connect/userinfo`, { headers: { authorization: `Bearer ${String(token)}` } })).status

/** Tokens by the whole code flow. */
export const tokensFor = async (url: string, clientId: string, surfer = new Surfer()): Promise<Told["json"]> => {
  const { status, json } = await redeem(url, clientId, await codeFor(url, clientId, surfer))
  if (status !== 200) throw new Error(`no tokens: ${JSON.stringify(json)}`)
  return json
}
