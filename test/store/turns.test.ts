import { setImmediate } from "node:timers/promises"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { turns } from "../../packages/stores/src/turns.ts"

describe("hashes that take turns", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** Tasks that end when told to. */
  const tasks = () => {
    const begun: Array<string> = []
    const end = new Map<string, () => void>()
    const task = (name: string) => async (): Promise<string> => {
      begun.push(name)
      await new Promise<void>((resolve) => end.set(name, resolve))
      return name
    }
    return { begun, task, end: (name: string) => end.get(name)?.() }
  }
  const settled = async (answer: Promise<string>): Promise<string> => answer.catch((error: { code: string }) => error.code)

  it("run a few at once, in the order they came, and are refused where too many wait", async () => {
    const { begun, task, end } = tasks()
    const turn = turns(2, 2, 8000)
    const answers = ["a", "b", "c", "d", "e"].map((name) => settled(turn(task(name))))
    expect(await answers[4]).toBe("OVERLOADED")
    expect(begun).toEqual(["a", "b"])
    end("b")
    await setImmediate()
    expect(begun).toEqual(["a", "b", "c"])
    for (const name of ["a", "c", "d"]) {
      end(name)
      await setImmediate()
    }
    expect(await Promise.all(answers)).toEqual(["a", "b", "c", "d", "OVERLOADED"])
  })

  it("are refused when they were not begun in time; those that were are not, and the next has its turn", async () => {
    const { begun, task, end } = tasks()
    const turn = turns(1, 9, 8000)
    const [first, late] = [settled(turn(task("first"))), settled(turn(task("late")))]
    vi.advanceTimersByTime(5000)
    const next = settled(turn(task("next")))
    vi.advanceTimersByTime(3000)
    expect(await late).toBe("OVERLOADED")
    end("first")
    expect(await first).toBe("first")
    await setImmediate()
    end("next")
    expect(await next).toBe("next")
    expect(begun).toEqual(["first", "next"])
    vi.advanceTimersByTime(60_000)
    expect(await settled(turn(async () => "after"))).toBe("after")
  })
})
