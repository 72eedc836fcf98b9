import { setImmediate as turn } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { gathered } from "../../packages/adapter-http/src/gathered.ts"

describe("what is gathered", () => {
  it("until the end of the event loop's turn is done then, in order; what comes of that is done a turn later", async () => {
    const done: Array<string> = []
    const gather = gathered(setImmediate, (task: () => unknown) => task())
    gather(() => {
      done.push("first")
      gather(() => done.push("third"))
    })
    gather(() => done.push("second"))
    expect(done).toEqual([])
    await turn()
    expect(done).toEqual(["first", "second"])
    await turn()
    expect(done).toEqual(["first", "second", "third"])
  })
  it("until the end of a callback is done after all that its promises have led to, in order, and before the next callback", async () => {
    const done: Array<string> = []
    const gather = gathered(
      (run) => process.nextTick(run),
      (task: () => unknown) => task(),
    )
    const later = (name: string): Promise<unknown> =>
      Promise.resolve()
        .then(() => gather(() => done.push(name)))
        .then(() => done.push(`${name} went on`))
    const next = new Promise<void>((resolve) => {
      setImmediate(() => [later("first"), later("second")])
      setImmediate(() => resolve(void done.push("next callback")))
    })
    await next
    expect(done).toEqual(["first went on", "second went on", "first", "second", "next callback"])
  })
})
