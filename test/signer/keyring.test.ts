import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  activeKey,
  defaultKeyPolicy as policy,
  dueKeys,
  type KeyState,
  publishedKeys,
  removableKeys,
  ringOf,
  type SigningKey,
} from "@postern/core/jose"
import { sampleSigningKey, sampleTime as start } from "@postern/core/testing"
import { runs } from "../tiers/tier.ts"

const day = 86_400
const key = (kid: string, activeAt: number, told: Partial<SigningKey> = {}): SigningKey =>
  sampleSigningKey(kid, { createdAt: start, activeAt, ...told })
const states = (keys: ReadonlyArray<SigningKey>, now: number): Readonly<Record<string, KeyState>> =>
  Object.fromEntries(ringOf(keys, policy, now).map((each) => [each.key.kid, each.state]))

describe("the life of a signing key", () => {
  it("an algorithm without a key gets one that signs at once", () => {
    expect(dueKeys([], ["RS256", "ES256"], policy, start)).toEqual([
      { alg: "RS256", activeAt: start },
      { alg: "ES256", activeAt: start },
    ])
  })

  it("a successor is due 14 days before a key's 90 days are over, and signs when they are", () => {
    const keys = [key("first", start)]
    expect(dueKeys(keys, ["ES256"], policy, start + 76 * day - 1)).toEqual([])
    expect(dueKeys(keys, ["ES256"], policy, start + 76 * day)).toEqual([{ alg: "ES256", activeAt: start + 90 * day }])
    expect(dueKeys([...keys, key("second", start + 90 * day)], ["ES256"], policy, start + 89 * day)).toEqual([])
  })

  it("a successor made too late signs no sooner than clients can know it, and the old key signs on until then", () => {
    const late = start + 400 * day
    expect(dueKeys([key("first", start)], ["ES256"], policy, late)).toEqual([{ alg: "ES256", activeAt: late + policy.propagation }])
    const keys = [key("first", start), key("second", late + policy.propagation)]
    expect(activeKey(keys, "ES256", late)?.kid).toBe("first")
    expect(activeKey(keys, "ES256", late + policy.propagation)?.kid).toBe("second")
  })

  it("a key is upcoming, then active, then retired for 14 days, then out of the set", () => {
    const keys = [key("first", start), key("second", start + 90 * day)]
    expect(states(keys, start + 80 * day)).toEqual({ first: "active", second: "upcoming" })
    expect(states(keys, start + 90 * day)).toEqual({ first: "retired", second: "active" })
    expect(states(keys, start + 104 * day - 1)).toEqual({ first: "retired", second: "active" })
    expect(states(keys, start + 104 * day)).toEqual({ first: "expired", second: "active" })
    expect(publishedKeys(keys, policy, start + 104 * day - 1).map(({ kid }) => kid)).toEqual(["first", "second"])
    expect(publishedKeys(keys, policy, start + 104 * day).map(({ kid }) => kid)).toEqual(["second"])
    expect(removableKeys(keys, ["ES256"], policy, start + 104 * day - 1)).toEqual([])
    expect(removableKeys(keys, ["ES256"], policy, start + 104 * day)).toEqual(["first"])
  })

  it("the last key of an algorithm is never removed while it is wanted, and leaves when it is not", () => {
    const keys = [key("only", start)]
    expect(removableKeys(keys, ["ES256"], policy, start + 1000 * day)).toEqual([])
    expect(removableKeys(keys, ["RS256"], policy, start + 104 * day - 1)).toEqual([])
    expect(removableKeys(keys, ["RS256"], policy, start + 104 * day)).toEqual(["only"])
  })

  it("with a clock put back before the first key there still is one that signs", () => {
    const keys = [key("second", start + 90 * day), key("first", start)]
    expect(activeKey(keys, "ES256", start - 3600)?.kid).toBe("first")
    expect(states(keys, start - 3600)).toEqual({ first: "active", second: "upcoming" })
    expect(dueKeys(keys, ["ES256"], policy, start - 3600)).toEqual([])
  })

  it("of keys that begin at one moment the one made last signs, of those made at one moment the one with the later name", () => {
    const later = [key("a", start, { createdAt: start - 1 }), key("b", start, { createdAt: start - 2 })]
    const alike = [key("c", start), key("d", start), key("b", start)]
    for (const [keys, signing] of [
      [later, "a"],
      [alike, "d"],
    ] as const)
      for (const each of [keys, keys.toReversed()]) {
        expect(activeKey(each, "ES256", start)?.kid).toBe(signing)
        expect(ringOf(each, policy, start).find(({ state }) => state === "active")?.key.kid).toBe(signing)
      }
    expect(activeKey(later.toReversed(), "ES256", start - 1)?.kid).toBe("b")
  })

  it("a retired key of an algorithm that is no longer wanted stays published for as long as any other", () => {
    const keys = [key("first", start), key("late", start + 400 * day)]
    expect(removableKeys(keys, [], policy, start + 414 * day - 1)).toEqual([])
    expect(removableKeys(keys, [], policy, start + 414 * day)).toEqual(["first"])
  })

  it("each algorithm lives by itself", () => {
    const keys = [key("es", start), key("rs", start - 80 * day, { alg: "RS256" })]
    expect(dueKeys(keys, ["ES256", "RS256", "EdDSA"], policy, start).map(({ alg }) => alg)).toEqual(["RS256", "EdDSA"])
    expect(activeKey(keys, "EdDSA", start)).toBeUndefined()
  })

  it("whatever keys there are and whenever it is: at most one key of an algorithm signs, and it is published; so is the one that signed before", () => {
    const keys = fc.uniqueArray(
      fc.record(
        { kid: fc.string(), alg: fc.constantFrom("ES256" as const, "RS256" as const), at: fc.integer({ min: 0, max: 200 }) },
        { noNullPrototype: true },
      ),
      { selector: ({ kid }) => kid, maxLength: 6 },
    )
    fc.assert(
      fc.property(keys, fc.integer({ min: -10, max: 250 }), (made, today) => {
        const ring = made.map(({ kid, alg, at }) => key(kid, start + at * day, { alg }))
        const now = start + today * day
        for (const alg of ["ES256", "RS256"] as const) {
          const active = ringOf(ring, policy, now).filter((each) => each.state === "active" && each.key.alg === alg)
          const signing = activeKey(ring, alg, now)
          expect(active.map((each) => each.key)).toEqual(signing === undefined ? [] : [signing])
          const published = publishedKeys(ring, policy, now)
          const yesterday = activeKey(ring, alg, now - day)
          if (signing !== undefined) expect(published).toContain(signing)
          if (yesterday !== undefined) expect(published).toContain(yesterday)
          expect(removableKeys(ring, ["ES256", "RS256"], policy, now)).not.toContain(signing?.kid)
        }
      }),
      { numRuns: runs(2000) },
    )
  })
})
