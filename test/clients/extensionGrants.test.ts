import { generateKey, joseSigner } from "@postern/core/jose"
import * as oauth from "oauth4webapi"
import * as client from "openid-client"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { claimsOf } from "../support/flows.ts"
import { type RunningServer, serve } from "../support/server.ts"
import { Surfer } from "../support/surfer.ts"
import { alice, config } from "./config.ts"

const exchange = "urn:ietf:params:oauth:grant-type:token-exchange"
const bearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
const accessTokenType = "urn:ietf:params:oauth:token-type:access_token"
const insecure = { [oauth.allowInsecureRequests]: true }

const now = (): number => Math.floor(Date.now() / 1000)
const key = await generateKey("ES256", { createdAt: now() - 10, activeAt: now() - 10 }, undefined)
const peer = joseSigner({ keys: () => [key], now })

let server: RunningServer
beforeAll(async () => {
  server = await serve({
    ...config,
    grants: {
      token_exchange: true,
      jwt_bearer: true,
      trusted_issuers: [{ issuer: "https://peer.example", jwks: { keys: await peer.keys() }, subjects: { e7: "alice-1" } }],
    },
    users: [{ ...config.users[0], subject: "alice-1" }],
    clients: [
      ...config.clients,
      {
        client_id: "backend",
        client_secret: "backend secret",
        grant_types: [exchange, bearer, "client_credentials"],
        response_types: [],
        scope: "openid email api.read",
        grant_policies: { [exchange]: { clients: ["web"] }, [bearer]: { scope: "api.read", require_jti: true, max_lifetime: 60 } },
      },
    ],
  })
})
afterAll(async () => {
  await server?.stop()
  server?.remove()
})

const discover = (id: string, secret: string) =>
  client.discovery(new URL(server.url), id, secret, client.ClientSecretBasic(secret), { execute: [client.allowInsecureRequests] })

/** Signs Alice in at the first client. */
const signedIn = async (): Promise<{ readonly configuration: client.Configuration; readonly tokens: client.TokenEndpointResponse }> => {
  const configuration = await discover("web", "a secret with : % + and ü")
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const expectedState = client.randomState()
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: "https://app.example/cb",
    scope: "openid email offline_access api.read",
    state: expectedState,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  })
  const back = await new Surfer().authorize(url.href, ...alice)
  return { configuration, tokens: await client.authorizationCodeGrant(configuration, back, { pkceCodeVerifier, expectedState }) }
}

const assertion = (changes: object = {}): Promise<string> | string =>
  Promise.resolve(
    peer.sign({
      alg: "ES256",
      typ: "JWT",
      claims: { iss: "https://peer.example", sub: "e7", aud: server.url, exp: now() + 60, jti: crypto.randomUUID(), ...changes },
    }),
  )

describe("extension grants against the running server", () => {
  test("RFC 8414 §2: discovery names them", async () => {
    const { grant_types_supported } = (await discover("backend", "backend secret")).serverMetadata()
    expect(grant_types_supported).toEqual(expect.arrayContaining([exchange, bearer]))
  })

  test("RFC 8693: openid-client exchanges a person's token with itself as the actor, and a revocation reaches it", async () => {
    const { configuration, tokens } = await signedIn()
    const backend = await discover("backend", "backend secret")
    const actor = await client.clientCredentialsGrant(backend, { scope: "api.read" })
    const exchanged = await client.genericGrantRequest(backend, exchange, {
      subject_token: tokens.access_token,
      subject_token_type: accessTokenType,
      actor_token: actor.access_token,
      actor_token_type: accessTokenType,
      scope: "openid email",
    })
    expect(exchanged).toMatchObject({ issued_token_type: accessTokenType, token_type: "bearer", scope: "openid email" })
    expect(claimsOf(exchanged.access_token)).toMatchObject({
      sub: "alice-1",
      client_id: "backend",
      act: { sub: "backend", client_id: "backend" },
    })
    expect(await client.fetchUserInfo(backend, exchanged.access_token, "alice-1")).toMatchObject({ email: "alice@example.com" })
    expect(await client.tokenIntrospection(backend, exchanged.access_token)).toMatchObject({ active: true, act: { sub: "backend" } })

    await client.tokenRevocation(configuration, tokens.refresh_token ?? "")
    expect(await client.tokenIntrospection(backend, exchanged.access_token)).toEqual({ active: false })
  })

  test("RFC 8693 §2.2.2: oauth4webapi reads the refusal of an exchange without an actor", async () => {
    const { tokens } = await signedIn()
    const issuer = new URL(server.url)
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure }))
    const backend: oauth.Client = { client_id: "backend" }
    const response = await oauth.genericTokenEndpointRequest(
      as,
      backend,
      oauth.ClientSecretBasic("backend secret"),
      exchange,
      { subject_token: tokens.access_token, subject_token_type: accessTokenType },
      insecure,
    )
    await expect(oauth.processGenericTokenEndpointResponse(as, backend, response)).rejects.toMatchObject({
      error: "invalid_request",
      error_description: "The actor_token is missing.",
      status: 400,
    })
  })

  test("RFC 7523 §2.1: openid-client exchanges an assertion of another issuer, once", async () => {
    const backend = await discover("backend", "backend secret")
    const sent = { assertion: await assertion() }
    const { access_token, expires_in, scope, refresh_token } = await client.genericGrantRequest(backend, bearer, sent)
    expect({ expires_in, scope, refresh_token }).toEqual({ expires_in: 60, scope: "api.read", refresh_token: undefined })
    expect(claimsOf(access_token)).toMatchObject({ sub: "alice-1", client_id: "backend", aud: "https://api.example" })
    await expect(client.genericGrantRequest(backend, bearer, sent)).rejects.toMatchObject({
      error: "invalid_grant",
      error_description: "It has been used before.",
    })
    await expect(client.genericGrantRequest(backend, bearer, { assertion: await assertion({ sub: "e8" }) })).rejects.toMatchObject({
      error: "invalid_grant",
    })
  })
})
