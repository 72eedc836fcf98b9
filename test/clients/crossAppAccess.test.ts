import * as oauth from "oauth4webapi"
import * as client from "openid-client"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { claimsOf, headerOf } from "../support/flows.ts"
import { type RunningServer, freePort, serveAt } from "../support/server.ts"
import { Surfer } from "../support/surfer.ts"
import { alice } from "./config.ts"

const exchange = "urn:ietf:params:oauth:grant-type:token-exchange"
const bearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
const idJagType = "urn:ietf:params:oauth:token-type:id-jag"
const idTokenType = "urn:ietf:params:oauth:token-type:id_token"
const api = "https://api.todo.example"
const insecure = { [oauth.allowInsecureRequests]: true }
/** The grant is no token of its issuer, and has a type of its own (RFC 8693 §2.2.1). */
const answers = { recognizedTokenTypes: { n_a: () => undefined } }

let employer: RunningServer
let todo: RunningServer

/** Two providers that know each other: the employer's, where people sign in, and the one of the application `todo`. */
beforeAll(async () => {
  const [home, elsewhere] = [`http://127.0.0.1:${await freePort()}`, `http://127.0.0.1:${await freePort()}`]
  employer = await serveAt(home, {
    users: [{ username: alice[0], password: alice[1], subject: "alice-1", claims: { email: "alice@example.com", email_verified: true } }],
    clients: [
      {
        client_id: "wiki",
        client_secret: "wiki secret",
        redirect_uris: ["https://app.example/cb"],
        grant_types: ["authorization_code", "refresh_token", exchange],
        scope: "openid offline_access",
        require_consent: false,
      },
    ],
    grants: {
      id_jag: {
        authorization_servers: [
          {
            issuer: elsewhere,
            scope: "todo.read todo.write",
            resources: [api],
            require_resource: true,
            claims: ["email"],
            clients: { wiki: { client_id: "wiki-at-todo", scope: "todo.read" } },
          },
        ],
      },
    },
  })
  const published = await (await fetch(`${home}/.well-known/openid-configuration/jwks`)).json()
  todo = await serveAt(elsewhere, {
    users: [{ username: "alice", password: alice[1], subject: "person-7" }],
    resources: [{ identifier: api, scopes: ["todo.read", "todo.write"] }],
    clients: [
      {
        client_id: "wiki-at-todo",
        client_secret: "todo secret",
        grant_types: [bearer],
        response_types: [],
        scope: "todo.read todo.write",
        introspection_resources: [api],
      },
      { client_id: "other-at-todo", client_secret: "other secret", grant_types: [bearer], response_types: [], scope: "todo.read" },
    ],
    grants: { id_jag: { identity_providers: [{ issuer: home, jwks: published, subjects: { "alice-1": "person-7" } }] } },
  })
})
afterAll(async () => {
  for (const server of [employer, todo]) {
    await server?.stop()
    server?.remove()
  }
})

/** Signs Alice in to the wiki. */
const signedIn = async (): Promise<client.TokenEndpointResponse> => {
  const configuration = await client.discovery(new URL(employer.url), "wiki", "wiki secret", client.ClientSecretBasic("wiki secret"), {
    execute: [client.allowInsecureRequests],
  })
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const expectedState = client.randomState()
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: "https://app.example/cb",
    scope: "openid offline_access",
    state: expectedState,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  })
  const back = await new Surfer().authorize(url.href, ...alice)
  return client.authorizationCodeGrant(configuration, back, { pkceCodeVerifier, expectedState })
}

const discovered = async ({ url }: RunningServer): Promise<oauth.AuthorizationServer> => {
  const issuer = new URL(url)
  return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure }))
}

type Options = Pick<oauth.TokenEndpointRequestOptions, "DPoP">

/** Asks a server for a token as one of its clients. */
const asked = async (
  server: RunningServer,
  [clientId, secret]: readonly [string, string],
  grantType: string,
  fields: Readonly<Record<string, string>>,
  options: Options = {},
): Promise<oauth.TokenEndpointResponse> => {
  const as = await discovered(server)
  const party: oauth.Client = { client_id: clientId }
  const request = { ...insecure, ...options }
  const response = await oauth.genericTokenEndpointRequest(as, party, oauth.ClientSecretBasic(secret), grantType, fields, request)
  return oauth.processGenericTokenEndpointResponse(as, party, response, answers)
}

