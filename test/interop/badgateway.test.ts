import { OAuth2Client, OAuth2HttpError, generateCodeVerifier } from "@badgateway/oauth2-client"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type RunningServer, serve } from "../support/server.ts"
import { alice, users } from "./people.ts"
import { Visitor } from "./visitor.ts"

const api = "https://api.example"
const redirectUri = "https://app.example/cb"
const secret = "100% ü:+/="

describe("@badgateway/oauth2-client 3 against the running server", () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await serve({
      users,
      resources: [{ identifier: api, scopes: ["api.read"] }],
      clients: [
        {
          client_id: "web",
          client_secret: secret,
          grant_types: ["authorization_code", "refresh_token"],
          redirect_uris: [redirectUri],
          scope: "offline_access api.read",
          access_token_format: "reference",
        },
        {
          client_id: "api",
          client_secret: secret,
          token_endpoint_auth_method: "client_secret_post",
          grant_types: [],
          response_types: [],
          introspection_resources: [api],
        },
      ],
    })
  })
  afterAll(async () => {
    await server?.stop()
    server?.remove()
  })

  const web = () =>
    new OAuth2Client({
      server: server.url,
      discoveryEndpoint: "/.well-known/oauth-authorization-server",
      clientId: "web",
      clientSecret: secret,
      authenticationMethod: "client_secret_basic",
    })

  const resourceServer = () =>
    new OAuth2Client({
      server: server.url,
      discoveryEndpoint: "/.well-known/openid-configuration",
      clientId: "api",
      clientSecret: secret,
      authenticationMethod: "client_secret_post",
    })

  test("RFC 8414, RFC 7636, RFC 8707, RFC 7662, RFC 7009: code for a resource, introspected by it, refreshed, revoked", async () => {
    const client = web()
    const codeVerifier = await generateCodeVerifier()
    const state = "state"
    const asked = await client.authorizationCode.getAuthorizeUri({
      redirectUri,
      state,
      codeVerifier,
      scope: ["offline_access", "api.read"],
      resource: api,
    })
    expect(new URL(asked).searchParams.get("resource")).toBe(api)
    const back = await new Visitor().authorize(asked, ...alice)
    const { code } = client.authorizationCode.validateResponse(back, { state })
    const token = await client.authorizationCode.getToken({ code, redirectUri, codeVerifier, resource: api })
    expect(await resourceServer().introspect(token)).toMatchObject({
      active: true,
      client_id: "web",
      sub: "alice-1",
      aud: api,
      scope: "api.read",
    })

    const next = await client.refreshToken(token, { resource: api })
    await client.revoke(next)
    expect(await resourceServer().introspect(next)).toEqual({ active: false })
    await client.revoke(next, "refresh_token")
    await expect(client.refreshToken(next)).rejects.toMatchObject({ oauth2Code: "invalid_grant", httpCode: 400 })
  })

  test("RFC 6749 §5.2: a wrong secret is an error the library can read, with 401", async () => {
    const stranger = new OAuth2Client({ ...resourceServer().settings, clientSecret: "wrong" })
    const answer = stranger.introspect({ accessToken: "at", expiresAt: null, refreshToken: null })
    await expect(answer).rejects.toBeInstanceOf(OAuth2HttpError)
    await expect(answer).rejects.toMatchObject({ oauth2Code: "invalid_client", httpCode: 401 })
  })
})
