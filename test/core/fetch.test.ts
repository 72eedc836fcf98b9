import type { Feature } from "@postern/core"
import { type Caller, fromRequest } from "@postern/core/wire"
import * as Effect from "effect/Effect"
import { describe, expect, test, vi } from "vitest"
import { basic } from "../support/flows.ts"
import { issuer, world } from "../support/world.ts"

const form = (body: string, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  body,
  headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
})

test("createProvider: fetch answers a web-standard Request with a Response", async () => {
  const { provider } = await world()
  const response = await provider.fetch(
    new Request(`${issuer}/connect/token`, form("grant_type=client_credentials", { authorization: basic("machine") })),
  )
  expect(response.status).toBe(200)
  expect(response.headers.get("content-type")).toBe("application/json")
  expect(await response.json()).toMatchObject({ token_type: "Bearer" })
})

test("createProvider: two cookies are two Set-Cookie headers", async () => {
  const { provider } = await world()
  const response = await provider.fetch(new Request(`${issuer}/login`))
  expect(response.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^__Host-postern-browser=b_\S+; Path=\/; HttpOnly; SameSite=Lax; Secure$/),
  ])
})

test("RFC 9110 §15.5.14: a body over 64 KiB is 413", async () => {
  const { provider } = await world()
  const response = await provider.fetch(new Request(`${issuer}/connect/token`, form("x=".padEnd(65_537, "y"))))
  expect(response.status).toBe(413)
})

test("Fetch §3.2: scripts of other origins may read a refusal of a body where they may read what the endpoint answers", async () => {
  const { provider } = await world()
  const long = (path: string) => provider.fetch(new Request(issuer + path, form("x=".padEnd(65_537, "y"))))
  const breaks = new ReadableStream({ start: (controller) => controller.error(new Error("the caller is gone")) })
  const cut = provider.fetch(new Request(`${issuer}/connect/token`, { method: "POST", body: breaks, duplex: "half" } as RequestInit))
  for (const [answer, status, origin] of [
    [await long("/connect/token"), 413, "*"],
    [await cut, 400, "*"],
    [await long("/connect/introspect"), 413, null],
    [await long("/login"), 413, null],
  ] as const)
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([status, origin])
  expect((await long("/connect/token")).headers.get("access-control-expose-headers")).toContain("retry-after")
})

test("RFC 9110 §9.3.2: HEAD answers as GET does, without a body", async () => {
  const { provider } = await world()
  const response = await provider.fetch(new Request(`${issuer}/.well-known/openid-configuration`, { method: "HEAD" }))
  expect(response.status).toBe(200)
  expect(await response.text()).toBe("")
})

test("createProvider: fetch takes the caller's address, believes no header, and nothing that is no text", async () => {
  const addresses: Array<unknown> = []
  const { provider } = await world({
    more: { limiter: { take: (of, sender) => (of === "address" && addresses.push(sender), 0) } },
  })
  const ask = (caller?: unknown) =>
    provider.fetch(
      new Request(
        `${issuer}/connect/token`,
        form("grant_type=client_credentials", { authorization: basic("machine"), "x-forwarded-for": "203.0.113.1" }),
      ),
      caller as { readonly address?: string },
    )
  // Bun hands its server over, workerd its environment: what is there by that name is no address.
  for (const caller of [{ address: "192.0.2.7" }, undefined, {}, { address: "" }, { address: { address: "::1", port: 1 } }, "203.0.113.2"])
    expect((await ask(caller)).status).toBe(200)
  expect(addresses).toEqual(["192.0.2.7"])
})

test("fromRequest: a request as a message, with the path and query as the URL has them", async () => {
  const request = new Request(`${issuer}/a%2Fb/?x=%20&y`, form("p=1", { "X-Two": "1" }))
  expect(await fromRequest(request, { address: "192.0.2.7" })).toEqual({
    method: "POST",
    path: "/a%2Fb/",
    query: "x=%20&y",
    headers: { "content-type": "application/x-www-form-urlencoded", "x-two": "1" },
    body: "p=1",
    address: "192.0.2.7",
  })
})

