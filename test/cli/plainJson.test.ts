import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readDocument } from "../../packages/cli/src/config/document.ts"
import { plainJson } from "../../packages/cli/src/config/plainJson.ts"
import { runs } from "../tiers/tier.ts"

/** JSON with what the fast reader might miss: keys twice in an object, quotes and colons in texts, commas too many. */
const text = fc.letrec<{ value: string; member: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom("1", "true", "null", '""', '"a\\"b"', '": "', '"{\\"a\\": 1, \\"a\\": 2}"', '"a\\\\"', "// no", "01"),
    fc.array(tie("value"), { maxLength: 4 }).map((items) => `[${items.join(",")}]`),
    fc.array(tie("member"), { maxLength: 4 }).map((members) => `{${members.join(", ")}}`),
  ),
  member: fc
    .tuple(fc.constantFrom('"a"', '"b" ', '"\\""', '"\\u0061"', '"__proto__"', '"a:"', "a"), tie("value"))
    .map(([key, value]) => `${key}: ${value}`),
})).value

describe("plainJson", () => {
  it("reads what the reader of places reads, or leaves it to that one", async () => {
    let plain = 0
    await fc.assert(
      fc.asyncProperty(text, async (written) => {
        const value = plainJson("postern.json", written)
        if (value === undefined) return
        plain++
        const document = await readDocument("postern.json", written)
        expect({ value, faults: [] }).toEqual({ value: document.value, faults: document.faults })
      }),
      { numRuns: runs(2000) },
    )
    expect(plain).toBeGreaterThan(0)
  })

  it.each([
    ["a key twice", '{ "a": 1, "a": 2 }'],
    ["a key twice, written in two ways", '{ "a": 1, "\\u0061": 2 }'],
    ["a comment", '{ "a": 1 } // one'],
    ["a comma at the end", '{ "a": [1,] }'],
    ["a key of JavaScript's own", '{ "__proto__": {} }'],
    ["more levels than any configuration has", `${"[".repeat(101)}${"]".repeat(101)}`],
  ])("leaves %s to the reader of places", (_, written) => expect(plainJson("postern.jsonc", written)).toBeUndefined())

  it("leaves YAML to its own reader", () => expect(plainJson("postern.yaml", '{ "a": 1 }')).toBeUndefined())

  it("reads texts with quotes, colons and braces", () =>
    expect(plainJson("postern.jsonc", '{ "a": "\\"b\\": {", "c": ["x:y"] }')).toEqual({ a: '"b": {', c: ["x:y"] }))
})
