import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { SignJWT } from "jose"
import { afterAll, beforeAll, expect, test } from "vitest"
import { fapi2MessageSigning, fapi2Security, oauth21 } from "../../packages/core/src/profiles/index.ts"
import { trailFindings } from "../../packages/cli/src/data/trailFindings.ts"
import type { Trail } from "@postern/core/model"
import { clientKey } from "../support/clientKeys.ts"
import { proof } from "../support/proofs.ts"
import { type RunningServer, command, serve } from "../support/server.ts"

const key = await clientKey("ES256")
let server: RunningServer

beforeAll(async () => {
  server = await serve({
    trail: "all",
    resources: [{ identifier: "https://api.example", scopes: ["api.read"] }],
    clients: ["bank", "ready"].map((client_id) => ({
      client_id,
      token_endpoint_auth_method: "private_key_jwt",
      jwks: { keys: [key.publicJwk] },
      grant_types: ["client_credentials"],
      response_types: [],
      access_token_signed_response_alg: "ES256",
      scope: "api.read",
    })),
  })
})
afterAll(async () => {
  await server?.stop()
  server?.remove()
})

/** Asks for a token by an assertion, with a proof where its tokens are to be bound. */
const ask = async (client: string, aud: string | Array<string>, bound: boolean): Promise<void> => {
  const now = Math.floor(Date.now() / 1000)
  const place = `${server.url}/connect/token`
  const jwt = new SignJWT({ jti: crypto.randomUUID() }).setProtectedHeader({ alg: "ES256", kid: "ES256" })
  const assertion = await jwt
    .setIssuer(client)
    .setSubject(client)
    .setAudience(aud)
    .setIssuedAt(now)
    .setExpirationTime(now + 60)
    .sign(key.privateKey)
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: assertion,
  })
  const headers = bound ? { dpop: proof(now, "POST", "", { claims: { htu: place } }) } : undefined
  const { status } = await fetch(place, { method: "POST", body, ...(headers && { headers }) })
  expect(status).toBe(200)
}

const readiness = (client: string, ...more: ReadonlyArray<string>) =>
  spawnSync(
    process.execPath,
    [command, "client", "readiness", client, "--profile", "fapi2-security", "--config", "postern.json", ...more],
    {
      cwd: join(server.folder),
      encoding: "utf8",
      env: { ...process.env, NO_COLOR: "1" },
    },
  )

test("FAPI 2.0 Security Profile §5.3.2.1 (4, 8): requests of a client that a profile would have refused are counted from their trails", async () => {
  for (let time = 0; time < 3; time++) await ask("bank", `${server.url}/connect/token`, time > 0)
  await ask("bank", [server.url], true)
  await ask("bank", server.url, true)
  await ask("ready", server.url, true)
  const told = () => JSON.parse(readiness("bank", "--json").stdout) as { readonly ready: boolean; readonly requests: unknown }
  // Trails are written within a fifth of a second.
  await expect.poll(() => told().requests).toMatchObject({ days: 7, kept: 5 })
  expect(told()).toMatchObject({
    ready: false,
    faults: [],
    requests: {
      findings: [
        {
          rule: "assertion.audience",
          cites: "FAPI 2.0 Security Profile §5.3.2.1 (8)",
          count: 4,
          of: 5,
          message: "had an assertion made out to a list with the issuer, another URL, and not to the issuer alone",
        },
        { rule: "token.confirmation-profile", count: 1, of: 5, message: "asked for tokens that are bound to nothing" },
      ],
    },
  })
  expect([readiness("bank", "--json").status, readiness("ready", "--json").status]).toEqual([1, 0])
  const { status, stderr } = readiness("bank")
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/assertion\.audience 4 requests of 5 had an assertion[^]*token\.confirmation-profile 1 request of 5/),
  ])
  const fine = readiness("ready")
  expect([fine.status, fine.stdout]).toEqual([
    0,
    expect.stringContaining("1 request of the last 7 days left a trail, none of which would have been refused"),
  ])
})

const trail = (endpoint: string, facts: Readonly<Record<string, string>>): Trail => ({
  requestId: "1",
  at: 1,
  endpoint,
  facts,
  steps: [],
  outcome: "",
  status: 200,
})

test.each([
  [fapi2Security, "FAPI 2.0 Security Profile §5.3.2.2 (5)"],
  [fapi2MessageSigning, "FAPI 2.0 Security Profile §5.3.2.2 (5)"],
  [oauth21, oauth21.cites],
])("a demand cites the paragraphs of the profile that makes it", (profile, cites) => {
  const told = trailFindings(profile, [trail("authorize", { "code challenge": "none" })])
  expect(told.map(({ rule, cites: cited }) => [rule, cited])).toEqual([["authorize.challenge-required", cites]])
})

test("every fact of a trail that a profile judges is judged", () => {
  const told = trailFindings(fapi2Security, [
    trail("token", { "client authentication": "client_secret_basic", "tokens bound to": "a certificate" }),
    trail("token", { "assertion aud": "the issuer", "assertion alg": "RS256", "tokens bound to": "a key" }),
    trail("authorize", { "authorization request": "not pushed", "code challenge": "none", "response type": "code id_token" }),
    trail("authorize", { "authorization request": "pushed", "code challenge": "S256", "response type": "code" }),
    trail("pushed-authorization", { "authorization request": "not pushed", "code challenge": "plain", "response type": "code" }),
  ])
  expect(told.map(({ rule, count, of }) => [rule, count, of])).toEqual([
    ["client.method-profile", 1, 1],
    ["assertion.algorithm", 1, 1],
    ["authorize.pushed-request-required", 1, 2],
    ["authorize.challenge-required", 1, 3],
    ["authorize.challenge-plain-allowed", 1, 3],
    ["authorize.response-type-profile", 1, 3],
  ])
})