test("RFC 8705 §2: the certificate that a shell vouches for is in the message and reaches every endpoint; nothing else is one", async () => {
  const peerCertificate = { der: Uint8Array.of(48, 3, 2, 1, 0), verified: true }
  const request = () => new Request(`${issuer}/peer`)
  expect((await fromRequest(request(), { peerCertificate }))?.peerCertificate).toEqual(peerCertificate)
  for (const odd of ["MIIB", { der: "MIIB", verified: true }, { der: peerCertificate.der }, null])
    expect((await fromRequest(request(), { peerCertificate: odd } as unknown as Caller))?.peerCertificate).toBe(undefined)
  const seen: Array<unknown> = []
  const peer: Feature = {
    name: "peer",
    endpoints: () => [
      {
        name: "peer",
        path: "/peer",
        methods: ["GET"],
        audience: "programs",
        cors: false,
        attempt: (message) => {
          seen.push(message.peerCertificate)
          return Effect.succeed({ _tag: "Reply", body: {}, cacheable: false, commands: [] })
        },
      },
    ],
  }
  const { provider } = await world({ more: { features: [peer] } })
  await provider.fetch(request(), { peerCertificate })
  await provider.fetch(request())
  expect(seen).toEqual([peerCertificate, undefined])
})

const streamed = (source: UnderlyingDefaultSource<Uint8Array>) =>
  new Request(`${issuer}/connect/token`, { method: "POST", body: new ReadableStream(source), duplex: "half" } as RequestInit)

const errorOf = async (response: Response) => [response.status, (await response.json())["error"], response.headers.get("cache-control")]

describe("createProvider: fetch never rejects, and never hangs on a body", () => {
  test("RFC 9110 §15.6.1: one that the server around it has read is the server's fault: 500, and reported", async () => {
    const { provider, reports } = await world()
    const used = new Request(`${issuer}/connect/token`, form("grant_type=client_credentials"))
    await used.text()
    expect((await provider.fetch(used)).status).toBe(500)
    expect(reports).toMatchObject([{ cause: { message: "the body was read before the provider saw the request: hand it over first" } }])
    const locked = new Request(`${issuer}/connect/token`, form("grant_type=client_credentials"))
    locked.body?.getReader()
    expect((await provider.fetch(locked)).status).toBe(500)
    expect(reports).toHaveLength(2)
  })

  test("RFC 9112 §8: one that breaks off, at once or later, is incomplete: 400, and not reported", async () => {
    const { provider, reports } = await world()
    const gone = new Error("the caller went away")
    const atOnce = streamed({ start: (controller) => controller.error(gone) })
    let pieces = 0
    const later = streamed({ pull: (to) => (pieces++ === 0 ? to.enqueue(new TextEncoder().encode("grant_type=")) : to.error(gone)) })
    for (const request of [atOnce, later])
      expect(await errorOf(await provider.fetch(request))).toEqual([400, "invalid_request", "no-store"])
    expect(reports).toEqual([])
  })

  test("RFC 9110 §15.5.9: one that does not end within 20 seconds is late: 408", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    try {
      const { provider, reports } = await world()
      let answered = false
      let canceled = 0
      const endless = streamed({ pull: () => new Promise(() => undefined), cancel: () => void canceled++ })
      const response = provider.fetch(endless).finally(() => (answered = true))
      await vi.advanceTimersByTimeAsync(19_000)
      expect(answered).toBe(false)
      await vi.advanceTimersByTimeAsync(2_000)
      expect(await errorOf(await response)).toEqual([408, "invalid_request", "no-store"])
      // Its stream is read no further.
      expect(canceled).toBe(1)
      expect(reports).toEqual([])
      // Whoever sends in time leaves no timer behind.
      await provider.fetch(new Request(`${issuer}/connect/token`, form("grant_type=client_credentials")))
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  test("RFC 9110 §15.5.14: one without end is too long: 413, also where its pieces are empty, or its stream never closes", async () => {
    const { provider } = await world()
    const never = () => new Promise<void>(() => undefined)
    const bodies: ReadonlyArray<UnderlyingDefaultSource<Uint8Array>> = [
      { pull: (to) => to.enqueue(new Uint8Array(1_000)) },
      { pull: (to) => to.enqueue(new Uint8Array(0)) },
      { pull: (to) => to.enqueue(new Uint8Array(70_000)), cancel: never },
      { pull: (to) => to.enqueue(new Uint8Array(70_000)), cancel: () => Promise.reject(new Error("no")) },
    ]
    for (const body of bodies) expect(await errorOf(await provider.fetch(streamed(body)))).toEqual([413, "invalid_request", "no-store"])
  })
})

test("createProvider: serves says which paths are the provider's, below its issuer's path alone", async () => {
  const { provider } = await world()
  for (const path of ["/", "/login", "/connect/token", "/.well-known/openid-configuration"]) expect(provider.serves(path)).toBe(true)
  for (const path of ["/Login", "/login/", "", "/nowhere", "/login?x"]) expect(provider.serves(path)).toBe(false)
  const below = await world({ issuer: `${issuer}/auth` })
  expect([below.provider.serves("/auth/login"), below.provider.serves("/login")]).toEqual([true, false])
  expect(below.provider.serves("/.well-known/oauth-authorization-server/auth")).toBe(true)
})
