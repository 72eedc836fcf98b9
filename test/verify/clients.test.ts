import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { ClientCredentialsProvider } from "@modelcontextprotocol/sdk/client/auth-extensions.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import { OAuthProtectedResourceMetadataSchema } from "@modelcontextprotocol/sdk/shared/auth.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { type ResourceServerOptions, type Verdict, resourceServer } from "@postern/verify"
import { guard, metadata, tokenOf } from "@postern/verify/express"
import { protect } from "@postern/verify/node"
import * as dpop from "dpop"
import express from "express"
import * as oauth from "oauth4webapi"
import * as client from "openid-client"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { alice } from "../clients/config.ts"
import { type Site, openSite } from "../interop/site.ts"
import { type RunningServer, serve } from "../support/server.ts"
import { Surfer } from "../support/surfer.ts"

let site: Site
let server: RunningServer
let last: Verdict | undefined
const redirect_uri = "https://spa.example/cb"

beforeAll(async () => {
  site = await openSite()
  const machine = { grant_types: ["client_credentials"], response_types: [], scope: "notes.read" }
  server = await serve({
    users: [{ username: alice[0], password: alice[1], subject: "alice-1" }],
    resources: [
      { identifier: site.url, scopes: ["notes.read", "notes.write"] },
      { identifier: `${site.url}/mcp`, scopes: ["mcp.tools"] },
      { identifier: "https://other.example", scopes: ["other.read"] },
    ],
    clients: [
      { ...machine, client_id: "machine", client_secret: "machine secret", scope: "notes.read other.read" },
      {
        ...machine,
        client_id: "keyed",
        client_secret: "keyed secret",
        dpop_bound_access_tokens: true,
        access_token_signed_response_alg: "ES256",
      },
      { ...machine, client_id: "opaque", client_secret: "opaque secret", access_token_format: "reference" },
      { ...machine, client_id: "agent", client_secret: "agent secret", scope: "mcp.tools" },
      {
        client_id: "spa",
        token_endpoint_auth_method: "none",
        redirect_uris: [redirect_uri],
        grant_types: ["authorization_code", "refresh_token"],
        scope: "openid offline_access notes.read",
      },
      {
        client_id: "api",
        client_secret: "secret of the api",
        grant_types: [],
        response_types: [],
        introspection_resources: [site.url],
      },
    ],
  })
})
afterAll(async () => {
  await site?.close()
  await server?.stop()
  server?.remove()
})

const serving = (more: Partial<ResourceServerOptions> = {}) => {
  const api = resourceServer({ issuer: server.url, resource: site.url, noted: (verdict) => (last = verdict), ...more })
  site.answerWith(protect(api, { scope: "notes.read" }, (_request, response, { subject }) => void response.end(`notes of ${subject}`)))
  return api
}
const insecure = { [oauth.allowInsecureRequests]: true }
const place = (): URL => new URL(`${site.url}/notes?a=b`)
const discover = (id: string, secret?: string) =>
  client.discovery(new URL(server.url), id, secret, secret === undefined ? client.None() : client.ClientSecretBasic(secret), {
    execute: [client.allowInsecureRequests],
  })
const keyed: oauth.Client = { client_id: "keyed" }
const tokenFor = async (id: string, options: oauth.ClientCredentialsGrantRequestOptions = {}, scope = "notes.read") => {
  const issuer = new URL(server.url)
  const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure }))
  const auth = oauth.ClientSecretBasic(`${id} secret`)
  const response = await oauth.clientCredentialsGrantRequest(as, { client_id: id }, auth, { scope }, { ...insecure, ...options })
  return (await oauth.processClientCredentialsResponse(as, { client_id: id }, response)).access_token
}

