import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type RunningServer, serve } from "../support/server.ts"

const password = "correct horse battery"

describe("the claim role, from the configuration to userinfo of the running server", () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await serve({
      users: [
        { username: "alice", password, subject: "alice-1", claims: { name: "Alice Ant", role: ["admin", "editor"] } },
        { username: "bob", password, subject: "bob-1", claims: { role: [] } },
        { username: "carol", password, subject: "carol-1", claims: { role: "auditor" } },
      ],
      clients: [
        { client_id: "robot", client_secret: "secret of robot", grant_types: ["password"], response_types: [], scope: "openid role" },
      ],
    })
  })
  afterAll(async () => {
    await server?.stop()
    server?.remove()
  })

  const userinfo = async (username: string, scope: string): Promise<string> => {
    const answer = await fetch(`${server.url}/connect/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "password",
        username,
        password,
        scope,
        client_id: "robot",
        client_secret: "secret of robot",
      }),
    })
    const { access_token } = (await answer.json()) as { readonly access_token: string }
    return (await fetch(`${server.url}/connect/userinfo`, { headers: { authorization: `Bearer ${access_token}` } })).text()
  }

  test("specification §2.5: role is an array of strings for whoever grants its scope", async () => {
    expect(JSON.parse(await userinfo("alice", "openid role"))).toEqual({ role: ["admin", "editor"], sub: "alice-1" })
    expect(JSON.parse(await userinfo("bob", "openid role"))).toEqual({ role: [], sub: "bob-1" })
    expect(JSON.parse(await userinfo("carol", "openid role"))).toEqual({ role: ["auditor"], sub: "carol-1" })
  })

  test("specification §2.5: no role without its scope, and discovery states both", async () => {
    expect(JSON.parse(await userinfo("alice", "openid"))).toEqual({ sub: "alice-1" })
    const stated = await (await fetch(`${server.url}/.well-known/openid-configuration`)).json()
    expect(stated).toMatchObject({
      scopes_supported: expect.arrayContaining(["role"]),
      claims_supported: expect.arrayContaining(["role", "sub", "name", "given_name", "family_name"]),
    })
  })
})
