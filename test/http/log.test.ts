import { jsonLog, logLayer, logTrails, nodeDigest, nodeEntropy } from "@postern/adapter-http"
import type { Trail } from "@postern/core/model"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import { keptLog } from "./server.ts"

const trail = (more: Partial<Trail> = {}): Trail => ({
  requestId: "r1",
  at: 1,
  endpoint: "token",
  clientId: "web",
  subject: undefined,
  steps: [
    { table: "client", passed: ["client.known"], refused: undefined },
    {
      table: "code",
      passed: ["code.known"],
      refused: { rule: "code.unused", cites: "RFC 6749 §4.1.2", answer: "invalid_grant", reason: "replayed code" },
    },
  ],
  outcome: "RefuseJson",
  status: 400,
  fault: undefined,
  ...more,
})
const passed = trail({ steps: [{ table: "client", passed: ["client.known"], refused: undefined }], status: 200, outcome: "IssueTokens" })

const textOf = (lines: Uint8Array): string => Buffer.from(lines).toString()

describe("the log", () => {
  it("is one JSON object per line, with its time, level and message", async () => {
    let text = ""
    const log = jsonLog({
      clock: () => 0,
      sink: (more, done) => {
        text += textOf(more)
        done()
      },
    })
    log.line("info", "listening", { url: "http://x", n: 1, none: undefined, odd: `"\n\u2028` })
    log.line("debug", "unseen")
    await log.flush()
    expect(text.split("\n")).toHaveLength(2)
    expect(JSON.parse(text)).toEqual({
      time: "1970-01-01T00:00:00.000Z",
      level: "info",
      message: "listening",
      url: "http://x",
      n: 1,
      odd: `"\n\u2028`,
    })
  })

  it("writes the time of each line in ISO 8601, to the millisecond, whichever way the clock goes", async () => {
    const times = [0, 7, 999, 1_000, 1_795_297_656_042, 1_795_297_656_043.9, 61_050, -1]
    let at = 0
    let text = ""
    const log = jsonLog({
      clock: () => times[at++] ?? 0,
      sink: (more, done) => {
        text += textOf(more)
        done()
      },
    })
    times.forEach(() => log.line("info", "a line without fields"))
    await log.flush()
    const lines = text.split("\n").slice(0, -1)
    expect(lines).toEqual(
      times.map((time) =>
        JSON.stringify({ time: new Date(Math.floor(time)).toISOString(), level: "info", message: "a line without fields" }),
      ),
    )
  })

  it("gathers lines and writes them at once, one write at a time", async () => {
    const writes: Array<string> = []
    const pending: Array<() => void> = []
    const log = jsonLog({ sink: (more, done) => pending.push(done) && writes.push(textOf(more)) })
    for (let at = 0; at < 100; at++) log.line("info", `line ${at}`)
    const flushed = log.flush()
    expect(writes).toHaveLength(1)
    log.line("info", "meanwhile")
    expect(writes).toHaveLength(1)
    pending.shift()?.()
    expect(writes).toHaveLength(2)
    pending.shift()?.()
    await flushed
  })

  it("gathers what comes while it writes as well, unless it is 64 KiB", () => {
    vi.useFakeTimers()
    try {
      const writes: Array<string> = []
      const pending: Array<() => void> = []
      const log = jsonLog({ sink: (more, done) => pending.push(done) && writes.push(textOf(more)) })
      log.line("info", "first")
      vi.advanceTimersByTime(50)
      expect(writes).toHaveLength(1)
      log.line("info", "second")
      pending.shift()?.()
      expect(writes).toHaveLength(1)
      log.line("info", "third")
      vi.advanceTimersByTime(50)
      expect(writes.slice(1).map((text) => text.split("\n").length - 1)).toEqual([2])
      pending.shift()?.()
      for (let at = 0; at < 60; at++) log.line("info", "x".repeat(10_000))
      expect(writes).toHaveLength(3)
      pending.shift()?.()
    } finally {
      vi.useRealTimers()
    }
  })

  it("drops lines when its reader stalls, and tells how many once it reads again", async () => {
    let text = ""
    let resume: (() => void) | undefined
    const log = jsonLog({
      sink: (more, done) => {
        text += textOf(more)
        if (resume === undefined) resume = done
        else done()
      },
    })
    log.line("info", "first")
    void log.flush()
    const long = "x".repeat(10_000)
    for (let at = 0; at < 300; at++) log.line("info", long)
    resume?.()
    await log.flush()
    expect(text.length).toBeLessThan(1_200_000)
    const last = JSON.parse(text.trim().split("\n").at(-1) ?? "") as { message: string; dropped: number }
    expect(last.message).toBe("log lines dropped")
    expect(last.dropped).toBeGreaterThan(150)
  })

  it("waits five seconds for a stalled reader to take the last lines, and no longer, so that a server stops", async () => {
    vi.useFakeTimers()
    try {
      const log = jsonLog({ sink: () => undefined })
      log.line("info", "nobody takes this")
      let flushed = false
      const ended = log.flush().then(() => (flushed = true))
      await vi.advanceTimersByTimeAsync(4_999)
      expect(flushed).toBe(false)
      await vi.advanceTimersByTimeAsync(1)
      await ended
      // A reader that goes on is waited for no longer than it takes, and no timer is left.
      const prompt = jsonLog({ sink: (_, done) => done() })
      prompt.line("info", "taken")
      await prompt.flush()
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it("keeps every line whole and in order, however many bytes a character is and however much comes while it writes", async () => {
    const unit = fc.constantFrom("a", "é", "水", "😀", '"')
    const item = fc.record({
      said: fc.string({ unit, minLength: 60, maxLength: 100 }),
      often: fc.integer({ min: 50, max: 200 }),
      held: fc.boolean(),
    })
    const lines = fc.array(item, { minLength: 4, maxLength: 10 })
    await fc.assert(
      fc.asyncProperty(lines, async (said) => {
        let text = ""
        let writing: (() => void) | undefined
        const log = jsonLog({
          // The bytes are looked at when the write ends: until then nobody may write over them.
          sink: (bytes, done) => {
            writing = () => {
              text += textOf(bytes)
              writing = undefined
              done()
            }
          },
        })
        for (const [at, each] of said.entries()) {
          for (let nth = 0; nth < each.often; nth++) log.line("info", each.said, { at, nth })
          if (!each.held) writing?.()
        }
        let flushed = false
        void log.flush().then(() => (flushed = true))
        while (writing !== undefined) writing()
        await Promise.resolve()
        expect(flushed).toBe(true)
        const told = text
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => JSON.parse(line) as Record<string, unknown>)
        const expected = said.flatMap((each, at) => Array.from({ length: each.often }, (_, nth) => ({ message: each.said, at, nth })))
        expect(told.map(({ message, at, nth }) => ({ message, at, nth }))).toEqual(expected)
      }),
      { numRuns: 100 },
    )
  })

  it("takes Effect's own lines, with their cause", async () => {
    const log = keptLog()
    await Effect.runPromise(
      Effect.provide(Effect.andThen(Effect.logWarning("odd", 1), Effect.logError("bad", Cause.fail(new Error("why")))), logLayer(log)),
    )
    expect(await log.lines()).toContainEqual(expect.objectContaining({ level: "warn", message: "odd 1" }))
    expect(await log.lines()).toContainEqual(
      expect.objectContaining({ level: "error", message: "bad", cause: expect.stringContaining("why") }),
    )
  })
})

const answerTo = (requestId: string) => ({ headers: [["x-request-id", requestId] as const] })

describe("trails in the log", () => {
  it("a refused request is one line: its id, rule, paragraph, error, reason, endpoint, status and duration", async () => {
    const log = keptLog()
    const trails = logTrails({ log })
    trails.record(() => trail(), true)
    trails.answered(answerTo("r1"), 12.345)
    trails.answered(answerTo("r1"), 99)
    expect(await log.lines()).toEqual([
      {
        time: expect.any(String),
        level: "warn",
        message: "request",
        request_id: "r1",
        endpoint: "token",
        status: 400,
        outcome: "RefuseJson",
        client_id: "web",
        rule: "code.unused",
        cites: "RFC 6749 §4.1.2",
        error: "invalid_grant",
        reason: "replayed code",
        duration_ms: 12.3,
      },
    ])
  })

  it("a request that was not refused is spelled out at level debug alone", async () => {
    const quiet = keptLog()
    let spelled = 0
    logTrails({ log: quiet }).record(() => (spelled++, passed), false)
    expect([await quiet.lines(), spelled]).toEqual([[], 0])
    const loud = keptLog("debug")
    const trails = logTrails({ log: loud })
    trails.record(() => passed, false)
    trails.answered(answerTo("r1"), 1)
    expect(await loud.lines()).toEqual([expect.objectContaining({ level: "debug", status: 200, outcome: "IssueTokens" })])
  })

  it("a fault is an error", async () => {
    const log = keptLog()
    const trails = logTrails({ log })
    trails.record(() => trail({ fault: "tokens.commit: disk full", steps: [], status: 503 }), true)
    trails.answered(answerTo("r1"), 1)
    expect(await log.lines()).toEqual([expect.objectContaining({ level: "error", fault: "tokens.commit: disk full" })])
  })

  it("leaves without its duration when nobody tells it, and at once under a flood", async () => {
    const log = keptLog()
    const trails = logTrails({ log })
    trails.record(() => trail(), true)
    await new Promise((resolve) => setTimeout(resolve, 80))
    const [line] = await log.lines()
    expect(line).toMatchObject({ request_id: "r1" })
    expect(line).not.toHaveProperty("duration_ms")
    for (let at = 0; at < 1_500; at++) trails.record(() => trail({ requestId: `f${at}` }), true)
    expect((await log.lines()).length).toBeGreaterThanOrEqual(500)
  })

  it("hands every trail on", () => {
    const seen: Array<boolean> = []
    const trails = logTrails({ log: keptLog(), next: { record: (_, refused) => seen.push(refused) } })
    trails.record(() => trail(), true)
    trails.record(() => passed, false)
    expect(seen).toEqual([true, false])
  })
})

describe("node's own ports", () => {
  it("SHA-256 and SHA-512 of a text's UTF-8 bytes (FIPS 180-4)", () => {
    const hex = (text: unknown): string => Buffer.from(String(text), "base64url").toString("hex")
    expect(hex(nodeDigest.sha256("abc"))).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    expect(hex(nodeDigest.sha512("abc")).slice(0, 32)).toBe("ddaf35a193617abacc417349ae204131")
    expect(hex(nodeDigest.sha256("ä"))).toBe(hex(nodeDigest.sha256(Buffer.from([0xc3, 0xa4]).toString())))
  })

  it("random bytes are never given out twice, across the pool's edges too", () => {
    const seen = new Set<string>()
    for (let at = 0; at < 3_000; at++)
      seen.add(
        Buffer.from(nodeEntropy.bytes(16 + (at % 33)))
          .toString("hex")
          .slice(0, 32),
      )
    expect(seen.size).toBe(3_000)
    expect(nodeEntropy.bytes(0)).toHaveLength(0)
    expect(nodeEntropy.bytes(4_096)).toHaveLength(4_096)
    expect(nodeEntropy.bytes(10_000)).toHaveLength(10_000)
    const held = nodeEntropy.bytes(32)
    const copy = Buffer.from(held)
    nodeEntropy.bytes(4_000)
    expect(Buffer.from(held).equals(copy)).toBe(true)
  })
})
