import { setImmediate } from "node:timers/promises"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { hashPlaces } from "../../packages/stores/src/secrets/hashing.ts"
import { type Asker, fairTurns, type HashKind, type TurnLimits } from "../../packages/stores/src/secrets/turns.ts"

describe("hashes that take turns", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** Tasks that end when told to. */
  const trial = (limits: Partial<TurnLimits> = {}) => {
    const turns = fairTurns({ places: 2, placesOfKind: 2, waiting: 4, patience: 8_000, ...limits })
    const begun: Array<string> = []
    const ends = new Map<string, () => void>()
    const ask = (name: string, kind: HashKind = "sign_in", address?: string): Promise<string> => {
      const asker: Asker = { kind, address }
      const task = async (): Promise<string> => {
        begun.push(name)
        await new Promise<void>((resolve) => ends.set(name, resolve))
        return name
      }
      return turns.take(asker, task).catch((error: { code: string }) => error.code)
    }
    /** Ends a task, and lets whoever is next begin. */
    const end = async (name: string): Promise<void> => {
      ends.get(name)?.()
      ends.delete(name)
      await setImmediate()
    }
    /** Ends all that run, until none waits. */
    const endAll = async (): Promise<void> => {
      while (ends.size > 0) for (const name of ends.keys()) await end(name)
    }
    return { turns, begun, ask, end, endAll }
  }

  it("run a few at once, in the order they came, and are refused where too many wait", async () => {
    const { begun, ask, end, endAll, turns } = trial({ waiting: 2 })
    const answers = ["a", "b", "c", "d", "e"].map((name) => ask(name))
    expect(await answers[4]).toBe("OVERLOADED")
    expect(begun).toEqual(["a", "b"])
    expect(turns.load("sign_in")).toEqual({ running: 2, waiting: 2, refused: 1 })
    await end("b")
    expect(begun).toEqual(["a", "b", "c"])
    await endAll()
    expect(await Promise.all(answers)).toEqual(["a", "b", "c", "d", "OVERLOADED"])
    expect(turns.load("sign_in")).toEqual({ running: 0, waiting: 0, refused: 1 })
  })

  it("are refused when they were not begun in time; those that were are not, and the next has its turn", async () => {
    const { begun, ask, end } = trial({ places: 1 })
    const [first, late] = [ask("first"), ask("late")]
    vi.advanceTimersByTime(5_000)
    const next = ask("next")
    vi.advanceTimersByTime(3_000)
    expect(await late).toBe("OVERLOADED")
    await end("first")
    expect(await first).toBe("first")
    await end("next")
    expect(await next).toBe("next")
    expect(begun).toEqual(["first", "next"])
    vi.advanceTimersByTime(60_000)
    const after = ask("after")
    await end("after")
    expect(await after).toBe("after")
  })

  it("one that throws gives its place back", async () => {
    const { turns } = trial({ places: 1 })
    await expect(turns.take({ kind: "sign_in" }, () => Promise.reject(new Error("no")))).rejects.toThrow("no")
    expect(await turns.take({ kind: "sign_in" }, () => Promise.resolve(1))).toBe(1)
  })

  it("of a kind leave a place to the others, and a place that comes free goes from kind to kind", async () => {
    const { begun, ask, end, endAll } = trial({ places: 3, placesOfKind: 2 })
    for (const name of ["s1", "s2", "s3", "s4"]) void ask(name, "client_secret")
    expect(begun).toEqual(["s1", "s2"])
    for (const name of ["p1", "p2", "p3"]) void ask(name, "sign_in")
    void ask("g1", "password_grant")
    expect(begun).toEqual(["s1", "s2", "p1"])
    await end("s1")
    await end("p1")
    await end("s2")
    expect(begun.slice(3)).toHaveLength(3)
    expect(new Set(begun.slice(3).map((name) => name[0]))).toEqual(new Set(["s", "p", "g"]))
    await endAll()
  })

  it("of one kind that fill their queue take nothing of another's", async () => {
    const { ask, endAll } = trial({ places: 3, placesOfKind: 2, waiting: 3 })
    const secrets = Array.from({ length: 20 }, (_, at) => ask(`secret ${at}`, "client_secret", "192.0.2.1"))
    const person = ask("person", "sign_in", "192.0.2.1")
    await endAll()
    expect((await Promise.all(secrets)).filter((answer) => answer === "OVERLOADED")).toHaveLength(15)
    expect(await person).toBe("person")
  })

  it("of an address that sends many come in turn with those of another that sends one", async () => {
    const { begun, ask, endAll } = trial({ places: 1, waiting: 100 })
    const all = Array.from({ length: 50 }, (_, at) => ask(`a${at}`, "sign_in", "192.0.2.1"))
    all.push(ask("b", "sign_in", "198.51.100.7"), ask("c", "sign_in", "2001:db8::1"), ask("c2", "sign_in", "2001:db8::2"))
    await endAll()
    await Promise.all(all)
    // The first runs already; addresses of one IPv6 network are one.
    expect(begun.slice(0, 6)).toEqual(["a0", "a1", "b", "c", "a2", "c2"])
  })

  it("where too many wait, the address with most of them gives way to one with fewer, and never to itself", async () => {
    const { begun, ask, endAll } = trial({ places: 1, waiting: 4 })
    const many = Array.from({ length: 6 }, (_, at) => ask(`a${at}`, "sign_in", "192.0.2.1"))
    expect(await many[5]).toBe("OVERLOADED")
    const other = ask("b", "sign_in", "198.51.100.7")
    expect(await many[4]).toBe("OVERLOADED")
    await endAll()
    expect(await other).toBe("b")
    expect(begun).toEqual(["a0", "a1", "b", "a2", "a3"])
  })

  it.each([
    [1, 2, { places: 1, placesOfKind: 1 }],
    [4, 1, { places: 3, placesOfKind: 1 }],
    [4, 2, { places: 3, placesOfKind: 2 }],
    [6, 2, { places: 4, placesOfKind: 2 }],
    [6, 8, { places: 5, placesOfKind: 3 }],
    [64, 64, { places: 5, placesOfKind: 3 }],
  ])("on %d threads and %d cores leave a thread to those that sign, and places to other kinds", (threads, cores, expected) => {
    expect(hashPlaces(threads, cores)).toEqual(expected)
  })
})
