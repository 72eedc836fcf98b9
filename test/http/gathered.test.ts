import { setImmediate } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { gathered } from "../../packages/adapter-http/src/gathered.ts"

describe("what comes in one turn of the event loop", () => {
  it("is done at its end, in order; what comes of that is done a turn later", async () => {
    const done: Array<string> = []
    const gather = gathered()
    gather(() => {
      done.push("first")
      gather(() => done.push("third"))
    })
    gather(() => done.push("second"))
    expect(done).toEqual([])
    await setImmediate()
    expect(done).toEqual(["first", "second"])
    await setImmediate()
    expect(done).toEqual(["first", "second", "third"])
  })
})
