import { createServer, type Server, type Socket } from "node:net"
import type { AddressInfo } from "node:net"
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { encodeBase64Url } from "@postern/core/wire"
import { type RunningServer, serve } from "../support/server.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const held = new Set<Socket>()
let hole: Server
let server: RunningServer

const strong = "k7Jv0b4QxZr2mWt9LpYc6HdNs1GfXuEa8BiKoTqRw5M"
const machine = { grant_types: ["client_credentials"], response_types: [], scope: "api" }

beforeAll(async () => {
  // Accepts, reads, and never answers.
  hole = createServer((socket) => {
    held.add(socket)
    socket.on("error", () => undefined).resume()
  })
  await new Promise<void>((listens) => hole.listen(0, "127.0.0.1", listens))
  const url = `http://127.0.0.1:${(hole.address() as AddressInfo).port}`
  server = await serve({
    resources: [{ identifier: "https://api.example", scopes: ["api"] }],
    identity_providers: [{ name: "hole", display_name: "Hole", issuer: url, client_id: "us", client_secret: "secret of us" }],
    clients: [
      { client_id: "web", client_secret: strong, redirect_uris: ["https://app.example/cb"], scope: "openid", identity_providers: ["hole"] },
      { client_id: "machine", client_secret: strong, ...machine },
      ...[0, 1, 2, 3].map((each) => ({
        client_id: `signs${each}`,
        token_endpoint_auth_method: "private_key_jwt",
        jwks_uri: `${url}/${each}`,
        ...machine,
      })),
    ],
  })
})
afterAll(async () => {
  await server.stop()
  server.remove()
  for (const socket of held) socket.destroy()
  hole.close()
})

interface Waiting {
  readonly to: string
  readonly cookie: string
}

/** A browser that is about to be sent to the other provider. */
const authorize = async (): Promise<Waiting> => {
  const query = new URLSearchParams({
    client_id: "web",
    redirect_uri: "https://app.example/cb",
    response_type: "code",
    scope: "openid",
    code_challenge: "c".repeat(43),
    code_challenge_method: "S256",
    acr_values: "idp:hole",
  })
  const { headers } = await fetch(`${server.url}/connect/authorize?${query.toString()}`, { redirect: "manual" })
  const cookie = headers.getSetCookie().map((each) => each.split(";")[0])
  return { to: server.url + String(headers.get("location")), cookie: cookie.join("; ") }
}

/** Goes there: the answer's status, and after how many seconds another try makes sense. */
const signIn = async ({ to, cookie }: Waiting): Promise<readonly [number, number]> => {
  const response = await fetch(to, { headers: { cookie }, redirect: "manual" })
  await response.text()
  return [response.status, Number(response.headers.get("retry-after"))]
}

const post = (fields: Readonly<Record<string, string>>): Promise<Response> =>
  fetch(`${server.url}/connect/token`, { method: "POST", body: new URLSearchParams(fields) })

const json = (value: object): string => encodeBase64Url(new TextEncoder().encode(JSON.stringify(value)))
/** A token request with an assertion that nobody signed. */
const asserted = (clientId: string): Promise<Response> => {
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: clientId, sub: clientId, aud: server.url, iat: now, exp: now + 60, jti: randomUUID() }
  return post({
    grant_type: "client_credentials",
    client_id: clientId,
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: `${json({ alg: "ES256", kid: "none" })}.${json(claims)}.${encodeBase64Url(new Uint8Array(64))}`,
  })
}

/** Asks for the work left to a server: each answer by its status. */
const others = async (): Promise<ReadonlyArray<number>> => {
  const asked = ["/health/live", "/health/ready", "/.well-known/openid-configuration", "/.well-known/openid-configuration/jwks", "/login"]
  const answers = [
    ...asked.map((path) => fetch(server.url + path)),
    post({ grant_type: "client_credentials", client_id: "machine", client_secret: strong }),
  ]
  return (await Promise.all(answers)).map(({ status }) => status)
}

const metric = async (name: string): Promise<number> => {
  const text = await (await fetch(`${server.url}/metrics`)).text()
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\d+)$`, "m").exec(text)?.[1])
}

describe("an identity provider, and hosts of clients, that accept and never answer", () => {
  it("take their own places alone: of hundreds of sign-ins a hundred wait, the others are told at once, and all else is served (RFC 6749 §4.1.2.1)", async () => {
    const browsers: Array<Waiting> = []
    for (let each = 0; each < 300; each++) browsers.push(await authorize())
    const done: Array<readonly [number, number]> = []
    const signIns = browsers.map(async (browser) => done.push(await signIn(browser)))
    await expect.poll(() => metric("postern_outbound_waiting"), { timeout: 30_000 }).toBe(100)
    await expect.poll(() => done.length, { timeout: 30_000 }).toBe(200)
    expect(await metric("postern_outbound_refused")).toBe(200)
    expect(await others()).toEqual([200, 200, 200, 200, 200, 200])
    expect(await metric("postern_outbound_waiting")).toBe(100)
    await Promise.all(signIns)
    expect(done.map(([status, retryAfter]) => status === 503 && retryAfter > 0)).toEqual(done.map(() => true))
    expect(await metric("postern_outbound_waiting")).toBe(0)
  })

  it("are left alone once they failed three times, and whoever needs them is told at once, with Retry-After (RFC 9110 §15.6.4)", async () => {
    const first = await Promise.all(["signs0", "signs1", "signs2"].map(asserted))
    expect(first.map(({ status }) => status).every((status) => status === 401 || status === 503)).toBe(true)
    await expect.poll(() => metric("postern_outbound_circuits_open"), { timeout: 30_000 }).toBe(1)
    const before = held.size
    const refused = await asserted("signs3")
    expect([refused.status, ((await refused.json()) as { error: string }).error]).toEqual([503, "temporarily_unavailable"])
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1)
    expect([(await signIn(await authorize()))[0], held.size]).toEqual([503, before])
    await expect
      .poll(server.output, { timeout: 30_000 })
      .toMatch(/"level":"warn","message":"host skipped: it does not answer","host":"127\.0\.0\.1:\d+"/)
    expect(await others()).toEqual([200, 200, 200, 200, 200, 200])
  })
})
