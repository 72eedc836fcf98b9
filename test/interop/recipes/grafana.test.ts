import { createHash, randomBytes } from "node:crypto"
import { decodeJwt } from "jose"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type RunningServer, serve } from "../../support/server.ts"
import { alice, users } from "../people.ts"
import { Visitor } from "../visitor.ts"
import { recipe } from "./recipe.ts"

const secret = "Grafana's secret: 100%, drawn by chance"
const app = "https://grafana.example"

describe("the recipe for Grafana, by the requests of its generic_oauth", () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await serve({ users, ...recipe("Grafana", app, secret) })
  })
  afterAll(async () => {
    await server?.stop()
    server?.remove()
  })

  const tokens = async (fields: Readonly<Record<string, string>>) => {
    const body = new URLSearchParams({ client_id: "grafana", client_secret: secret, ...fields })
    const response = await fetch(`${server.url}/connect/token`, { method: "POST", body })
    return { status: response.status, json: (await response.json()) as Readonly<Record<string, string>> }
  }

  test("RFC 6749 §2.3.1, RFC 7636: a code with PKCE and the secret in the body gives an ID token with the person's address, and is refreshed", async () => {
    const code_verifier = randomBytes(32).toString("base64url")
    const asked = new URLSearchParams({
      client_id: "grafana",
      redirect_uri: `${app}/login/generic_oauth`,
      response_type: "code",
      scope: "openid profile email offline_access",
      state: "state",
      access_type: "offline",
      code_challenge: createHash("sha256").update(code_verifier).digest("base64url"),
      code_challenge_method: "S256",
    })
    const back = await new Visitor().authorize(`${server.url}/connect/authorize?${asked.toString()}`, ...alice)
    expect(back.href.startsWith(`${app}/login/generic_oauth?`)).toBe(true)
    const first = await tokens({
      grant_type: "authorization_code",
      code: back.searchParams.get("code") ?? "",
      redirect_uri: `${app}/login/generic_oauth`,
      code_verifier,
    })
    expect(first.status).toBe(200)
    expect(decodeJwt(first.json["id_token"] ?? "")).toMatchObject({ name: "Alice Ant", email: "alice@example.com" })
    const userinfo = await fetch(`${server.url}/connect/userinfo`, { headers: { authorization: `Bearer ${first.json["access_token"]}` } })
    expect(await userinfo.json()).toMatchObject({ name: "Alice Ant", email: "alice@example.com" })
    const next = await tokens({ grant_type: "refresh_token", refresh_token: first.json["refresh_token"] ?? "" })
    expect([next.status, typeof next.json["access_token"]]).toEqual([200, "string"])
  })
})
