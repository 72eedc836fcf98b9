import * as oauth from "oauth4webapi"
import * as client from "openid-client"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { clientKey } from "../support/clientKeys.ts"
import { type RunningServer, serve } from "../support/server.ts"
import { Surfer } from "../support/surfer.ts"
import { alice, config } from "./config.ts"

let server: RunningServer
beforeAll(async () => {
  server = await serve({ ...config, registration: { open: true } })
})
afterAll(async () => {
  await server?.stop()
  server?.remove()
})

const insecure = { execute: [client.allowInsecureRequests] }

/** Signs a person in by a registered client, with PKCE, state and nonce. */
const signedIn = async (configuration: client.Configuration) => {
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()]
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: "https://app.example/cb",
    scope: "openid profile",
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  })
  const back = await new Surfer().authorize(url.href, ...alice)
  return client.authorizationCodeGrant(configuration, back, { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true })
}

describe("clients that register themselves, over HTTP and SQLite", () => {
  test("RFC 7591 §3: openid-client registers and signs a person in", async () => {
    const metadata = { redirect_uris: ["https://app.example/cb"], client_name: "Registered" }
    const configuration = await client.dynamicClientRegistration(new URL(server.url), metadata, undefined, insecure)
    const { client_id: id, client_secret: secret } = configuration.clientMetadata()
    expect([id.startsWith("dcr-"), typeof secret]).toEqual([true, "string"])
    const tokens = await signedIn(configuration)
    expect(tokens.claims()).toMatchObject({ iss: server.url, aud: id })
    expect(await client.fetchUserInfo(configuration, tokens.access_token, tokens.claims()?.sub ?? "")).toMatchObject({ name: "Alice Ant" })
  })

  test("OpenID Connect Registration §2: signed and encrypted answers are what the client registered for", async () => {
    for (const alg of ["RSA-OAEP-256", "ECDH-ES"] as const) {
      const key = await clientKey(alg)
      const metadata = {
        redirect_uris: ["https://app.example/cb"],
        id_token_signed_response_alg: "PS256",
        id_token_encrypted_response_alg: alg,
        id_token_encrypted_response_enc: "A256GCM",
        jwks: { keys: [key.publicJwk] },
      }
      const configuration = await client.dynamicClientRegistration(new URL(server.url), metadata as never, undefined, insecure)
      client.enableDecryptingResponses(configuration, ["A256GCM"], { key: key.privateKey, alg, kid: alg })
      expect((await signedIn(configuration)).claims()).toMatchObject({ aud: configuration.clientMetadata().client_id })
    }
  })

  test("RFC 7591 §3, RFC 7592 §2: oauth4webapi registers, and what it was given manages the registration", async () => {
    const as = { issuer: server.url, registration_endpoint: `${server.url}/connect/register` }
    const allow = { [oauth.allowInsecureRequests]: true }
    const answer = await oauth.dynamicClientRegistrationRequest(as, { redirect_uris: ["https://app.example/cb"] }, allow)
    const registered = await oauth.processDynamicClientRegistrationResponse(answer)
    const [uri, token] = [registered["registration_client_uri"], registered["registration_access_token"]] as ReadonlyArray<string>
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    expect(await (await fetch(uri ?? "", { headers })).json()).toMatchObject({
      client_id: registered.client_id,
      registration_client_uri: uri,
    })
    const body = JSON.stringify({ client_id: registered.client_id, redirect_uris: ["https://other.example/cb"] })
    const changed = await fetch(uri ?? "", { method: "PUT", headers, body })
    expect([changed.status, changed.headers.get("cache-control")]).toEqual([200, "no-store"])
    expect(await changed.json()).toMatchObject({ redirect_uris: ["https://other.example/cb"] })
    expect((await fetch(uri ?? "", { method: "POST", headers, body })).status).toBe(405)
    expect((await fetch(uri ?? "", { method: "DELETE", headers })).status).toBe(204)
    expect((await fetch(uri ?? "", { headers })).status).toBe(401)
    const preflight = await fetch(uri ?? "", { method: "OPTIONS" })
    expect(preflight.headers.get("access-control-allow-methods")).toBe("GET, PUT, DELETE")
  })
})
