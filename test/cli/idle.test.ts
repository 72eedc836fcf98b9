import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, it, vi } from "vitest"
import { watchKeys } from "../../packages/cli/src/serve/keyWatch.ts"
import { idleServerNotices } from "../support/idle.ts"

afterEach(() => void vi.useRealTimers())

describe("a server that nobody asks for anything", () => {
  it("knows a rotated key, a changed client and a disabled person of another server within ten seconds, with its first answer (SQLite)", async () => {
    const folder = mkdtempSync(join(tmpdir(), "postern-idle-"))
    try {
      await idleServerNotices(folder)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }, 60_000)

  it("reads its keys every five seconds, and tells of those that came and went, and once of an outage", async () => {
    vi.useFakeTimers()
    let kids = ["one"]
    let broken = false
    let reads = 0
    const lines: Array<readonly [string, string, unknown]> = []
    const stop = watchKeys(
      {
        refresh: () => (reads++, broken ? Promise.reject(new Error("the disk is full")) : Promise.resolve()),
        keys: () => kids.map((kid) => ({ kid, kty: "EC", alg: "ES256", use: "sig" })),
      },
      { line: (level, message, fields) => void lines.push([level, message, fields]) },
    )
    await vi.advanceTimersByTimeAsync(5_000)
    expect([reads, lines]).toEqual([2, []])
    kids = ["two"]
    await vi.advanceTimersByTimeAsync(5_000)
    expect(lines).toEqual([["info", "signing keys changed", { added: ["two"], removed: ["one"] }]])
    broken = true
    await vi.advanceTimersByTimeAsync(20_000)
    expect(lines.slice(1)).toEqual([["error", "signing keys not read", { fault: "the disk is full" }]])
    stop()
    await vi.advanceTimersByTimeAsync(20_000)
    expect(reads).toBe(7)
  })

  it("tells of no outage where the end of the server cuts off a read", async () => {
    const lines: Array<string> = []
    const { promise, reject } = Promise.withResolvers<never>()
    watchKeys({ refresh: () => promise, keys: () => [] }, { line: (_, message) => void lines.push(message) })()
    reject(new Error("the store cannot list signing keys now (CLOSED)"))
    await promise.catch(() => undefined)
    await Promise.resolve()
    expect(lines).toEqual([])
  })
})
