import { describe, expect, it } from "vitest"
import { type SharedLimiter, sharedLimiter } from "@postern/core/memory"
import type { RequestCountsPort } from "@postern/core/ports"
import { requestCountsContract, sampleTime } from "@postern/core/testing"
import { requestCountRows } from "../../packages/adapter-sqlite/src/requestCounts.ts"
import { temporaryDatabase, temporaryPath, temporaryStores } from "./support.ts"

const begin = sampleTime * 1000

const counted = (path = temporaryPath()): RequestCountsPort => {
  const { requestCounts } = temporaryStores(path, { thread: true })
  if (requestCounts === undefined) throw new Error("a server's stores count requests together")
  return requestCounts
}

describe("counts of requests contract: SQLite", () => {
  for (const { name, run } of requestCountsContract) it(name, () => run(counted))
})

describe("limits of servers on one SQLite file", () => {
  it("hold for both together, and stay so though both tell at once (RFC 6585 §4)", async () => {
    const path = temporaryPath()
    const both: ReadonlyArray<SharedLimiter> = [1, 2].map(() => sharedLimiter({ client: 60 }, counted(path)))
    let passed = 0
    for (let millis = 0; millis < 60_000; millis += 2_000) {
      for (const { take } of both) for (let each = 0; each < 5; each++) if (take("client", "web", begin + millis) === 0) passed++
      await Promise.all(both.map(({ exchange }) => exchange(begin + millis)))
    }
    // A minute's at once and a minute's refill, and what one of them let through between two exchanges; each alone would let 120 pass.
    expect(passed).toBeGreaterThanOrEqual(115)
    expect(passed).toBeLessThanOrEqual(120 + 5 * 2)
  })

  it("keep no name, and a row of each sender until its bucket is full", async () => {
    const path = temporaryPath()
    await counted(path).exchange([{ key: "client web", taken: 1000, alone: begin + 1000 }], begin)
    const database = temporaryDatabase(path)
    const keys = database.prepare<[], string>("SELECT key FROM request_counts").pluck()
    expect(keys.all()).toEqual([expect.stringMatching(/^[\w-]{43}$/)])
    const { sweep } = requestCountRows(database)
    expect(sweep(sampleTime)).toBe(0)
    expect(sweep(sampleTime + 1)).toBe(1)
    expect(keys.all()).toEqual([])
  })

  it("are counted by a process for itself where nothing else is served from the file", () => {
    expect(temporaryStores().requestCounts).toBeUndefined()
  })
})
