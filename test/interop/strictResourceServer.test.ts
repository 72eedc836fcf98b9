import express from "express"
import { type AuthResult, auth, requiredScopes } from "express-oauth2-jwt-bearer"
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from "jose"
import * as client from "openid-client"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { type RunningServer, serve } from "../support/server.ts"
import { alice, users } from "./people.ts"
import { type Site, openSite } from "./site.ts"
import { Visitor } from "./visitor.ts"

const api = "https://api.example"
const redirect_uri = "https://app.example/cb"

const application = (issuerBaseURL: string) => {
  const app = express()
  app.use(auth({ issuerBaseURL, audience: api, strict: true, tokenSigningAlg: "RS256" }))
  app.get("/read", requiredScopes("api.read"), (request, response) => {
    // Two libraries of this folder declare a request's `auth`; here it is this one's.
    const { auth: seen } = request as unknown as { readonly auth?: AuthResult }
    response.json(seen?.payload ?? null)
  })
  app.get("/write", requiredScopes("api.write"), (_request, response) => void response.json("written"))
  app.use(((error: Error & { status?: number; headers?: Record<string, string> }, _request, response, _next) => {
    response
      .set(error.headers ?? {})
      .status(error.status ?? 500)
      .send(error.message)
  }) satisfies express.ErrorRequestHandler)
  return app
}

describe("a strict JWT resource server beside the running server", () => {
  let server: RunningServer
  let site: Site
  let web: client.Configuration
  let machine: client.Configuration
  let people: client.TokenEndpointResponse

  beforeAll(async () => {
    site = await openSite()
    server = await serve({
      users,
      resources: [
        { identifier: api, scopes: ["api.read", "api.write"] },
        { identifier: "https://other.example", scopes: ["other.read"] },
      ],
      clients: [
        { client_id: "web", client_secret: "web secret", redirect_uris: [redirect_uri], scope: "openid profile api.read other.read" },
        {
          client_id: "machine",
          client_secret: "machine secret",
          grant_types: ["client_credentials"],
          response_types: [],
          scope: "api.read api.write other.read",
        },
      ],
    })
    site.answerWith(application(server.url))
    const discover = (id: string) =>
      client.discovery(new URL(server.url), id, `${id} secret`, client.ClientSecretBasic(`${id} secret`), {
        execute: [client.allowInsecureRequests],
      })
    ;[web, machine] = await Promise.all([discover("web"), discover("machine")])
    people = await signIn({ scope: "openid profile api.read", resource: api })
  })
  afterAll(async () => {
    vi.useRealTimers()
    await site?.close()
    await server?.stop()
    server?.remove()
  })

  const signIn = async (asked: { readonly scope: string; readonly resource?: string }): Promise<client.TokenEndpointResponse> => {
    const pkceCodeVerifier = client.randomPKCECodeVerifier()
    const url = client.buildAuthorizationUrl(web, {
      ...asked,
      redirect_uri,
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: "S256",
    })
    return client.authorizationCodeGrant(web, await new Visitor().authorize(url.href, ...alice), { pkceCodeVerifier })
  }

  const call = async (path: string, token: string) => {
    const response = await fetch(`${site.url}${path}`, { headers: { authorization: `Bearer ${token}` } })
    return { status: response.status, challenge: response.headers.get("www-authenticate") ?? "", text: await response.text() }
  }

  const machineToken = async (scope: string): Promise<string> => (await client.clientCredentialsGrant(machine, { scope })).access_token

  test("RFC 9068 §2, §4: takes a person's and a machine's access token, with everything the profile demands in them", async () => {
    const ofAlice = await call("/read", people.access_token)
    expect(ofAlice.status).toBe(200)
    expect(JSON.parse(ofAlice.text)).toMatchObject({ iss: server.url, aud: api, sub: "alice-1", client_id: "web" })
    expect(decodeProtectedHeader(people.access_token)).toMatchObject({ typ: "at+jwt", alg: "RS256" })
    const ofMachine = await call("/read", await machineToken("api.read"))
    expect(ofMachine.status).toBe(200)
    // RFC 9068 §2.2: where nobody has signed in, the subject is the client.
    expect(JSON.parse(ofMachine.text)).toMatchObject({ sub: "machine", client_id: "machine", scope: "api.read" })
  })

  test("RFC 6750 §3.1: a token without the scope is 403 insufficient_scope, with it 200", async () => {
    const narrow = await call("/write", people.access_token)
    expect([narrow.status, narrow.challenge]).toEqual([403, expect.stringContaining('error="insufficient_scope"')])
    expect((await call("/write", await machineToken("api.write"))).status).toBe(200)
  })

  test("RFC 9068 §4: an ID token is refused, for it is no at+jwt", async () => {
    const { status, challenge } = await call("/read", people.id_token ?? "")
    expect([status, challenge]).toEqual([401, expect.stringContaining('error="invalid_token"')])
    // Also by a server that looks at the type alone: the audience of an ID token might be its own.
    const keys = createRemoteJWKSet(new URL(web.serverMetadata().jwks_uri ?? ""))
    await expect(jwtVerify(people.id_token ?? "", keys, { typ: "at+jwt" })).rejects.toMatchObject({ claim: "typ" })
    await expect(jwtVerify(people.id_token ?? "", keys, { typ: "JWT", audience: "web" })).resolves.toBeDefined()
  })

  test("RFC 9068 §4: a token for another audience, or for the provider's userinfo alone, is refused", async () => {
    const ofUserinfo = await signIn({ scope: "openid profile" })
    for (const token of [await machineToken("other.read"), ofUserinfo.access_token]) {
      const { status, challenge } = await call("/read", token)
      expect([status, challenge]).toEqual([401, expect.stringContaining("aud")])
    }
  })

  test("RFC 7515 §5.2: a token whose content was changed, or that says it needs no signature, is refused", async () => {
    const [header = "", payload = "", signature = ""] = people.access_token.split(".")
    const claims = { ...(JSON.parse(Buffer.from(payload, "base64url").toString()) as object), scope: "api.read api.write" }
    const forged = Buffer.from(JSON.stringify(claims)).toString("base64url")
    const unsigned = Buffer.from(JSON.stringify({ typ: "at+jwt", alg: "none" })).toString("base64url")
    for (const token of [`${header}.${forged}.${signature}`, `${unsigned}.${payload}.`]) {
      expect((await call("/write", token)).status).toBe(401)
    }
  })

  test("RFC 9068 §4: a minute after its hour the token has expired, by the resource server's clock", async () => {
    expect((await call("/read", people.access_token)).status).toBe(200)
    // The clock of this process, which is the resource server's; the provider is another process.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_660_000 })
    const { status, challenge } = await call("/read", people.access_token)
    vi.useRealTimers()
    expect([status, challenge]).toEqual([401, expect.stringContaining("exp")])
  })
})