describe("clients of npm at an API that @postern/verify protects, with tokens of the running server", () => {
  test("openid-client 6, RFC 6750: a bearer token passes, without its scope and for another API it does not", async () => {
    serving()
    const configuration = await discover("machine", "machine secret")
    const { access_token } = await client.clientCredentialsGrant(configuration, { scope: "notes.read" })
    expect(await (await client.fetchProtectedResource(configuration, access_token, place(), "GET")).text()).toBe("notes of machine")
    const { access_token: elsewhere } = await client.clientCredentialsGrant(configuration, { scope: "other.read" })
    const refused: unknown = await client.fetchProtectedResource(configuration, elsewhere, place(), "GET").catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(client.WWWAuthenticateChallengeError)
    expect(last?.refused?.rule).toBe("resource.token-audience")
    serving()
    site.answerWith(protect(resourceServer({ issuer: server.url, resource: site.url }), { scope: "notes.write" }, () => undefined))
    await expect(client.fetchProtectedResource(configuration, access_token, place(), "GET")).rejects.toMatchObject({ status: 403 })
  })

  test("oauth4webapi 3, RFC 9449 §7, §9: protectedResourceRequest with a key, asked for a nonce and then served", async () => {
    serving({ bound: "dpop", dpop: { nonceKey: "a key of the resource's own, 32+" } })
    const DPoP = oauth.DPoP(keyed, await oauth.generateKeyPair("ES256"))
    const token = await tokenFor("keyed", { DPoP })
    const ask = (handle = DPoP) => oauth.protectedResourceRequest(token, "GET", place(), undefined, null, { DPoP: handle, ...insecure })
    const asked: unknown = await ask().catch((error: unknown) => error)
    expect([oauth.isDPoPNonceError(asked), last?.refused?.rule]).toEqual([true, "dpop.nonce"])
    for (let time = 0; time < 3; time++) expect(await (await ask()).text()).toBe("notes of keyed")
    // A thief with a key of their own.
    const thief = oauth.DPoP(keyed, await oauth.generateKeyPair("ES256"))
    await ask(thief).catch(() => undefined)
    await expect(ask(thief)).rejects.toBeInstanceOf(oauth.WWWAuthenticateChallengeError)
    expect(last?.refused?.rule).toBe("resource.token-bearer")
    await expect(oauth.protectedResourceRequest(token, "GET", place(), undefined, null, insecure)).rejects.toMatchObject({ status: 401 })
  })

  test("dpop 2: a proof of it passes once, and of 16 at once one", async () => {
    serving()
    const keys = await dpop.generateKeyPair("Ed25519")
    const form = { method: "POST", body: new URLSearchParams({ grant_type: "client_credentials", scope: "notes.read" }) }
    const at = `${server.url}/connect/token`
    const authorization = `Basic ${btoa("keyed:keyed+secret")}`
    const got = await fetch(at, { ...form, headers: { authorization, dpop: await dpop.generateProof(keys, at, "POST") } })
    const { access_token } = (await got.json()) as { readonly access_token: string }
    const proof = await dpop.generateProof(keys, `${site.url}/notes`, "GET", undefined, access_token)
    const ask = () => fetch(place(), { headers: { authorization: `DPoP ${access_token}`, dpop: proof } })
    const statuses = (await Promise.all(Array.from({ length: 16 }, ask))).map(({ status }) => status)
    expect(statuses.toSorted((left, right) => left - right)).toEqual([200, ...Array.from({ length: 15 }, () => 401)])
    expect((await ask()).status).toBe(401)
    expect(last?.refused?.rule).toBe("dpop.unused")
  })

  test("RFC 7662, RFC 9701: reference tokens, plain and signed; a revoked one after the delay that is stated, and none of a refresh token", async () => {
    for (const signed of [false, true]) {
      let time = Date.now()
      serving({ introspection: { clientId: "api", clientSecret: "secret of the api", signed }, clock: () => time })
      const configuration = await discover("opaque", "opaque secret")
      const { access_token } = await client.clientCredentialsGrant(configuration, { scope: "notes.read" })
      const ask = async () => (await fetch(place(), { headers: { authorization: `Bearer ${access_token}` } })).status
      expect([access_token.includes("."), await ask(), last?.refused?.reason]).toEqual([false, 200, undefined])
      await client.tokenRevocation(configuration, access_token)
      time += 29_000
      expect(await ask()).toBe(200)
      time += 1_000
      expect([await ask(), last?.refused?.rule]).toEqual([401, "resource.introspection-active"])
    }
  })

  test("RFC 9068 §4, RFC 7662 §2.2: an ID token and a refresh token are no access tokens", async () => {
    const introspection = { clientId: "api", clientSecret: "secret of the api" }
    serving({ introspection })
    const configuration = await discover("spa")
    const verifier = client.randomPKCECodeVerifier()
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri,
      scope: "openid offline_access notes.read",
      resource: site.url,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    })
    const back = await new Surfer().authorize(url.href, ...alice)
    const tokens = await client.authorizationCodeGrant(configuration, back, { pkceCodeVerifier: verifier, idTokenExpected: true })
    const ask = async (token: string | undefined) => [
      (await fetch(place(), { headers: { authorization: `Bearer ${token}` } })).status,
      last?.refused?.rule,
    ]
    expect(await ask(tokens.access_token)).toEqual([200, undefined])
    expect(await ask(tokens.id_token)).toEqual([401, "resource.jwt-type"])
    expect(await ask(tokens.refresh_token)).toEqual([401, expect.stringMatching(/^resource\.introspection-/)])
    expect(last?.ok).toBeUndefined()
    // RFC 9470: the sign-in stands in the token.
    const api = resourceServer({ issuer: server.url, resource: site.url })
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    const { ok } = await api.verify({ method: "GET", path: "/", query: "", headers }, { maxAge: 300 })
    expect([ok?.subject, ok?.acr, typeof ok?.authTime]).toEqual(["alice-1", expect.any(String), "number"])
    const needs = { acrValues: ["urn:example:strong"] }
    expect((await api.verify({ method: "GET", path: "/", query: "", headers }, needs)).refused?.error).toBe(
      "insufficient_user_authentication",
    )
  })

  test("RFC 9728 §5.1, @modelcontextprotocol/sdk: a client finds the provider from the 401, and the metadata is as its schema says", async () => {
    const url = new URL(`${site.url}/mcp`)
    const api = resourceServer({ issuer: server.url, resource: url.href, scopes: ["mcp.tools"], metadata: { resource_name: "Tools" } })
    const app = express()
    app.use(metadata(api))
    app.post("/mcp", guard(api, { scope: "mcp.tools" }), express.json(), async (request, response) => {
      const tools = new McpServer({ name: "who", version: "1.0.0" })
      tools.registerTool("whoami", { description: "Tells who calls." }, () => ({
        content: [{ type: "text", text: tokenOf(request).clientId ?? "" }],
      }))
      const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
      await tools.connect(transport as Transport)
      await transport.handleRequest(request, response, request.body)
    })
    app.get("/mcp", guard(api), (_request, response) => void response.status(405).end())
    site.answerWith(app)
    const described = await (await fetch(`${site.url}/.well-known/oauth-protected-resource/mcp`)).json()
    expect(OAuthProtectedResourceMetadataSchema.parse(described)).toMatchObject({ resource: url.href, authorization_servers: [server.url] })
    const asked: Array<string> = []
    const watched: typeof fetch = async (input, init) => {
      asked.push(new URL(input instanceof Request ? input.url : input).pathname)
      return fetch(input, init)
    }
    const authProvider = new ClientCredentialsProvider({ clientId: "agent", clientSecret: "agent secret" })
    const agent = new Client({ name: "test", version: "1.0.0" })
    await agent.connect(new StreamableHTTPClientTransport(url, { authProvider, fetch: watched }) as Transport)
    expect(await agent.callTool({ name: "whoami", arguments: {} })).toMatchObject({ content: [{ text: "agent" }] })
    await agent.close()
    expect(asked.slice(0, 3)).toEqual(["/mcp", "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server"])
  })
})
