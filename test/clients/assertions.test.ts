import { SignJWT } from "jose"
import * as oauth from "oauth4webapi"
import * as client from "openid-client"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type RunningServer, serve } from "../support/server.ts"
import { Surfer } from "../support/surfer.ts"
import { alice } from "./config.ts"
import { cryptoKey, privateKey, sharedSecret, signing } from "./signing.ts"

let server: RunningServer
beforeAll(async () => {
  server = await serve(signing)
})
afterAll(async () => {
  await server?.stop()
  server?.remove()
})

const methods = [
  ["private_key_jwt", "signs", async () => client.PrivateKeyJwt({ key: await cryptoKey(), kid: "one" })],
  [
    "private_key_jwt for the issuer alone",
    "careful",
    async () => client.PrivateKeyJwt(await cryptoKey(), { [client.modifyAssertion]: (_, payload) => void (payload["aud"] = server.url) }),
  ],
  ["client_secret_jwt", "hmac", async () => client.ClientSecretJwt(sharedSecret)],
] as const

const discover = (id: string, auth: client.ClientAuth) =>
  client.discovery(new URL(server.url), id, undefined, auth, { execute: [client.allowInsecureRequests] })

describe("openid-client 6 against the running server", () => {
  test.each(methods)("OpenID Connect Core §9, %s: code with PKCE, refresh, introspection, revocation", async (_, id, auth) => {
    const configuration = await discover(id, await auth())
    const verifier = client.randomPKCECodeVerifier()
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: "https://app.example/cb",
      scope: "openid offline_access",
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    })
    const back = await new Surfer().authorize(url.href, ...alice)
    const tokens = await client.authorizationCodeGrant(configuration, back, { pkceCodeVerifier: verifier, idTokenExpected: true })
    expect(tokens.claims()).toMatchObject({ iss: server.url, aud: id })
    const next = await client.refreshTokenGrant(configuration, tokens.refresh_token ?? "")
    expect(await client.tokenIntrospection(configuration, next.access_token)).toMatchObject({ active: true, client_id: id })
    await client.tokenRevocation(configuration, next.refresh_token ?? "")
    expect(await client.tokenIntrospection(configuration, next.access_token)).toEqual({ active: false })
  })

  test.each(methods)("RFC 8628 §3.1, %s: device authorization, and its poll", async (_, id, auth) => {
    const configuration = await discover(id, await auth())
    const device = await client.initiateDeviceAuthorization(configuration, { scope: "openid" })
    expect(device.user_code).toMatch(/^[A-Z]{4}-[A-Z]{4}$/)
    const poll = client.genericGrantRequest(configuration, "urn:ietf:params:oauth:grant-type:device_code", {
      device_code: device.device_code,
    })
    await expect(poll).rejects.toMatchObject({ error: "authorization_pending" })
  })

  test("OpenID Connect Core §9: the secret of client_secret_jwt does not work in the clear", async () => {
    for (const auth of [client.ClientSecretBasic(sharedSecret), client.ClientSecretPost(sharedSecret)]) {
      await expect(client.clientCredentialsGrant(await discover("hmac", auth))).rejects.toMatchObject({ status: 401 })
    }
  })

  test("RFC 6749 §5.2: a wrong key is invalid_client in the body, which a client can read: no challenge stands before it", async () => {
    const { privateKey: other } = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign"])
    const configuration = await discover("signs", client.PrivateKeyJwt(other))
    await expect(client.clientCredentialsGrant(configuration)).rejects.toMatchObject({ status: 401, error: "invalid_client" })
  })
})

describe("oauth4webapi 3 against the running server", () => {
  const insecure = { [oauth.allowInsecureRequests]: true }

  test.each([
    ["private_key_jwt", "signs", async () => oauth.PrivateKeyJwt({ key: await cryptoKey(), kid: "one" })],
    ["client_secret_jwt", "hmac", async () => oauth.ClientSecretJwt(sharedSecret)],
  ] as const)("RFC 7523 §2.2, %s: a machine's token, introspected and revoked", async (_, client_id, made) => {
    const issuer = new URL(server.url)
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure))
    const auth = await made()
    const self = { client_id }
    const response = await oauth.clientCredentialsGrantRequest(as, self, auth, { scope: "api.read" }, insecure)
    const { access_token, scope } = await oauth.processClientCredentialsResponse(as, self, response)
    expect(scope).toBe("api.read")
    const introspect = async () =>
      oauth.processIntrospectionResponse(as, self, await oauth.introspectionRequest(as, self, auth, access_token, insecure))
    expect(await introspect()).toMatchObject({ active: true, client_id, aud: "https://api.example" })
    await oauth.processRevocationResponse(await oauth.revocationRequest(as, self, auth, access_token, insecure))
    expect(await introspect()).toEqual({ active: false })
  })
})

describe("an assertion over real HTTP and SQLite", () => {
  test("OpenID Connect Core §9: of many requests with one assertion at the same time exactly one gets a token", async () => {
    const assertion = await new SignJWT({ jti: "raced" })
      .setProtectedHeader({ alg: "ES256" })
      .setIssuer("signs")
      .setSubject("signs")
      .setAudience(server.url)
      .setExpirationTime("1 minute")
      .sign(privateKey)
    const body = new URLSearchParams({
      grant_type: "client_credentials",
      scope: "api.read",
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: assertion,
    })
    const answers = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const response = await fetch(`${server.url}/connect/token`, { method: "POST", body })
        return [response.status, ((await response.json()) as { error?: string }).error ?? "none"].join(" ")
      }),
    )
    expect(answers.filter((each) => each === "200 none").length).toBe(1)
    expect(answers.filter((each) => each === "401 invalid_client").length).toBe(11)
  })

  test("architecture law 8: the log says what was wrong, and holds neither an assertion nor the secret", async () => {
    const wrong = await discover("hmac", client.ClientSecretJwt(`${sharedSecret}?`))
    await expect(client.clientCredentialsGrant(wrong)).rejects.toMatchObject({ error: "invalid_client" })
    await expect.poll(() => server.output()).toMatch(/"client_id":"hmac","rule":"assertion\.signature"/)
    expect(server.output()).not.toMatch(/eyJ[\w-]+\.eyJ|of 39 bytes/)
  })
})
