import * as dpop from "dpop"
import * as oauth from "oauth4webapi"
import * as client from "openid-client"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type RunningServer, serve } from "../support/server.ts"
import { Surfer } from "../support/surfer.ts"
import { alice, config } from "./config.ts"

let server: RunningServer
beforeAll(async () => {
  const bound = ["machine", "spa"]
  const clients = config.clients.map((each) => (bound.includes(each.client_id) ? { ...each, dpop_bound_access_tokens: true } : each))
  server = await serve({ ...config, clients, require_dpop_nonces: true })
})
afterAll(async () => {
  await server?.stop()
  server?.remove()
})

const insecure = { [oauth.allowInsecureRequests]: true }
const redirect_uri = "https://spa.example/cb"

describe("RFC 9449 §8, §9: clients that are asked for nonces, against the running server", () => {
  test("openid-client 6: pushes, redeems, refreshes and asks userinfo with proofs, of a code that is bound", async () => {
    const configuration = await client.discovery(new URL(server.url), "spa", undefined, client.None(), {
      execute: [client.allowInsecureRequests],
    })
    const DPoP = client.getDPoPHandle(configuration, await client.randomDPoPKeyPair("ES256"))
    const verifier = client.randomPKCECodeVerifier()
    const parameters = {
      redirect_uri,
      scope: "openid offline_access",
      state: client.randomState(),
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    }
    const url = await client.buildAuthorizationUrlWithPAR(configuration, parameters, { DPoP })
    const back = await new Surfer().authorize(url.href, ...alice)
    const checks = { pkceCodeVerifier: verifier, expectedState: parameters.state, idTokenExpected: true }
    // Another key is refused, and the code is still good for its own.
    const other = client.getDPoPHandle(configuration, await client.randomDPoPKeyPair("ES256"))
    await expect(client.authorizationCodeGrant(configuration, back, checks, undefined, { DPoP: other })).rejects.toMatchObject({
      error: "invalid_grant",
    })
    const tokens = await client.authorizationCodeGrant(configuration, back, checks, undefined, { DPoP })
    expect(tokens.token_type).toBe("dpop")
    const sub = tokens.claims()?.sub ?? ""
    expect(await client.fetchUserInfo(configuration, tokens.access_token, sub, { DPoP })).toMatchObject({ sub })
    await expect(client.fetchUserInfo(configuration, tokens.access_token, sub)).rejects.toThrow()
    await expect(client.refreshTokenGrant(configuration, tokens.refresh_token ?? "")).rejects.toMatchObject({ error: "invalid_request" })
    const next = await client.refreshTokenGrant(configuration, tokens.refresh_token ?? "", undefined, { DPoP })
    expect(next.token_type).toBe("dpop")
  })

  test("oauth4webapi 3: is refused without a proof, asked for a nonce, and served by the next request", async () => {
    const issuer = new URL(server.url)
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure }))
    const machine: oauth.Client = { client_id: "machine" }
    const auth = oauth.ClientSecretBasic("machine secret")
    const ask = async (options: oauth.ClientCredentialsGrantRequestOptions = {}) =>
      oauth.processClientCredentialsResponse(
        as,
        machine,
        await oauth.clientCredentialsGrantRequest(as, machine, auth, new URLSearchParams({ scope: "api.read" }), {
          ...insecure,
          ...options,
        }),
      )
    await expect(ask()).rejects.toMatchObject({ error: "invalid_request" })
    const DPoP = oauth.DPoP(machine, await oauth.generateKeyPair("ES256"))
    const asked: unknown = await ask({ DPoP }).catch((error: unknown) => error)
    expect(oauth.isDPoPNonceError(asked)).toBe(true)
    expect((await ask({ DPoP })).token_type).toBe("dpop")
  })

  test("dpop 2: a proof of it is taken from a client that has no library", async () => {
    const keys = await dpop.generateKeyPair("Ed25519")
    const url = `${server.url}/connect/token`
    const ask = async (nonce?: string) =>
      fetch(url, {
        method: "POST",
        headers: {
          authorization: `Basic ${btoa("machine:machine secret".replace(" ", "+"))}`,
          dpop: await dpop.generateProof(keys, url, "POST", nonce),
        },
        body: new URLSearchParams({ grant_type: "client_credentials", scope: "api.read" }),
      })
    const asked = await ask()
    expect([asked.status, await asked.json()]).toMatchObject([400, { error: "use_dpop_nonce" }])
    const served = (await (await ask(asked.headers.get("dpop-nonce") ?? "")).json()) as Readonly<Record<string, string>>
    expect(served["token_type"]).toBe("DPoP")
    const cnf = JSON.parse(Buffer.from(String(served["access_token"]).split(".")[1] ?? "", "base64url").toString()) as { cnf?: object }
    expect(cnf.cnf).toEqual({ jkt: await dpop.calculateThumbprint(keys.publicKey) })
  })
})
