import * as oauth from "oauth4webapi"
import * as client from "openid-client"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { postgresServer } from "../support/postgres.ts"
import { type RunningServer, serve } from "../support/server.ts"
import { alice, users } from "./people.ts"
import { recipe } from "./recipes/recipe.ts"
import { Visitor } from "./visitor.ts"

const secret = "pushing: 100%, drawn by chance"
const app = "https://app.example.com"
const redirect_uri = `${app}/callback`
const postgres = postgresServer()

/** Kind of the server's store. */
const stores = { SQLite: async () => ({}), PostgreSQL: async () => ({ data: await (await postgres()).database() }) }

describe.each(Object.entries(stores))("the recipe for pushed requests, with %s", (_, data) => {
  let server: RunningServer
  beforeAll(async () => {
    server = await serve({ users, ...recipe("openid-client with pushed requests", app, secret), ...(await data()) })
  }, 60_000)
  afterAll(async () => {
    await server?.stop()
    server?.remove()
  })

  test("RFC 9126: openid-client pushes a request, which leads through sign-in and consent to tokens", async () => {
    const configuration = await client.discovery(new URL(server.url), "pushing", secret, undefined, {
      execute: [client.allowInsecureRequests],
    })
    const [pkceCodeVerifier, expectedState, expectedNonce] = [client.randomPKCECodeVerifier(), client.randomState(), client.randomNonce()]
    const parameters = {
      redirect_uri,
      scope: "openid profile",
      state: expectedState,
      nonce: expectedNonce,
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: "S256",
    }
    const url = await client.buildAuthorizationUrlWithPAR(configuration, parameters)
    expect([...url.searchParams.keys()].toSorted()).toEqual(["client_id", "request_uri"])
    const back = await new Visitor().authorize(url.href, ...alice)
    const tokens = await client.authorizationCodeGrant(configuration, back, {
      pkceCodeVerifier,
      expectedState,
      expectedNonce,
      idTokenExpected: true,
    })
    expect(tokens.claims()).toMatchObject({ iss: server.url, aud: "pushing", nonce: expectedNonce })

    // The client is held to pushing.
    const plain = client.buildAuthorizationUrl(configuration, parameters)
    const refused = await fetch(plain, { redirect: "manual" })
    expect(new URL(refused.headers.get("location") ?? "").searchParams.get("error")).toBe("invalid_request")
  })

  test("RFC 9126 §4: oauth4webapi pushes a request; its request_uri is used up by the code", async () => {
    const insecure = { [oauth.allowInsecureRequests]: true }
    const issuer = new URL(server.url)
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: "oidc", ...insecure }))
    const [pushing, auth] = [{ client_id: "pushing" }, oauth.ClientSecretBasic(secret)]
    const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()]
    const parameters = {
      redirect_uri,
      response_type: "code",
      scope: "openid",
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      state,
    }
    const response = await oauth.pushedAuthorizationRequest(as, pushing, auth, parameters, insecure)
    const { request_uri } = await oauth.processPushedAuthorizationResponse(as, pushing, response)
    const url = new URL(as.authorization_endpoint ?? "")
    url.search = new URLSearchParams({ client_id: "pushing", request_uri }).toString()
    const back = oauth.validateAuthResponse(as, pushing, await new Visitor().authorize(url.href, ...alice), state)
    const granted = await oauth.authorizationCodeGrantRequest(as, pushing, auth, back, redirect_uri, verifier, insecure)
    const tokens = await oauth.processAuthorizationCodeResponse(as, pushing, granted, { requireIdToken: true })
    expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject({ iss: as.issuer, aud: "pushing" })
    expect((await fetch(url, { redirect: "manual" })).status).toBe(400)
  })
})
