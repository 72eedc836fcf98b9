import { cachedDataVersionTag } from "node:v8"
import { describe, expect, it, vi } from "vitest"
import { keepHeapSmall, startWithoutMarking } from "../../packages/cli/src/serve/heap.ts"
import { config } from "./life.ts"
import { folder, patience } from "./run.ts"
import { listening, serve } from "./running.ts"

vi.setConfig({ testTimeout: 2 * patience })

describe("the heap of a server", () => {
  // V8 tells its decision about a line of code by --trace-pretenuring-statistics each time what is new is collected, and --trace-gc tells of that.
  it("has nothing made in its old part at once, however many requests wait together", async () => {
    const { cwd, remove } = folder({ issuer: "http://127.0.0.1:0", development: true, ...config })
    try {
      const server = await serve({ cwd, flags: ["--trace-gc", "--trace-pretenuring-statistics"] }, "--port", "0")
      const url = listening(server)
      const begun = server.said.out.length
      const served = (): string => server.said.out.slice(begun)
      while ((served().match(/Scavenge/g)?.length ?? 0) < 8)
        await Promise.all(
          Array.from({ length: 40 }, async () => expect((await fetch(`${url}/.well-known/openid-configuration`)).status).toBe(200)),
        )
      expect(served().match(/pretenuring: .*/g)).toBeNull()
      expect(await server.stop("SIGTERM")).toBe(0)
    } finally {
      remove()
    }
  })

  // The tag of compiled code names V8's flags, and is all that tells of one.
  it("is collected again from two seconds after it listens, however long the rest of the start takes", () => {
    vi.useFakeTimers()
    try {
      const usual = cachedDataVersionTag()
      startWithoutMarking()
      vi.advanceTimersByTime(1999)
      expect(cachedDataVersionTag()).not.toBe(usual)
      vi.advanceTimersByTime(1)
      expect(cachedDataVersionTag()).toBe(usual)
    } finally {
      vi.useRealTimers()
    }
  })

  it("is collected again as soon as the start is over", () => {
    vi.useFakeTimers()
    try {
      keepHeapSmall()
      const running = cachedDataVersionTag()
      startWithoutMarking()
      expect(cachedDataVersionTag()).not.toBe(running)
      keepHeapSmall()
      expect(cachedDataVersionTag()).toBe(running)
    } finally {
      vi.useRealTimers()
    }
  })
})
