import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { basic } from "../support/flows.ts"
import { type RunningServer, serve } from "../support/server.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const strong = "k7Jv0b4QxZr2mWt9LpYc6HdNs1GfXuEa8BiKoTqRw5M"
const machine = { grant_types: ["client_credentials"], response_types: [], scope: "api" }

let server: RunningServer
beforeAll(async () => {
  server = await serve({
    resources: [{ identifier: "https://api.example", scopes: ["api"] }],
    trusted_proxies: ["127.0.0.1"],
    clients: [
      { client_id: "strong", client_secret: strong, ...machine },
      { client_id: "weak", client_secret: "correct horse", ...machine },
      { client_id: "old", client_secret: strong, ...machine, grant_types: ["password"], scope: "openid" },
      { client_id: "web", client_secret: strong, redirect_uris: ["https://app.example/cb"], scope: "openid" },
    ],
    users: [{ username: "alice", password: "correct horse battery" }],
  })
})
afterAll(async () => {
  await server.stop()
  server.remove()
})

const post = async (
  path: string,
  fields: Readonly<Record<string, string>>,
  from: string,
  headers: Readonly<Record<string, string>> = {},
) => {
  const response = await fetch(server.url + path, {
    method: "POST",
    headers: { "x-forwarded-for": from, ...headers },
    body: new URLSearchParams(fields),
    redirect: "manual",
  })
  return {
    status: response.status,
    to: response.headers.get("location"),
    retryAfter: response.headers.get("retry-after"),
    text: await response.text(),
  }
}
const token = (fields: Readonly<Record<string, string>>, client: string, secret: string, from: string) =>
  post("/connect/token", fields, from, { authorization: basic(client, secret) })

/** Signs alice in at our page; answers with the place she comes to. */
const signIn = async (from: string): Promise<string | null> => {
  const page = await fetch(`${server.url}/login`, { headers: { "x-forwarded-for": from } })
  const cookie = page.headers
    .getSetCookie()
    .map((each) => each.split(";")[0])
    .join("; ")
  const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? ""
  return (await post("/login", { csrf, username: "alice", password: "correct horse battery" }, from, { cookie })).to
}

it("an address that floods with wrong secrets stops neither sign-ins, nor passwords that clients send, nor clients of other addresses (RFC 9110 §15.6.4)", async () => {
  const controller = new AbortController()
  let refused = 0
  let overloaded = 0
  // Each for another client, so that no limit of a client is met: it is the hashes that are fought for.
  const flood = Array.from({ length: 400 }, async (_, lane) => {
    for (let each = 0; !controller.signal.aborted; each++) {
      const { status, retryAfter } = await token({ grant_type: "client_credentials" }, `nobody ${lane} ${each}`, "a guess", "192.0.2.66")
      if (status === 401) refused++
      if (status === 503 && Number(retryAfter) > 0) overloaded++
    }
  })
  try {
    await vi.waitUntil(() => refused > 5 && overloaded > 50, { timeout: 60_000 })
    for (let each = 0; each < 2; each++) {
      expect(await signIn(`198.51.100.${each}`)).toBe("/")
      const passwords = { grant_type: "password", username: "alice", password: "correct horse battery", scope: "openid" }
      expect((await token(passwords, "old", strong, "203.0.113.1")).status).toBe(200)
      // Not remembered the first time: it is hashed in turn with the guesses.
      expect((await token({ grant_type: "client_credentials" }, "weak", "correct horse", `203.0.113.${each + 2}`)).status).toBe(200)
      expect((await token({ grant_type: "client_credentials" }, "strong", strong, "192.0.2.66")).status).toBe(200)
      for (const path of ["/.well-known/openid-configuration", "/.well-known/openid-configuration/jwks", "/health/ready"])
        expect((await fetch(server.url + path)).status).toBe(200)
    }
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    expect(metrics).toMatch(/^postern_hash_refused\{kind="client_secret"\} [1-9]/m)
    expect(metrics).toMatch(/^postern_hash_refused\{kind="sign_in"\} 0$/m)
  } finally {
    controller.abort()
    await Promise.all(flood)
  }
})
