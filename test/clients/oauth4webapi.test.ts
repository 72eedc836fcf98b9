import { compactDecrypt } from "jose"
import * as oauth from "oauth4webapi"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type RunningServer, serve } from "../support/server.ts"
import { Surfer } from "../support/surfer.ts"
import { alice, config, sealedKey } from "./config.ts"

let server: RunningServer
let as: oauth.AuthorizationServer
const insecure = { [oauth.allowInsecureRequests]: true }

beforeAll(async () => {
  server = await serve(config)
  const issuer = new URL(server.url)
  as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure }))
})
afterAll(async () => {
  await server?.stop()
  server?.remove()
})

describe("oauth4webapi 3 against the running server", () => {
  const web: oauth.Client = { client_id: "web" }
  const auth = oauth.ClientSecretBasic("a secret with : % + and ü")

  test("RFC 9126: a request is pushed, asked with, and redeemed; its request_uri is used once", async () => {
    const verifier = oauth.generateRandomCodeVerifier()
    const state = oauth.generateRandomState()
    const parameters = {
      redirect_uri: "https://app.example/cb",
      response_type: "code",
      scope: "openid",
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      state,
    }
    const response = await oauth.pushedAuthorizationRequest(as, web, auth, parameters, insecure)
    const { request_uri, expires_in } = await oauth.processPushedAuthorizationResponse(as, web, response)
    expect([expires_in, as.require_pushed_authorization_requests]).toEqual([60, false])
    const url = new URL(as.authorization_endpoint ?? "")
    url.search = new URLSearchParams({ client_id: "web", request_uri }).toString()
    const back = oauth.validateAuthResponse(as, web, await new Surfer().authorize(url.href, ...alice), state)
    const granted = await oauth.authorizationCodeGrantRequest(as, web, auth, back, "https://app.example/cb", verifier, insecure)
    const tokens = await oauth.processAuthorizationCodeResponse(as, web, granted, { requireIdToken: true })
    expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject({ iss: as.issuer, aud: "web" })
    expect((await fetch(url, { redirect: "manual" })).status).toBe(400)

    const unproven = await oauth.pushedAuthorizationRequest(as, web, oauth.None(), parameters, insecure)
    await expect(oauth.processPushedAuthorizationResponse(as, web, unproven)).rejects.toMatchObject({ status: 401 })
  })

  test("JARM §2.4: a response as a JWT is verified, decrypted, and its code redeemed; an error is a JWT too", async () => {
    const sealed: oauth.Client = { client_id: "sealed", authorization_signed_response_alg: "ES256" }
    const ask = async (client: oauth.Client, more: Readonly<Record<string, string>>, surfer = new Surfer()) => {
      const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()]
      const url = new URL(as.authorization_endpoint ?? "")
      url.search = new URLSearchParams({
        client_id: client.client_id,
        redirect_uri: "https://app.example/cb",
        response_type: "code",
        scope: "openid",
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        state,
        ...more,
      }).toString()
      return { verifier, state, url, surfer }
    }
    const redeemed = async (client: oauth.Client, back: URLSearchParams, verifier: string) =>
      oauth.processAuthorizationCodeResponse(
        as,
        client,
        await oauth.authorizationCodeGrantRequest(as, client, auth, back, "https://app.example/cb", verifier, insecure),
      )
    const plain = await ask(web, { response_mode: "jwt" })
    const landed = await plain.surfer.authorize(plain.url.href, ...alice)
    expect([...landed.searchParams.keys()]).toEqual(["response"])
    const back = await oauth.validateJwtAuthResponse(as, web, landed, plain.state, insecure)
    expect((await redeemed(web, back, plain.verifier)).token_type).toBe("bearer")

    const secret = await ask(sealed, { response_mode: "query.jwt" })
    const hidden = await secret.surfer.authorize(secret.url.href, ...alice)
    expect(hidden.searchParams.get("response")?.split(".")).toHaveLength(5)
    const opened = await oauth.validateJwtAuthResponse(as, sealed, hidden, secret.state, {
      ...insecure,
      [oauth.jweDecrypt]: async (jwe) => new TextDecoder().decode((await compactDecrypt(jwe, sealedKey.privateKey)).plaintext),
    })
    expect((await redeemed(sealed, opened, secret.verifier)).token_type).toBe("bearer")

    const unasked = await ask(web, { response_mode: "jwt", prompt: "none" })
    const refused = new URL((await fetch(unasked.url, { redirect: "manual" })).headers.get("location") ?? "")
    await expect(oauth.validateJwtAuthResponse(as, web, refused, unasked.state, insecure)).rejects.toMatchObject({
      error: "login_required",
    })
  })

  test("RFC 6749 §4.1, RFC 7636, RFC 9207: code, ID token with its signature checked, refresh, userinfo, introspection, revocation", async () => {
    const verifier = oauth.generateRandomCodeVerifier()
    const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()]
    const url = new URL(as.authorization_endpoint ?? "")
    url.search = new URLSearchParams({
      client_id: "web",
      redirect_uri: "https://app.example/cb",
      response_type: "code",
      scope: "openid profile email offline_access",
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      state,
      nonce,
    }).toString()
    const back = oauth.validateAuthResponse(as, web, await new Surfer().authorize(url.href, ...alice), state)
    const response = await oauth.authorizationCodeGrantRequest(as, web, auth, back, "https://app.example/cb", verifier, insecure)
    const tokens = await oauth.processAuthorizationCodeResponse(as, web, response, { expectedNonce: nonce, requireIdToken: true })
    await oauth.validateApplicationLevelSignature(as, response, insecure)
    const claims = oauth.getValidatedIdTokenClaims(tokens)
    const info = await oauth.processUserInfoResponse(
      as,
      web,
      claims?.sub ?? "",
      await oauth.userInfoRequest(as, web, tokens.access_token, insecure),
    )
    expect(info.email).toBe("alice@example.com")

    const refreshed = await oauth.processRefreshTokenResponse(
      as,
      web,
      await oauth.refreshTokenGrantRequest(as, web, auth, tokens.refresh_token ?? "", insecure),
    )
    const seen = await oauth.processIntrospectionResponse(
      as,
      web,
      await oauth.introspectionRequest(as, web, auth, refreshed.access_token, insecure),
    )
    expect(seen).toMatchObject({ active: true, client_id: "web", username: "alice" })
    await oauth.processRevocationResponse(await oauth.revocationRequest(as, web, auth, refreshed.access_token, insecure))
    const gone = await oauth.processIntrospectionResponse(
      as,
      web,
      await oauth.introspectionRequest(as, web, auth, refreshed.access_token, insecure),
    )
    expect(gone).toEqual({ active: false })
  })

  test("RFC 6749 §5.2: a wrong secret is a WWW-Authenticate challenge the library understands", async () => {
    const answer = oauth.processClientCredentialsResponse(
      as,
      { client_id: "machine" },
      await oauth.clientCredentialsGrantRequest(as, { client_id: "machine" }, oauth.ClientSecretBasic("wrong"), {}, insecure),
    )
    await expect(answer).rejects.toBeInstanceOf(oauth.WWWAuthenticateChallengeError)
  })
})