const [atHome, atTodo, other] = [
  ["wiki", "wiki secret"],
  ["wiki-at-todo", "todo secret"],
  ["other-at-todo", "other secret"],
] as const

const grantFor = (idToken: string, options: Options = {}): Promise<oauth.TokenEndpointResponse> =>
  asked(
    employer,
    atHome,
    exchange,
    { requested_token_type: idJagType, subject_token: idToken, subject_token_type: idTokenType, audience: todo.url, resource: api },
    options,
  )

describe("two providers over HTTP, each in a process of its own", () => {
  test("ID-JAG §7: each says in its metadata which role it has", async () => {
    const [home, elsewhere] = [await discovered(employer), await discovered(todo)]
    expect(home["identity_chaining_requested_token_types_supported"]).toEqual([idJagType])
    expect(home.grant_types_supported).toContain(exchange)
    expect(home["authorization_grant_profiles_supported"]).toBe(undefined)
    expect(elsewhere["authorization_grant_profiles_supported"]).toEqual(["urn:ietf:params:oauth:grant-profile:id-jag"])
    expect(elsewhere.grant_types_supported).toContain(bearer)
    expect(elsewhere["identity_chaining_requested_token_types_supported"]).toBe(undefined)
  })

  test("ID-JAG §4: a sign-in at one is an access token at the other, once, for the same person and a narrower scope", async () => {
    const { id_token = "" } = await signedIn()
    const grant = await grantFor(id_token)
    expect(grant).toMatchObject({ issued_token_type: idJagType, token_type: "n_a", expires_in: 300, scope: "todo.read" })
    expect(headerOf(grant.access_token)["typ"]).toBe("oauth-id-jag+jwt")
    expect(claimsOf(grant.access_token)).toMatchObject({
      iss: employer.url,
      aud: todo.url,
      sub: "alice-1",
      client_id: "wiki-at-todo",
      resource: api,
      email: "alice@example.com",
    })
    const { access_token, scope, refresh_token } = await asked(todo, atTodo, bearer, { assertion: grant.access_token })
    expect({ scope, refresh_token }).toEqual({ scope: "todo.read", refresh_token: undefined })
    expect(claimsOf(access_token)).toMatchObject({ iss: todo.url, sub: "person-7", aud: api, client_id: "wiki-at-todo" })
    await expect(asked(todo, atTodo, bearer, { assertion: grant.access_token })).rejects.toMatchObject({
      error: "invalid_grant",
      error_description: "It has been used before.",
    })
  })

  test("ID-JAG §4.3.2: a refresh token of the sign-in gets a grant too", async () => {
    const { refresh_token = "" } = await signedIn()
    const fields = { requested_token_type: idJagType, subject_token: refresh_token, audience: todo.url, resource: api }
    const type = "urn:ietf:params:oauth:token-type:refresh_token"
    const grant = await asked(employer, atHome, exchange, { ...fields, subject_token_type: type })
    expect((await asked(todo, atTodo, bearer, { assertion: grant.access_token })).scope).toBe("todo.read")
  })

  test("ID-JAG §4.4.1: another client there cannot use the grant", async () => {
    const { id_token = "" } = await signedIn()
    const { access_token } = await grantFor(id_token)
    await expect(asked(todo, other, bearer, { assertion: access_token })).rejects.toMatchObject({
      error: "invalid_grant",
      error_description: "The assertion is meant for another client.",
    })
  })

  test("ID-JAG §9.8.1: a grant that was asked for with a DPoP proof is good with the same key alone", async () => {
    const { id_token = "" } = await signedIn()
    const keys = await oauth.generateKeyPair("ES256", { extractable: true })
    const proving = (pair: CryptoKeyPair): Options => ({ DPoP: oauth.DPoP({}, pair) })
    const { access_token } = await grantFor(id_token, proving(keys))
    const unproved = { error: "invalid_grant", error_description: "The assertion needs a proof of possession." }
    await expect(asked(todo, atTodo, bearer, { assertion: access_token })).rejects.toMatchObject(unproved)
    const others = await oauth.generateKeyPair("ES256")
    await expect(asked(todo, atTodo, bearer, { assertion: access_token }, proving(others))).rejects.toMatchObject(unproved)
    const bound = await asked(todo, atTodo, bearer, { assertion: access_token }, proving(keys))
    expect(bound.token_type).toBe("dpop")
    expect(claimsOf(bound.access_token)["cnf"]).toEqual(claimsOf(access_token)["cnf"])
  })
})
