import { spawn } from "node:child_process"
import { once } from "node:events"
import { afterEach, describe, expect, it } from "vitest"
import { type TrailLog, logTrails } from "@postern/adapter-http"
import { byId, textOf } from "../pages/html.ts"
import { fakeProvider, keptLog, plainAnswer, raw, start, statusOf, stopAll, wire } from "./server.ts"

afterEach(stopAll)

const body = (text: string): string => text.slice(text.indexOf("\r\n\r\n") + 4)

describe("a body beyond 64 KiB is 413 (RFC 9110 §15.5.14)", () => {
  const head = (path: string, length: string, more = ""): string =>
    `POST ${path} HTTP/1.1\r\nHost: h\r\nContent-Type: application/x-www-form-urlencoded\r\n${length}\r\n${more}\r\n`

  it("at once when its length says so, as JSON for a program", async () => {
    const provider = fakeProvider(plainAnswer)
    const text = await raw(await start({ provider }), head("/connect/token", "Content-Length: 65537"))
    expect(statusOf(text)).toBe(413)
    expect(text).toContain("content-type: application/json\r\n")
    expect(text).toContain("cache-control: no-store\r\n")
    expect(text.toLowerCase()).toContain("connection: close\r\n")
    expect(JSON.parse(body(text))).toEqual({ error: "invalid_request", error_description: "The body is too long." })
    expect(provider.messages).toEqual([])
  })

  it("when it turns out so, chunk after chunk", async () => {
    const provider = fakeProvider(plainAnswer)
    const line = await wire(await start({ provider }))
    line.send(head("/connect/token", "Transfer-Encoding: chunked"))
    const chunk = `4000\r\n${"a".repeat(16_384)}\r\n`
    for (let at = 0; at < 6; at++) line.send(chunk)
    expect(statusOf(await line.closed())).toBe(413)
    expect(provider.messages).toEqual([])
  })

  it("and 64 KiB exactly is read", async () => {
    const provider = fakeProvider(plainAnswer)
    await raw(await start({ provider }), head("/connect/token", "Content-Length: 65536", "Connection: close\r\n") + "a".repeat(65_536))
    expect(provider.messages[0]?.body).toHaveLength(65_536)
  })

  it.each(["/login", "/connect/authorize", "/nowhere"])("as a page for a person, in their language: %s", async (path) => {
    const text = await raw(
      await start({ provider: fakeProvider(plainAnswer) }),
      head(path, "Content-Length: 70000", "Accept-Language: de-CH,de;q=0.9\r\n"),
    )
    expect(statusOf(text)).toBe(413)
    expect(text).toMatch(/content-security-policy: default-src 'none'/)
    expect(byId(body(text), "op-error")).toBeDefined()
    expect(text).toContain(`lang="de"`)
    const id = /x-request-id: (\S+)/.exec(text)?.[1] ?? ""
    expect(textOf(body(text))).toContain(id)
  })

  it("and leaves a trail with the id that the caller saw", async () => {
    const log = keptLog()
    const trails: TrailLog = logTrails({ log })
    const text = await raw(
      await start({ provider: fakeProvider(plainAnswer), log, trails }),
      head("/connect/token", "Content-Length: 70000"),
    )
    const id = /x-request-id: (\S+)/.exec(text)?.[1]
    expect(await log.lines()).toContainEqual(
      expect.objectContaining({
        request_id: id,
        rule: "http.body-length",
        cites: "RFC 9110 §15.5.14",
        error: "invalid_request",
        status: 413,
        duration_ms: expect.any(Number),
      }),
    )
  })
})

