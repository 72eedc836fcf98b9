import { afterEach, describe, expect, it } from "vitest"
import { byId } from "../pages/html.ts"
import { fakeProvider, keptLog, plainAnswer, raw, start, statusOf, stopAll, wire } from "./server.ts"

afterEach(stopAll)

const get = (path: string, more = ""): string => `GET ${path} HTTP/1.1\r\nHost: h\r\n${more}\r\n`
const last = "Connection: close\r\n"
const body = (text: string): string => text.slice(text.indexOf("\r\n\r\n") + 4)

/** A server of two places, whose provider answers once it is let. */
const crowded = async () => {
  let free = (): void => undefined
  const waiting = new Promise<void>((resolve) => (free = resolve))
  const log = keptLog()
  const provider = fakeProvider(async (message) => {
    if (message.path === "/slow") await waiting
    return plainAnswer(message)
  })
  const server = await start({ provider, log, limits: { inFlight: 2 } })
  const lines = [await wire(server), await wire(server)]
  for (const line of lines) line.send(get("/slow", last))
  // Both are being answered before anybody else asks.
  while (provider.messages.length < 2) await new Promise((resolve) => setImmediate(resolve))
  return { server, log, provider, lines, free: () => free() }
}

it("more than the limit at once is 503 with Retry-After, and reaches the provider no more (RFC 9110 §15.6.4)", async () => {
  const { server, log, provider, lines, free } = await crowded()
  const form = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 3\r\n"
  const text = await raw(server, `POST /connect/token HTTP/1.1\r\nHost: h\r\n${form}${last}\r\na=b`)
  expect(statusOf(text)).toBe(503)
  expect(text).toContain("retry-after: 2\r\n")
  expect(JSON.parse(body(text))).toEqual({
    error: "temporarily_unavailable",
    error_description: "Too much is asked at once; nothing was changed. Try again.",
  })
  const shown = await raw(server, get("/login", last))
  expect(statusOf(shown)).toBe(503)
  expect(shown).toContain("retry-after: 2\r\n")
  expect(byId(body(shown), "op-error")).toBeDefined()
  expect(provider.messages).toHaveLength(2)
  free()
  for (const line of lines) expect(statusOf(await line.closed())).toBe(200)
  expect((await log.lines()).filter(({ message }) => message === "overloaded")).toMatchObject([{ level: "warn", in_flight: 2, refused: 1 }])
})

it("the connection of a request that was refused goes on, and once there is a place it is answered", async () => {
  const { server, lines, free } = await crowded()
  const line = await wire(server)
  line.send(get("/a"))
  await line.until("503 Service Unavailable")
  free()
  for (const each of lines) await each.closed()
  line.send(get("/b", last))
  expect(await line.closed()).toContain("200 OK")
})

it("health stays true meanwhile", async () => {
  const { server, free } = await crowded()
  for (const path of ["/health/live", "/health/ready"]) expect(statusOf(await raw(server, get(path, last)))).toBe(200)
  free()
})

describe("bodies that are arriving are bounded together, however many connections there are (RFC 9110 §15.6.4)", () => {
  const head = "POST /connect/token HTTP/1.1\r\nHost: h\r\nContent-Type: application/x-www-form-urlencoded\r\n"
  const long = (length: number): string => `${head}Content-Length: ${length}\r\n\r\n`

  it("those with the most bytes are answered 503 with Retry-After and closed, and the others go on", async () => {
    const log = keptLog()
    const provider = fakeProvider(plainAnswer)
    const server = await start({ provider, log, limits: { bodies: 1_600 } })
    const [small, large, last] = [await wire(server), await wire(server), await wire(server)]
    small.send(`${long(200)}${"a".repeat(100)}`)
    large.send(`${long(1000)}${"b".repeat(900)}`)
    last.send(`${long(1000)}${"c".repeat(700)}`)
    const refused = await large.closed()
    expect(statusOf(refused)).toBe(503)
    expect(refused).toContain("retry-after: 2\r\n")
    expect(JSON.parse(body(refused))).toEqual({
      error: "temporarily_unavailable",
      error_description: "Too much is asked at once; nothing was changed. Try again.",
    })
    small.send("a".repeat(100))
    await small.until("HTTP/1.1 200")
    last.send("c".repeat(300))
    await last.until("HTTP/1.1 200")
    expect(provider.messages.map(({ body }) => body)).toEqual(["a".repeat(200), "c".repeat(1000)])
    expect((await log.lines()).filter(({ message }) => message === "overloaded")).toMatchObject([
      { level: "warn", arriving: 1_600, refused: 1 },
    ])
    for (const line of [small, last]) line.cut()
  })

  it("one that came to its end, was too long or broke off counts no more", async () => {
    const provider = fakeProvider(plainAnswer)
    const server = await start({ provider, limits: { bodies: 1_000, body: 900 } })
    const chunked = await wire(server)
    chunked.send(`${head}Transfer-Encoding: chunked\r\n\r\n`)
    chunked.send(`320\r\n${"a".repeat(800)}\r\n`)
    chunked.send(`320\r\n${"a".repeat(800)}\r\n`)
    expect(statusOf(await chunked.closed())).toBe(413)
    for (let times = 0; times < 3; times++) {
      const whole = await wire(server)
      whole.send(`${long(800)}${"a".repeat(400)}`)
      whole.send("a".repeat(400))
      await whole.until("HTTP/1.1 200")
      whole.cut()
      const broken = await wire(server)
      broken.send(`${long(800)}${"a".repeat(700)}`)
      broken.socket.end()
      await broken.closed()
    }
    expect(provider.messages).toHaveLength(3)
  })
})

