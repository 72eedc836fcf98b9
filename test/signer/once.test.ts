import { sampleSigningKey } from "@postern/core/testing"
import { expect, test } from "vitest"
import { once } from "../../packages/core/src/jose/once.ts"

const [one, two] = [sampleSigningKey("one"), sampleSigningKey("two")]
const holding = (...keys: ReadonlyArray<typeof one>) => new Map(keys.map((key) => [key.kid, key]))

/** Something made of keys, when the test says so. */
const slow = () => {
  const waiting: Array<{ readonly resolve: (value: string) => void; readonly reject: (error: Error) => void }> = []
  const made = once(() => new Promise<string>((resolve, reject) => waiting.push({ resolve, reject })))
  return { made, waiting, begun: () => waiting.length }
}

test("of a key something is made once, however many ask at a time, and is there at once after that", async () => {
  const { made, waiting, begun } = slow()
  const asked = [made.of(one), made.of(one), made.of(two)]
  expect(begun()).toBe(2)
  for (const [at, each] of waiting.entries()) each.resolve(`made ${at}`)
  expect(await Promise.all(asked.map(async (each) => each))).toEqual(["made 0", "made 0", "made 1"])
  expect([made.of(one), made.of(two)]).toEqual(["made 0", "made 1"])
  expect(begun()).toBe(2)
})

test("a failure is everybody's who waits, and is not remembered", async () => {
  const { made, waiting, begun } = slow()
  const asked = [made.of(one), made.of(one)]
  waiting[0]?.reject(new Error("unreadable"))
  expect((await Promise.allSettled(asked.map(async (each) => each))).map(({ status }) => status)).toEqual(["rejected", "rejected"])
  const again = made.of(one)
  expect(begun()).toBe(2)
  waiting[1]?.resolve("made")
  expect(await again).toBe("made")
})

test("a key that has gone is forgotten, and those that stay are kept", async () => {
  const { made, waiting, begun } = slow()
  const asked = [made.of(one), made.of(two)]
  for (const each of waiting) each.resolve("made")
  await Promise.all(asked.map(async (each) => each))
  made.keep(holding(two))
  expect(made.of(two)).toBe("made")
  expect(made.of(one)).toBeInstanceOf(Promise)
  expect(begun()).toBe(3)
})

test("a key that goes while something is made of it is not remembered", async () => {
  const { made, waiting, begun } = slow()
  const asked = made.of(one)
  made.keep(holding())
  const again = made.of(one)
  made.keep(holding())
  expect(begun()).toBe(2)
  for (const each of waiting) each.resolve("made")
  expect([await asked, await again]).toEqual(["made", "made"])
  expect(made.of(one)).toBeInstanceOf(Promise)
  expect(begun()).toBe(3)
})