describe("what is no request is answered and costs nothing", () => {
  it("a URL beyond 8 KiB is 414 (RFC 9110 §15.5.15)", async () => {
    const provider = fakeProvider(plainAnswer)
    const server = await start({ provider })
    expect(statusOf(await raw(server, `GET /connect/authorize?x=${"a".repeat(8_200)} HTTP/1.1\r\nHost: h\r\n\r\n`))).toBe(414)
    expect(provider.messages).toEqual([])
  })

  it("headers beyond 16 KiB are 431 (RFC 6585 §5)", async () => {
    const server = await start({ provider: fakeProvider(plainAnswer) })
    expect(statusOf(await raw(server, `GET / HTTP/1.1\r\nHost: h\r\nX-Long: ${"a".repeat(17_000)}\r\n\r\n`))).toBe(431)
  })

  it.each([
    ["rubbish", "\u0016\u0003\u0001\u0002 rubbish\r\n\r\n"],
    ["no Host (RFC 9112 §3.2)", "GET / HTTP/1.1\r\n\r\n"],
    ["more than one Host (RFC 9112 §3.2)", "GET / HTTP/1.1\r\nHost: h\r\nHost: i\r\n\r\n"],
    ["more than one Host, at a path of the server's own", "GET /health/live HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n"],
    ["a Host with a space", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n"],
    ["a Host with a path", "GET / HTTP/1.1\r\nHost: h/x\r\n\r\n"],
    ["a Host with a person before it", "GET / HTTP/1.1\r\nHost: u@h\r\n\r\n"],
    ["a Host of markup", "GET / HTTP/1.1\r\nHost: <b>\r\n\r\n"],
    ["a space before the colon (RFC 9112 §5.1)", "GET / HTTP/1.1\r\nHost : h\r\n\r\n"],
    [
      "both lengths at once (RFC 9112 §6.3)",
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["two lengths", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"],
    ["a length that is none", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n"],
    ["a bare line feed in a header", "GET / HTTP/1.1\r\nHost: h\r\nX: a\nY: b\r\n\r\n"],
    ["a NUL in a header", "GET / HTTP/1.1\r\nHost: h\r\nX: a\u0000b\r\n\r\n"],
    ["a chunk size that is none", "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"],
  ])("%s is 400, and the server goes on", async (_, text) => {
    const provider = fakeProvider(plainAnswer)
    const server = await start({ provider })
    expect(statusOf(await raw(server, text))).toBe(400)
    expect(provider.messages).toEqual([])
    expect(statusOf(await raw(server, "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"))).toBe(200)
  })
})

it.each([
  ["no Host (RFC 9112 §3.2)", "GET /connect/token HTTP/1.1\r\n\r\n", 400, "http.host"],
  [
    "two transfer codings (RFC 9112 §6.1)",
    "POST /connect/token HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    501,
    "http.transfer-coding",
  ],
  [
    "a compressed body (RFC 9110 §15.5.16)",
    "POST /connect/token HTTP/1.1\r\nHost: h\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
    415,
    "http.content-coding",
  ],
  [
    "a body that is compressed and comes in chunks (RFC 9110 §15.5.16)",
    "POST /connect/token HTTP/1.1\r\nHost: h\r\nContent-Encoding: identity, br\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    415,
    "http.content-coding",
  ],
])("%s is refused as everything is: with a rule, a trail and an id to ask for", async (_, text, status, rule) => {
  const log = keptLog()
  const provider = fakeProvider(plainAnswer)
  const answered = await raw(await start({ provider, log, trails: logTrails({ log }) }), text)
  expect([statusOf(answered), provider.messages]).toEqual([status, []])
  expect(answered).toContain("x-content-type-options: nosniff")
  const id = /x-request-id: (\S+)/.exec(answered)?.[1]
  expect(await log.lines()).toContainEqual(expect.objectContaining({ request_id: id, rule, status }))
})

it.each([
  ["HTTP/1.0 needs no Host (RFC 9112 §3.2)", "GET /connect/token HTTP/1.0\r\n\r\n"],
  [
    "an expectation that is not known is ignored (RFC 9110 §10.1.1)",
    "GET /connect/token HTTP/1.1\r\nHost: h\r\nExpect: tea\r\nConnection: close\r\n\r\n",
  ],
  [
    "a body that is as it is, and no body, may say so (RFC 9110 §8.4)",
    "POST /connect/token HTTP/1.1\r\nHost: h\r\nContent-Encoding: Identity\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.1\r\nHost: h\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n",
  ],
  [
    "the coding's name has no case (RFC 9112 §7)",
    "POST /connect/token HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\nConnection: close\r\n\r\n0\r\n\r\n",
  ],
])("%s", async (_, text) => {
  expect(statusOf(await raw(await start({ provider: fakeProvider(plainAnswer) }), text))).toBe(200)
})

it.each([
  ["CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n", [501]],
  ["GET / HTTP/1.1\r\nHost: h\r\n\r\nCONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n", [200]],
])("RFC 9110 §9.3.6: a tunnel that is asked for is refused with an answer, after that of another request: %j", async (text, statuses) => {
  const server = await start({ provider: fakeProvider(plainAnswer) })
  const answered = await raw(server, text)
  expect([...answered.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))).toEqual(statuses)
  expect(statusOf(await raw(server, "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"))).toBe(200)
})

describe("a caller that says nothing more and still reads (RFC 9112 §9.6)", () => {
  const asked = "POST /connect/token HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n"

  it("has the answers to its whole requests, and then the end of the connection", async () => {
    let answer = (): void => undefined
    const provider = fakeProvider((message) => new Promise((resolve) => (answer = () => resolve(plainAnswer(message)))))
    const line = await wire(await start({ provider }), true)
    line.send(`${asked}a=b`)
    line.socket.end()
    await expect.poll(() => provider.messages.length).toBe(1)
    answer()
    expect(statusOf(await line.closed())).toBe(200)
    expect(line.text()).toContain('"body":"a=b"')
  })

  it("has no answer but 400 to half a request, and its end where it asked for nothing", async () => {
    const provider = fakeProvider(plainAnswer)
    const server = await start({ provider })
    const [half, none] = [await wire(server, true), await wire(server, true)]
    half.send(`${asked}a`)
    half.socket.end()
    none.socket.end()
    expect(statusOf(await half.closed())).toBe(400)
    expect(await none.closed()).toBe("")
    expect(provider.messages).toEqual([])
  })
})

describe("a slow caller is cut", () => {
  const limits = { headersTime: 200, requestTime: 300, keepAlive: 200 }

  it("that dribbles its headers (408)", async () => {
    const line = await wire(await start({ provider: fakeProvider(plainAnswer), limits }))
    line.send("GET / HTTP/1.1\r\nHost: h\r\n")
    const dribble = setInterval(() => line.send("X: y\r\n"), 40)
    expect(statusOf(await line.closed())).toBe(408)
    clearInterval(dribble)
  })

  it("that says nothing at all", async () => {
    const line = await wire(await start({ provider: fakeProvider(plainAnswer), limits }))
    await line.closed()
  })

  it("that dribbles its body, and the provider never hears of it (408)", async () => {
    const provider = fakeProvider(plainAnswer)
    const line = await wire(await start({ provider, limits }))
    line.send("POST /connect/token HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n")
    const dribble = setInterval(() => line.send("a"), 40)
    expect(statusOf(await line.closed())).toBe(408)
    clearInterval(dribble)
    expect(provider.messages).toEqual([])
  })

  it("that keeps an idle connection", async () => {
    const line = await wire(await start({ provider: fakeProvider(plainAnswer), limits }))
    line.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
    await line.until("HTTP/1.1 200")
    await line.closed(3_000)
  })

  it("while two hundred of them do not hold up the others", async () => {
    const provider = fakeProvider(plainAnswer)
    const server = await start({ provider, limits: { headersTime: 1_000, requestTime: 1_000 } })
    const slow = await Promise.all(Array.from({ length: 200 }, () => wire(server)))
    for (const line of slow) line.send("POST /connect/token HTTP/1.1\r\nHost: h\r\nContent-Le")
    const began = performance.now()
    expect(statusOf(await raw(server, "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"))).toBe(200)
    expect(performance.now() - began).toBeLessThan(500)
    await Promise.all(slow.map((line) => line.closed(4_000)))
  })
})

describe("connections", () => {
  it("beyond the bound are answered 503 with Retry-After and closed, and the others stay (RFC 9110 §15.6.4)", async () => {
    const server = await start({ provider: fakeProvider(plainAnswer), limits: { connections: 3 } })
    const held = [await wire(server), await wire(server), await wire(server)]
    const fourth = await wire(server)
    const text = await fourth.closed()
    expect(statusOf(text)).toBe(503)
    expect(text).toContain("retry-after: 2\r\n")
    held[0]?.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
    expect(statusOf((await held[0]?.closed()) ?? "")).toBe(200)
    for (const line of held) line.cut()
  })

  it("end after their last request with Connection: close", async () => {
    const line = await wire(await start({ provider: fakeProvider(plainAnswer), limits: { requestsPerConnection: 2 } }))
    line.send("GET /1 HTTP/1.1\r\nHost: h\r\n\r\n")
    await line.until(`"/1"`)
    line.send("GET /2 HTTP/1.1\r\nHost: h\r\n\r\n")
    const text = await line.closed()
    expect(text.toLowerCase().split("connection: close")).toHaveLength(2)
  })

  it("that the system has no files left for are refused, and the server serves on (EMFILE)", { timeout: 20_000 }, async () => {
    const child = spawn("sh", ["-c", `ulimit -n 96; exec "$0" "$1"`, process.execPath, `${import.meta.dirname}/child.ts`], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    const [first] = (await once(child.stdout, "data")) as [Buffer]
    const { port } = JSON.parse(first.toString().split("\n")[0] ?? "") as { port: number }
    const flood = await Promise.allSettled(Array.from({ length: 150 }, () => wire({ port })))
    for (const line of flood) if (line.status === "fulfilled") line.value.cut()
    const deadline = performance.now() + 5_000
    let status = 0
    while (status !== 200 && performance.now() < deadline)
      status = statusOf(await raw({ port }, "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").catch(() => ""))
    expect(status).toBe(200)
    expect(child.exitCode).toBe(null)
    child.kill("SIGTERM")
    expect(await once(child, "exit")).toEqual([0, null])
  })
})
