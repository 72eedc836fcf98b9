import { fieldsOf, type Json, member, type Values, values, valuesOf } from "@postern/core"
import * as Schema from "effect/Schema"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { runs } from "../tiers/tier.ts"

const every: ReadonlyArray<readonly [string, Values]> = [
  ["flag", values.flag],
  ["text", values.text],
  ["texts", values.texts],
  ["seconds", values.seconds],
  ["url", values.url],
  ["object", values.object],
  ["textOf", values.textOf(3, { matches: /^[ab]+$/u, expected: "letters a and b" })],
  ["whole", values.whole(-2, 5)],
  ["oneOf", values.oneOf(["en", "de"])],
  ["anyText", values.anyText],
  ["matching", values.matching(/^a*$/u, "letters a")],
  ["members", valuesOf({ kind: "object", of: { a: { form: values.whole(1).form, description: "A number." } } })],
  ["listOf", values.listOf(values.oneOf(["en", "de"]), 1, 2)],
]

const near = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<Json>(
    "",
    "a",
    "ab",
    "abab",
    "abc",
    "en",
    "x".repeat(1000),
    "x".repeat(1001),
    "https://a.example",
    "https://a b",
    "ftp://a",
  ),
  fc.constantFrom<Json>(-3, -2, 0, 1, 5, 6, 1.5, 2 ** 53, 2 ** 53 - 1),
  fc.constantFrom<Json>(
    [],
    ["en"],
    ["en", "de", "en"],
    ["fr"],
    ["a", ""],
    Array.from({ length: 101 }, () => "a"),
    {},
    { a: 1 },
  ),
)

describe("values of members (RFC 7591 §2)", () => {
  test.each(every)("%s: a value fits where the schema that is made of them takes it, and only there", (name, given) => {
    const field = fieldsOf([member(name, given, undefined, "Some.")])[name]
    if (field === undefined) throw new Error("no field")
    const taken = Schema.is(Schema.Struct({ field }))
    let fitting = 0
    fc.assert(
      fc.property(near, (value) => {
        const fits = given.fits(value)
        if (fits) fitting++
        expect([value, fits]).toEqual([value, taken({ field: value as Json })])
      }),
      { numRuns: runs(4000) },
    )
    expect(fitting).toBeGreaterThan(0)
  })
})
