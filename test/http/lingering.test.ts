import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { connect as connectSecurely } from "node:tls"
import { afterEach, describe, expect, it } from "vitest"
import { pem } from "../cli/pem.ts"
import { runs } from "../tiers/tier.ts"
import { type Wire, fakeProvider, keptLog, plainAnswer, raw, start, statusOf, stopAll, wire } from "./server.ts"

afterEach(stopAll)

/** Writes everything before it reads anything, as many clients do; tells what it read at last, and whether the connection was reset. */
const writeThenRead = (port: number, text: string, secure = false): Promise<{ readonly status: number; readonly reset: boolean }> =>
  new Promise((resolve) => {
    const socket = secure ? connectSecurely({ port, host: "127.0.0.1", rejectUnauthorized: false }) : connect(port, "127.0.0.1")
    let received = ""
    let reset = false
    socket.pause()
    socket.on("error", () => (reset = true))
    socket.on("data", (chunk) => (received += chunk.toString("latin1")))
    socket.on("close", () => resolve({ status: statusOf(received), reset }))
    socket.write(text, () => setImmediate(() => socket.resume()))
  })

/** The answers to so many of them, one after the other, by status; `reset` where there was a reset. */
const tally = async (port: number, text: string, count: number, secure = false): Promise<Record<string, number>> => {
  const seen: Record<string, number> = {}
  for (let time = 0; time < count; time++) {
    const { status, reset } = await writeThenRead(port, text, secure)
    const key = reset ? `${status} reset` : String(status)
    seen[key] = (seen[key] ?? 0) + 1
  }
  return seen
}

const long = "a".repeat(2_000_000)
/** A hundred in the full tier. */
const often = runs(100, 20)
const head = "Host: h\r\nContent-Type: application/x-www-form-urlencoded\r\n"

