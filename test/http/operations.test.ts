import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { request as secureRequest } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterEach, describe, expect, it } from "vitest"
import { callerAddress, serveProvider } from "@postern/adapter-http"
import { pem } from "../cli/pem.ts"
import { fakeProvider, keptLog, pages, plainAnswer, start, stopAll } from "./server.ts"

afterEach(stopAll)

describe("assets", () => {
  it("are served below the issuer's path, to be kept for ever, with an entity tag (RFC 9110 §8.8.3)", async () => {
    const server = await start({ provider: fakeProvider(plainAnswer, "http://op.example/tenant") })
    for (const { name, contentType, etag, body } of pages.assets) {
      const answer = await fetch(`${server.url}/tenant/assets/${name}`)
      expect(answer.status).toBe(200)
      expect(answer.headers.get("content-type")).toBe(contentType)
      expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff")
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(Buffer.from(body))
      const again = await fetch(`${server.url}/tenant/assets/${name}`, { headers: { "if-none-match": `"x", W/${etag}` } })
      expect(again.status).toBe(304)
      expect(await again.text()).toBe("")
    }
  })

  it("HEAD has the length and no body; another method is 405 with Allow", async () => {
    const server = await start({ provider: fakeProvider(plainAnswer) })
    const [first] = pages.assets
    const head = await fetch(`${server.url}/assets/${first?.name}`, { method: "HEAD" })
    expect(head.headers.get("content-length")).toBe(String(first?.body.length))
    const post = await fetch(`${server.url}/assets/${first?.name}`, { method: "POST", body: "x" })
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"])
  })

  it("that there are not go to the provider, like every other path", async () => {
    const provider = fakeProvider(plainAnswer)
    const server = await start({ provider })
    for (const path of [
      "/assets/postern.css",
      "/assets/%2e%2e%2fpackage.json",
      "/assets/",
      "/health",
      "/health/live/",
      "/metrics/",
      "/tenant/health/live",
    ])
      await fetch(server.url + path)
    expect(provider.messages.map(({ path }) => path)).toEqual([
      "/assets/postern.css",
      "/assets/%2e%2e%2fpackage.json",
      "/assets/",
      "/health",
      "/health/live/",
      "/metrics/",
      "/tenant/health/live",
    ])
  })
})

describe("health", () => {
  it("/health/live says the process answers; /health/ready what the check says", async () => {
    let check: () => unknown = () => true
    const server = await start({ provider: fakeProvider(plainAnswer), ready: () => check() })
    const ready = async (): Promise<number> => (await fetch(`${server.url}/health/ready`)).status
    expect((await fetch(`${server.url}/health/live`)).status).toBe(200)
    expect(await ready()).toBe(200)
    check = () => false
    expect(await ready()).toBe(503)
    check = () => Promise.reject(new Error("postgres://secret"))
    expect(await ready()).toBe(503)
    check = () => {
      throw new Error("broken")
    }
    expect(await ready()).toBe(503)
    expect((await fetch(`${server.url}/health/live`)).status).toBe(200)
    const answer = await fetch(`${server.url}/health/ready`)
    expect([await answer.json(), answer.headers.get("cache-control")]).toEqual([{ status: "unavailable" }, "no-store"])
  })

  it("/health/ready is 503 while the server stops", async () => {
    const { wire, statusOf } = await import("./server.ts")
    const server = await start({ provider: fakeProvider(plainAnswer), stopTimes: { quiet: 300, drain: 2_000 } })
    const line = await wire(server)
    line.send("GET /health/ready HTTP/1.1\r\nHost: h\r\n\r\n")
    await line.until("}")
    const before = line.text().length
    const stopped = server.stop()
    line.send("GET /health/ready HTTP/1.1\r\nHost: h\r\n\r\n")
    expect(statusOf((await line.closed()).slice(before))).toBe(503)
    await stopped
  })
})

/** The status of /metrics for a Host that fetch would not send. */
const statusFor = (url: string, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(`${url}/metrics`, { headers: { host }, agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    sent.once("error", reject).end()
  })

describe("metrics", () => {
  it("count requests by endpoint and status, and unknown paths as one", async () => {
    const provider = fakeProvider((message) => ({ ...plainAnswer(message), status: message.path === "/connect/token" ? 400 : 200 }))
    const server = await start({ provider })
    for (const path of ["/connect/token", "/connect/token", "/connect/authorize", "/made/up", "/another"]) await fetch(server.url + path)
    const text = await (await fetch(`${server.url}/metrics`)).text()
    const count = (endpoint: string, status: number): number =>
      Number(
        new RegExp(`^postern_http_requests_total\\{(?=[^}]*endpoint="${endpoint}")(?=[^}]*status="${status}")[^}]*\\} (\\d+)$`, "m").exec(
          text,
        )?.[1] ?? 0,
      )
    expect(count("/connect/token", 400)).toBeGreaterThanOrEqual(2)
    expect(count("/connect/authorize", 200)).toBeGreaterThanOrEqual(1)
    expect(count("other", 200)).toBeGreaterThanOrEqual(2)
    expect(text).not.toContain("made")
    expect(text).toMatch(/^postern_http_request_duration_seconds_bucket\{.*le="0\.005".*\} \d+$/m)
    expect(text).toMatch(/^postern_http_connections [1-9]\d*$/m)
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m)
  })

  it("are for this machine alone, by a name of its own, unless said otherwise; a proxy's caller is not on it (RFC 9110 §17.1)", async () => {
    const provider = fakeProvider(plainAnswer)
    const status = async (server: { url: string }, headers: Record<string, string> = {}): Promise<number> =>
      (await fetch(`${server.url}/metrics`, { headers })).status
    const local = await start({ provider })
    expect([
      await status(local),
      await status(local, { "x-forwarded-for": "127.0.0.1" }),
      await status(local, { forwarded: "for=127.0.0.1" }),
      await status(local, { "x-real-ip": "203.0.113.9" }),
      await status(local, { "x-forwarded-proto": "https" }),
      await status(local, { via: "1.1 proxy" }),
    ]).toEqual([200, 404, 404, 404, 404, 404])
    for (const [host, seen] of [
      ["127.0.0.1", 200],
      ["127.8.9.1:1", 200],
      ["localhost:8080", 200],
      ["LOCALHOST.", 200],
      ["[::1]:8080", 200],
      ["rebound.example", 404],
      ["127.0.0.1.rebound.example", 404],
      ["localhost.rebound.example:8080", 404],
      ["rebound.example:127", 404],
      ["192.168.1.7", 404],
    ] as const)
      expect([host, await statusFor(local.url, host)]).toEqual([host, seen])
    expect(await statusFor((await start({ provider, metrics: true })).url, "metrics.example")).toBe(200)
    expect(await status(await start({ provider, metrics: true }), { "x-forwarded-for": "203.0.113.9" })).toBe(200)
    expect(await status(await start({ provider, metrics: false }))).toBe(404)
  })
})

