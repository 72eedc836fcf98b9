import { afterAll, beforeAll, describe, expect, test } from "vitest"
import * as client from "openid-client"
import { type RunningServer, freePort, serve } from "../../support/server.ts"
import { users } from "../people.ts"
import { Visitor } from "../visitor.ts"
import { type Program, answers, startProgram } from "./program.ts"
import { recipe } from "./recipe.ts"
import { isThere, places } from "./there.ts"

const secret = "Spring's secret: 100%, drawn by chance"
const machine = { client_secret: secret, grant_types: ["client_credentials"], response_types: [], scope: "orders.read" }

describe.skipIf(!isThere("spring"))("the recipe for Spring Security", () => {
  let server: RunningServer
  let spring: Program
  let app: string
  beforeAll(async () => {
    const port = await freePort()
    app = `http://127.0.0.1:${port}`
    const { resources, clients } = recipe("Spring Security", app, secret)
    server = await serve({
      users,
      resources: [...resources, { identifier: "https://other.example.com", scopes: ["other"] }],
      clients: [
        ...clients,
        { ...machine, client_id: "typed" },
        { ...machine, client_id: "plain", access_token_typ: "jwt" },
        { ...machine, client_id: "elsewhere", access_token_typ: "jwt", scope: "orders.read other" },
      ],
    })
    const registration = "spring.security.oauth2.client.registration.postern"
    const settings = {
      "server.port": String(port),
      "server.address": "127.0.0.1",
      [`${registration}.client-id`]: "spring",
      [`${registration}.client-secret`]: secret,
      [`${registration}.scope`]: "openid,profile,email",
      "spring.security.oauth2.client.provider.postern.issuer-uri": server.url,
      "spring.security.oauth2.resourceserver.jwt.issuer-uri": server.url,
      "spring.security.oauth2.resourceserver.jwt.audiences": "https://api.example.com",
    }
    const args = [
      "-XX:TieredStopAtLevel=1",
      "-Xmx256m",
      "-jar",
      places.spring,
      ...Object.entries(settings).map(([name, value]) => `--${name}=${value}`),
    ]
    spring = await startProgram("java", args, {}, answers(`${app}/open`))
  }, 180_000)
  afterAll(async () => {
    await spring?.stop()
    await server?.stop()
    server?.remove()
  })

  test("Core §3.1: signs a person in by its defaults, and knows name and address from userinfo", async () => {
    const alice = new Visitor()
    await alice.visit(`${app}/oauth2/authorization/postern`)
    expect(await (await alice.go(`${app}/me`)).json()).toEqual({ name: "Alice Ant", email: "alice@example.com" })
  })

  const call = async (clientId: string, scope: string): Promise<Response> => {
    const found = await client.discovery(new URL(server.url), clientId, secret, undefined, { execute: [client.allowInsecureRequests] })
    const { access_token } = await client.clientCredentialsGrant(found, { scope })
    return fetch(`${app}/orders`, { headers: { authorization: `Bearer ${access_token}` }, redirect: "manual" })
  }

  test("RFC 7519 §5.1: its resource server takes access tokens of the typ JWT, and refuses at+jwt", async () => {
    const plain = await call("plain", "orders.read")
    expect([plain.status, await plain.json()]).toEqual([200, { sub: "plain", scope: "orders.read" }])
    expect((await call("typed", "orders.read")).status).toBe(401)
  })

  test("RFC 8725 §3.9: it refuses a token made out to another audience", async () => {
    expect((await call("elsewhere", "other")).status).toBe(401)
  })
})