describe("requests that wait for earlier ones of their connection are bounded (RFC 9112 §9.3.2)", () => {
  it("of one connection no more are read, until half of them are answered", async () => {
    const provider = fakeProvider((message) => ({ ...plainAnswer(message), body: "x".repeat(20_000) }))
    const line = await wire(await start({ provider }))
    // Nothing is taken of the answers until all have been sent: the kernel keeps what fits.
    line.socket.pause()
    const asked = 20_000
    line.send(get("/x").repeat(asked / 2))
    line.send(get("/x").repeat(asked / 2 - 1) + get("/last", last))
    while (provider.messages.length === 0) await new Promise((resolve) => setImmediate(resolve))
    let [before, seen] = [-1, provider.messages.length]
    for (let turns = 0; turns < 50 || seen !== before; turns++) {
      before = seen
      await new Promise((resolve) => setImmediate(resolve))
      seen = provider.messages.length
    }
    // One read of 64 KiB has some two thousand.
    expect(seen).toBeLessThan(4_000)
    line.socket.resume()
    const text = await line.closed(30_000)
    expect(text.split("HTTP/1.1 200")).toHaveLength(10_001)
  })

  it("where all connections together have too many, those with more than eight end, and the others go on", async () => {
    let free = (): void => undefined
    const waiting = new Promise<void>((resolve) => (free = resolve))
    const log = keptLog()
    const provider = fakeProvider(async (message) => {
      await waiting
      return plainAnswer(message)
    })
    const server = await start({ provider, log, limits: { pipelined: 20 } })
    const [few, many] = [await wire(server), await wire(server)]
    few.send(get("/few").repeat(4) + get("/few", last))
    while (provider.messages.length < 5) await new Promise((resolve) => setImmediate(resolve))
    many.send(get("/many").repeat(100))
    expect(await many.closed()).toBe("")
    free()
    expect((await few.closed()).split("HTTP/1.1 200")).toHaveLength(6)
    expect(provider.messages.filter(({ path }) => path === "/many").length).toBeLessThanOrEqual(20)
    expect((await log.lines()).filter(({ message }) => message === "overloaded")).toMatchObject([{ level: "warn", pipelined: 20 }])
    expect(statusOf(await raw(server, get("/after", last)))).toBe(200)
  })
})

it("a request whose body is still on its way takes no place", async () => {
  const server = await start({ provider: fakeProvider(plainAnswer), limits: { inFlight: 1 } })
  const slow = [await wire(server), await wire(server)]
  for (const line of slow) line.send("POST /connect/token HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\na")
  expect(statusOf(await raw(server, get("/a", last)))).toBe(200)
  for (const line of slow) line.cut()
})

it("a provider that fails, at once or later, gives its place back", async () => {
  const defect = new Error("a defect")
  const server = await start({
    provider: fakeProvider(({ path }) => {
      if (path === "/now") throw defect
      return Promise.reject(defect)
    }),
    limits: { inFlight: 1 },
  })
  for (const path of ["/now", "/later", "/now", "/later"]) expect(statusOf(await raw(server, get(path, last)))).toBe(500)
})

it("a request that waits for somebody else's answer takes none of the places", async () => {
  let free = (): void => undefined
  const answered = new Promise<void>((resolve) => (free = resolve))
  let waiting = 0
  const provider = fakeProvider(async (message) => {
    if (message.path === "/elsewhere") {
      waiting++
      await answered
      waiting--
    }
    return plainAnswer(message)
  })
  const server = await start({ provider: { ...provider, outward: () => ({ waiting, refused: 0 }) }, limits: { inFlight: 1 } })
  const lines = [await wire(server), await wire(server), await wire(server)]
  for (const line of lines) line.send(get("/elsewhere", last))
  while (waiting < lines.length) await new Promise((resolve) => setImmediate(resolve))
  expect(statusOf(await raw(server, get("/a", last)))).toBe(200)
  expect(await (await fetch(`${server.url}/metrics`)).text()).toMatch(/^postern_outbound_waiting 3$/m)
  free()
  for (const line of lines) expect(statusOf(await line.closed())).toBe(200)
})