describe("the caller's address", () => {
  const address = callerAddress(["127.0.0.1", "10.0.0.0/8", "2001:db8::/32"])

  it.each([
    ["198.51.100.7", undefined, "198.51.100.7"],
    ["198.51.100.7", "203.0.113.9", "198.51.100.7"],
    ["127.0.0.1", undefined, "127.0.0.1"],
    ["127.0.0.1", "203.0.113.9", "203.0.113.9"],
    ["127.0.0.1", "6.6.6.6, 203.0.113.9", "203.0.113.9"],
    ["127.0.0.1", "6.6.6.6, 203.0.113.9, 10.1.2.3", "203.0.113.9"],
    ["10.1.2.3", "10.9.9.9,10.8.8.8", "10.9.9.9"],
    ["::ffff:10.1.2.3", "::ffff:203.0.113.9", "203.0.113.9"],
    ["2001:db8::1", "[2001:4860::8]:443", "2001:4860::8"],
    ["127.0.0.1", "203.0.113.9:5555", "203.0.113.9"],
    ["127.0.0.1", "unknown", "127.0.0.1"],
    ["127.0.0.1", "6.6.6.6, unknown, 10.1.2.3", "10.1.2.3"],
    ["127.0.0.1", "203.0.113.9, ", "127.0.0.1"],
    ["127.0.0.1", "<script>", "127.0.0.1"],
    [undefined, "203.0.113.9", undefined],
  ])("from %s with X-Forwarded-For %s is %s", (peer, forwarded, expected) => {
    expect(address(peer, forwarded)).toBe(expected)
  })

  it("is the connection's own where no proxy is trusted, whatever headers say", async () => {
    const provider = fakeProvider(plainAnswer)
    const server = await start({ provider })
    await fetch(server.url, { headers: { "x-forwarded-for": "6.6.6.6", forwarded: "for=6.6.6.6", "x-real-ip": "6.6.6.6" } })
    const trusting = await start({ provider, trustedProxies: ["127.0.0.0/8"] })
    await fetch(trusting.url, { headers: { "x-forwarded-for": "6.6.6.6", "x-real-ip": "7.7.7.7" } })
    expect(provider.messages.map((message) => message.address)).toEqual(["127.0.0.1", "6.6.6.6"])
  })

  it.each(["10.0.0.0/33", "proxy.example", "10.0.0.0/x", "", "10.0.0.0/", "10.0.0.0/8/8"])(
    "a trusted proxy that is none stops the start: %s",
    (entry) => {
      expect(() => callerAddress([entry])).toThrow(`trusted proxy "${entry}" is neither an IP address nor a network such as 10.0.0.0/8`)
    },
  )
})

describe("TLS", () => {
  it("serves https from files, and says so where it listens", { timeout: 20_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "postern-tls-"))
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")]
    writeFileSync(key, pem.key, { mode: 0o600 })
    writeFileSync(cert, pem.cert)
    const server = await start({ provider: fakeProvider(plainAnswer, "https://localhost"), tls: { key, cert } })
    expect(server.url).toBe(`https://127.0.0.1:${server.port}`)
    const status = await new Promise((resolve, reject) => {
      secureRequest({ host: "127.0.0.1", port: server.port, path: "/x", rejectUnauthorized: false, agent: false }, (answer) => {
        answer.resume()
        resolve([answer.statusCode, answer.headers["strict-transport-security"]])
      })
        .on("error", reject)
        .end()
    })
    expect(status).toEqual([200, "max-age=31536000"])
    rmSync(folder, { recursive: true })
  })
})

describe("where it listens", () => {
  it("is loopback when nothing is said, and a port that is taken is a typed failure", async () => {
    const server = await start({ provider: fakeProvider(plainAnswer) })
    expect(server.host).toBe("127.0.0.1")
    const failure = await Effect.runPromise(
      Effect.flip(
        Effect.scoped(serveProvider({ provider: fakeProvider(plainAnswer), pages, listen: { port: server.port }, log: keptLog() })),
      ),
    )
    expect(failure._tag).toBe("ServeError")
  })

  it.each([{ trustedProxies: ["proxy.example"] }, { tls: { key: "/nowhere/key.pem", cert: "/nowhere/cert.pem" } }])(
    "and so is a setting that cannot be: %o",
    async (setting) => {
      const failure = await Effect.runPromise(
        Effect.flip(
          Effect.scoped(serveProvider({ provider: fakeProvider(plainAnswer), pages, listen: { port: 0 }, log: keptLog(), ...setting })),
        ),
      )
      expect(failure._tag).toBe("ServeError")
    },
  )
})
