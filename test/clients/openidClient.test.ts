import * as client from "openid-client"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type RunningServer, serve } from "../support/server.ts"
import { Surfer } from "../support/surfer.ts"
import { alice, config, sealedKey } from "./config.ts"

let server: RunningServer
beforeAll(async () => {
  server = await serve(config)
})
afterAll(async () => {
  await server?.stop()
  server?.remove()
})

const discover = (id: string, secret: string | undefined, auth?: client.ClientAuth) =>
  client.discovery(new URL(server.url), id, secret, auth ?? (secret === undefined ? client.None() : client.ClientSecretBasic(secret)), {
    execute: [client.allowInsecureRequests],
  })

const codeFlow = async (configuration: client.Configuration, redirect_uri: string, scope: string, surfer = new Surfer()) => {
  const verifier = client.randomPKCECodeVerifier()
  const state = client.randomState()
  const nonce = client.randomNonce()
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri,
    scope,
    state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  })
  const back = await surfer.authorize(url.href, ...alice)
  return client.authorizationCodeGrant(configuration, back, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  })
}

describe("openid-client 6 against the running server", () => {
  test("OpenID Connect Core §3.1: discovery, code with PKCE, consent, ID token, userinfo", async () => {
    const configuration = await discover("web", "a secret with : % + and ü")
    const tokens = await codeFlow(configuration, "https://app.example/cb", "openid profile email")
    const claims = tokens.claims()
    expect(claims).toMatchObject({ iss: server.url, aud: "web" })
    const info = await client.fetchUserInfo(configuration, tokens.access_token, claims?.sub ?? "")
    expect(info).toMatchObject({ sub: claims?.sub, name: "Alice Ant", email: "alice@example.com", email_verified: true })
  })

  test("RFC 9126: a request that is pushed leads through sign-in and consent to tokens", async () => {
    const configuration = await discover("web", "a secret with : % + and ü")
    const verifier = client.randomPKCECodeVerifier()
    const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()]
    const url = await client.buildAuthorizationUrlWithPAR(configuration, {
      redirect_uri: "https://app.example/cb",
      scope: "openid profile",
      state: expectedState,
      nonce: expectedNonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    })
    expect([...url.searchParams.keys()].sort()).toEqual(["client_id", "request_uri"])
    const back = await new Surfer().authorize(url.href, ...alice)
    const checks = { pkceCodeVerifier: verifier, expectedState, expectedNonce, idTokenExpected: true }
    const tokens = await client.authorizationCodeGrant(configuration, back, checks)
    expect(tokens.claims()).toMatchObject({ iss: server.url, aud: "web", nonce: expectedNonce })
  })

  test("JARM §2.4: useJwtResponseMode and enableDecryptingResponses read responses as JWTs, and a client that is held to them gets no other", async () => {
    const configuration = await discover("web", "a secret with : % + and ü")
    client.useJwtResponseMode(configuration)
    expect((await codeFlow(configuration, "https://app.example/cb", "openid")).claims()).toMatchObject({ aud: "web" })

    const execute = [client.allowInsecureRequests, client.useJwtResponseMode]
    const metadata = { client_secret: "a secret with : % + and ü", authorization_signed_response_alg: "ES256" }
    const sealed = await client.discovery(new URL(server.url), "sealed", metadata, undefined, { execute })
    client.enableDecryptingResponses(sealed, ["A128CBC-HS256"], { key: sealedKey.privateKey, alg: "ECDH-ES", kid: "ECDH-ES" })
    expect((await codeFlow(sealed, "https://app.example/cb", "openid")).claims()).toMatchObject({ aud: "sealed" })
    const plain = await discover("sealed", "a secret with : % + and ü")
    // The refusal is a JWT as well, whatever mode the request names (§2.1).
    const refused = codeFlow(plain, "https://app.example/cb", "openid")
    await expect(refused).rejects.toMatchObject({ cause: { message: expect.stringContaining("contains a JARM response") } })
  })

  test("RFC 6749 §6: refresh rotates, and the family dies of a revocation", async () => {
    const configuration = await discover("web", "a secret with : % + and ü")
    const tokens = await codeFlow(configuration, "https://app.example/cb", "openid offline_access")
    const next = await client.refreshTokenGrant(configuration, tokens.refresh_token ?? "")
    expect(next.refresh_token).not.toBe(tokens.refresh_token)
    await client.tokenRevocation(configuration, next.refresh_token ?? "")
    await expect(client.refreshTokenGrant(configuration, next.refresh_token ?? "")).rejects.toMatchObject({ error: "invalid_grant" })
    await expect(client.fetchUserInfo(configuration, next.access_token, client.skipSubjectCheck)).rejects.toMatchObject({ status: 401 })
  })

  test("RFC 7636: a public client signs in with PKCE alone", async () => {
    const configuration = await discover("spa", undefined)
    const tokens = await codeFlow(configuration, "https://spa.example/cb", "openid offline_access")
    expect((await client.refreshTokenGrant(configuration, tokens.refresh_token ?? "")).access_token).toMatch(/^ey/)
  })

  test("RFC 6749 §4.4, RFC 7662: a machine's token is seen by the resource server it is meant for", async () => {
    const machine = await discover("machine", "machine secret", client.ClientSecretPost("machine secret"))
    const { access_token, scope } = await client.clientCredentialsGrant(machine, { scope: "api.read" })
    expect(scope).toBe("api.read")
    const api = await discover("api", "api secret")
    expect(await client.tokenIntrospection(api, access_token)).toMatchObject({
      active: true,
      client_id: "machine",
      aud: "https://api.example",
    })
  })

  test("OpenID Connect Core §3.1.2.1: prompt=none is silent once the person has signed in, and login_required before", async () => {
    const configuration = await discover("web", "a secret with : % + and ü")
    const surfer = new Surfer()
    const silent = client.buildAuthorizationUrl(configuration, {
      redirect_uri: "https://app.example/cb",
      scope: "openid profile email",
      prompt: "none",
      code_challenge: await client.calculatePKCECodeChallenge(client.randomPKCECodeVerifier()),
      code_challenge_method: "S256",
    })
    expect((await surfer.authorize(silent.href, ...alice)).searchParams.get("error")).toBe("login_required")
    await codeFlow(configuration, "https://app.example/cb", "openid profile email", surfer)
    expect((await surfer.authorize(silent.href, ...alice)).searchParams.get("code")).toMatch(/^c_/)
  })
})