describe("what is too much is answered, a hundred times in a row, to a client that writes everything before it reads (RFC 9112 §9.6)", () => {
  const idle = fakeProvider(plainAnswer)

  it.each([
    [413, "a body that says how long it is", `POST /connect/token HTTP/1.1\r\n${head}Content-Length: ${long.length}\r\n\r\n${long}`],
    [
      413,
      "a body in chunks",
      `POST /connect/token HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n${`10000\r\n${"a".repeat(65_536)}\r\n`.repeat(30)}`,
    ],
    [
      414,
      "a target, with a body behind it",
      `POST /connect/token?x=${"a".repeat(9_000)} HTTP/1.1\r\n${head}Content-Length: ${long.length}\r\n\r\n${long}`,
    ],
    [431, "a target as long as that", `GET /connect/authorize?x=${long} HTTP/1.1\r\nHost: h\r\n\r\n`],
    [431, "a header", `GET / HTTP/1.1\r\nHost: h\r\nX-Long: ${long}\r\n\r\n`],
    [400, "what is no HTTP", `\u0016\u0003 rubbish\r\n\r\n${long}`],
  ])("%i: %s", async (status, _, text) => {
    const { port } = await start({ provider: idle })
    expect(await tally(port, text, often)).toEqual({ [status]: often })
    expect(idle.messages).toEqual([])
  })

  it("over TLS too", { timeout: 60_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "postern-linger-"))
    const tls = { key: join(folder, "key.pem"), cert: join(folder, "cert.pem") }
    writeFileSync(tls.key, pem.key)
    writeFileSync(tls.cert, pem.cert)
    const { port } = await start({ provider: idle, tls, limits: { connections: 50 } })
    rmSync(folder, { recursive: true })
    expect(await tally(port, `POST /connect/token HTTP/1.1\r\n${head}Content-Length: ${long.length}\r\n\r\n${long}`, 50, true)).toEqual({
      413: 50,
    })
    expect(await tally(port, `GET / HTTP/1.1\r\nHost: h\r\nX-Long: ${long}\r\n\r\n`, 50, true)).toEqual({ 431: 50 })
    const held = await Promise.all(Array.from({ length: 50 }, () => wire({ port })))
    expect(await tally(port, `GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`, 50, true)).toEqual({ 503: 50 })
    for (const line of held) line.cut()
  })

  it("408: a request that does not come to its end in time", { timeout: 60_000 }, async () => {
    const { port } = await start({ provider: idle, limits: { headersTime: 100, requestTime: 150 } })
    const slow = Array.from({ length: 100 }, async () =>
      writeThenRead(port, `POST /connect/token HTTP/1.1\r\n${head}Content-Length: 1000\r\n\r\nabc`),
    )
    expect(await Promise.all(slow)).toEqual(slow.map(() => ({ status: 408, reset: false })))
  })

  it("503: a connection beyond the limit", async () => {
    const { port } = await start({ provider: idle, limits: { connections: 1 } })
    const held = await wire({ port })
    expect(await tally(port, `POST /connect/token HTTP/1.1\r\n${head}Content-Length: ${long.length}\r\n\r\n${long}`, often)).toEqual({
      503: often,
    })
    held.cut()
  })

  it("503: a request beyond the limit", async () => {
    let free = (): void => undefined
    const waiting = new Promise<void>((resolve) => (free = resolve))
    const provider = fakeProvider(async (message) => {
      await waiting
      return plainAnswer(message)
    })
    const { port } = await start({ provider, limits: { inFlight: 1 } })
    const first = raw({ port }, "GET /slow HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
    await expect.poll(() => provider.messages.length).toBe(1)
    const body = "a".repeat(60_000)
    const text = `POST /connect/token HTTP/1.1\r\n${head}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    expect(await tally(port, text, often)).toEqual({ 503: often })
    free()
    expect(statusOf(await first)).toBe(200)
  })
})

it("what was refused before it was a request is counted, and places that ran out are said", async () => {
  const log = keptLog()
  const server = await start({ provider: fakeProvider(plainAnswer), log, limits: { connections: 2 } })
  const rubbish = await raw(server, "rubbish\r\n\r\n")
  const held = [await wire(server), await wire(server)]
  const refused = await raw(server, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
  for (const line of held) line.cut()
  expect([rubbish, refused].map(statusOf)).toEqual([400, 503])
  const metrics = async (): Promise<string> => {
    const text = await raw(server, "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    return [400, 503]
      .filter((status) => new RegExp(`^postern_http_requests_total\\{[^}]*status="${status}"[^}]*\\} [1-9]`, "m").test(text))
      .join()
  }
  await expect.poll(metrics).toBe("400,503")
  expect((await log.lines()).filter(({ message }) => message === "overloaded")).toMatchObject([
    { level: "warn", connections: 2, refused: 1 },
  ])
})

describe("a connection that waits for its caller to close is bounded", () => {
  const tooLong = `POST /connect/token HTTP/1.1\r\n${head}Content-Length: 100000\r\n\r\n`
  const get = "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"

  /** Number of connections that a server holds, without the one that asks. */
  const connections = async (server: { readonly port: number }): Promise<number> =>
    Number(
      /^postern_http_connections (\d+)/m.exec(
        await raw(server, `GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
      )?.[1],
    ) - 1

  /** A connection that was answered 413, and whose caller neither closes it nor sends the rest. */
  const answered = async (port: number): Promise<Wire> => {
    const line = await wire({ port }, true)
    line.send(tooLong)
    await line.until("413 Payload Too Large")
    return line
  }

  it("in time", async () => {
    const server = await start({ provider: fakeProvider(plainAnswer), limits: { lingerTime: 100 } })
    await answered(server.port)
    await expect.poll(() => connections(server)).toBe(0)
  })

  it("in what it reads and drops", async () => {
    const { port } = await start({ provider: fakeProvider(plainAnswer), limits: { lingerBytes: 1_000_000, lingerTime: 60_000 } })
    const line = await answered(port)
    const feed = (): void => {
      while (!line.socket.destroyed && line.socket.write(Buffer.alloc(65_536)));
    }
    line.socket.on("drain", feed)
    feed()
    await line.closed()
    expect(line.socket.bytesWritten).toBeLessThan(50_000_000)
  })

  it("in number: the one that has waited longest makes way", async () => {
    const server = await start({ provider: fakeProvider(plainAnswer), limits: { lingerConnections: 2, lingerTime: 60_000 } })
    const lines = [await answered(server.port), await answered(server.port), await answered(server.port)]
    await expect.poll(() => connections(server)).toBe(2)
    for (const line of lines) line.cut()
    await expect.poll(() => connections(server)).toBe(0)
  })

  it("and takes none of the places of those that ask", async () => {
    const server = await start({ provider: fakeProvider(plainAnswer), limits: { connections: 1, lingerTime: 60_000 } })
    const lines = [await answered(server.port), await answered(server.port)]
    expect(statusOf(await raw(server, get))).toBe(200)
    for (const line of lines) line.cut()
  })

  it("and nothing is left of it: two thousand later the server holds no connection", async () => {
    const server = await start({ provider: fakeProvider(plainAnswer), limits: { lingerTime: 200 } })
    for (let round = 0; round < 20; round++) {
      const lines = await Promise.all(Array.from({ length: 100 }, () => wire(server)))
      for (const line of lines) line.send(tooLong)
      await Promise.all(lines.map((line) => line.closed()))
    }
    await expect.poll(() => connections(server)).toBe(0)
  })
})

it("what comes after the last request of a connection is not processed (RFC 9112 §9.6)", async () => {
  const provider = fakeProvider(plainAnswer)
  const { port } = await start({ provider, limits: { requestsPerConnection: 2 } })
  const one = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
  const text = await raw({ port }, one.repeat(5))
  expect(text.split("HTTP/1.1 200").length - 1).toBe(2)
  expect(provider.messages).toHaveLength(2)
})

it("an answer that is being made is finished, and is the last, where what follows it is no HTTP", async () => {
  let free = (): void => undefined
  const waiting = new Promise<void>((resolve) => (free = resolve))
  const provider = fakeProvider(async (message) => {
    await waiting
    return plainAnswer(message)
  })
  const line = await wire(await start({ provider }))
  line.send("GET /first HTTP/1.1\r\nHost: h\r\n\r\n")
  await expect.poll(() => provider.messages.length).toBe(1)
  line.send("rubbish\r\n\r\n")
  line.send(`GET /third HTTP/1.1\r\nHost: h\r\n\r\n`)
  setImmediate(free)
  const text = await line.closed()
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200"])
  expect(text.toLowerCase()).toContain("connection: close\r\n")
  expect(provider.messages).toHaveLength(1)
})
