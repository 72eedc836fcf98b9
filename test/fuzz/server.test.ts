import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { statusOf, wire } from "../http/server.ts"
import { patient } from "../properties/arbitraries.ts"
import type { RunningServer } from "../support/server.ts"
import { full, runs } from "../tiers/tier.ts"
import { seedOf } from "./campaign.ts"
import { besieged, ordinary, replayWires, resident, siege, throng } from "./siege.ts"

describe("a running server", () => {
  let server: RunningServer
  let before: Awaited<ReturnType<typeof ordinary>>
  beforeAll(async () => {
    server = await besieged()
    before = await ordinary(server)
  })
  afterAll(async () => {
    await server.stop()
    server.remove()
  })

  test("every connection that once mattered is answered by the laws", async () => {
    expect(await replayWires(server)).toEqual([])
  })

  test(
    "RFC 9112, RFC 9110 §15.6: whatever comes over a connection, none hangs, none is answered 5xx, and ordinary callers notice nothing",
    patient,
    async () => {
      const heard = await siege(server, seedOf(), runs(150, 40))
      // The statuses tell that every layer was reached: node's parser, the adapter's limits, the endpoints.
      expect([...heard]).toEqual(expect.arrayContaining([200, 400, 401, 404, 405, 413, 414, 431]))
      expect(await ordinary(server)).toEqual(before)
      expect(server.process.exitCode).toBe(null)
    },
  )

  test("bodies in chunks of one byte take no more memory than their bytes (RFC 9112 §7.1)", patient, async () => {
    // Kept as they come, these chunks take more than the heap of this server has.
    const line = await Promise.all(Array.from({ length: 40 }, () => wire({ port: Number(new URL(server.url).port) })))
    const head = "POST /connect/token HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    const body = "1\r\na\r\n".repeat(60_000)
    for (const { send } of line) send(`${head}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n${body}`)
    expect(await ordinary(server)).toEqual(before)
    for (const { send } of line) send("0\r\n\r\n")
    expect(new Set(await Promise.all(line.map(async ({ closed }) => statusOf(await closed(60_000)))))).toEqual(new Set([401]))
    expect(await ordinary(server)).toEqual(before)
  })

  test.runIf(full)("once it is warm, thousands of further requests leave nothing behind in memory", patient, async () => {
    await throng(server, 6_000)
    const sizes: Array<number> = []
    for (let round = 0; round < 6; round++) {
      expect(await throng(server, 3_000)).toBeGreaterThanOrEqual(3_000)
      sizes.push(resident(server))
    }
    // The lowest of three rounds, before the garbage collector takes another breath, with the lowest of three later ones: MiB, over 9,000 requests. 6 KiB kept of
    // each request would be more.
    expect(Math.min(...sizes.slice(3)) - Math.min(...sizes.slice(0, 3))).toBeLessThan(48)
    expect(await ordinary(server)).toEqual(before)
  })
})
