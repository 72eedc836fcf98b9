import { beforeAll, describe, expect, test } from "vitest"
import { exchangeCost, measured, overBound } from "./measure.ts"
import { body, header, parsers } from "./parsers.ts"

/**
 * Factor of CPU time that the worst input may take beside a plain one of the same size. `JSON.parse` of nothing but brackets takes 5 where the machine
 * is busy, and no more whatever the size; what is not linear takes hundreds.
 */
const bound = 8

const besides = new Map<number, number>()

beforeAll(async () => {
  for (const length of [0, body]) besides.set(length, await exchangeCost(length))
})

describe.each(Object.entries(parsers))("%s", (_, { length, read, plain, shapes }) => {
  test(`the worst input costs at most ${bound} plain ones (RFC 9110 §17.5)`, { timeout: 60_000 }, async () => {
    const text = plain(length)
    const cost = await measured(() => read(text), besides.get(length > header ? body : 0) ?? 0)
    const over: Array<string> = []
    for (const [name, shape] of Object.entries(shapes)) {
      const worst = shape(length)
      const found = await overBound(cost, () => read(worst), bound)
      if (found !== undefined) over.push(`${name}: ${found}`)
    }
    expect(over).toEqual([])
  })
})
