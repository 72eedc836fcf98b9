import { breaker } from "@postern/adapter-http"
import { OutwardRefused } from "@postern/core/ports"
import { describe, expect, it } from "vitest"

const trial = () => {
  let at = 0
  const changes: Array<readonly [string, boolean]> = []
  const circuits = breaker({ failures: 3, pause: 5_000, clock: () => at, changed: (...change) => void changes.push(change) })
  let asked = 0
  const ask =
    (works: boolean, host = "a") =>
    (): Promise<string> =>
      circuits
        .call(host, () => (asked++, works ? Promise.resolve("answered") : Promise.reject(new Error("failed"))))
        .catch((error: unknown) => (error instanceof OutwardRefused ? `refused for ${error.retryAfter} s` : "failed"))
  return { circuits, changes, asked: () => asked, works: ask(true), fails: ask(false), ask, forward: (ms: number) => (at += ms) }
}

describe("a host that fails time after time", () => {
  it("is left alone after three failures in a row, and no other host is", async () => {
    const { works, fails, ask, changes, asked, circuits } = trial()
    expect([await fails(), await fails(), await works(), await fails(), await fails()]).toEqual([
      "failed",
      "failed",
      "answered",
      "failed",
      "failed",
    ])
    expect([await works(), await fails(), await fails(), await fails()]).toEqual(["answered", "failed", "failed", "failed"])
    expect([await works(), await works(), asked()]).toEqual(["refused for 5 s", "refused for 5 s", 9])
    expect(await ask(true, "b")()).toBe("answered")
    expect([changes, circuits.load()]).toEqual([[["a", true]], { open: 1, refused: 2 }])
  })

  it("is tried by one call once the pause is over; the others are refused until that is back", async () => {
    const { works, fails, changes, circuits, forward } = trial()
    for (let each = 0; each < 3; each++) await fails()
    forward(4_999)
    expect(await works()).toBe("refused for 1 s")
    forward(1)
    let answer = (_: string): void => undefined
    const slow = circuits.call("a", () => new Promise<string>((resolve) => (answer = resolve)))
    expect(await works()).toBe("refused for 1 s")
    answer("slowly")
    expect([await slow, await works()]).toEqual(["slowly", "answered"])
    expect([changes, circuits.load().open]).toEqual([
      [
        ["a", true],
        ["a", false],
      ],
      0,
    ])
  })

  it("is left alone twice as long each time, up to a minute", async () => {
    const { fails, works, forward } = trial()
    for (let each = 0; each < 3; each++) await fails()
    for (const seconds of [5, 10, 20, 40, 60, 60]) {
      expect(await works()).toBe(`refused for ${seconds} s`)
      forward(seconds * 1_000)
      expect(await fails()).toBe("failed")
    }
  })

  it("is left alone no longer by those that were on their way when it was", async () => {
    const { circuits, works, forward, fails } = trial()
    let fail = (): void => undefined
    const late = circuits.call("a", () => new Promise((_, reject) => (fail = () => reject(new Error("late"))))).catch(() => "late")
    for (let each = 0; each < 3; each++) await fails()
    forward(3_000)
    fail()
    expect([await late, await works()]).toEqual(["late", "refused for 2 s"])
  })

  it("counts by a result that tells of a failure as by a rejection, and remembers a bounded number of hosts", async () => {
    const { circuits, ask } = trial()
    for (let each = 0; each < 3; each++)
      await circuits.call(
        "a",
        () => Promise.resolve("late"),
        (result) => result === "late",
      )
    expect(circuits.load().open).toBe(1)
    for (let host = 0; host < 1_000; host++) await ask(false, `host ${host}`)()
    expect([circuits.load().open, await ask(true, "a")()]).toEqual([0, "answered"])
  })
})
