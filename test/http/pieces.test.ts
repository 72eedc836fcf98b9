import fc from "fast-check"
import { expect, it } from "vitest"
import { pieces } from "../../packages/adapter-http/src/pieces.ts"
import { runs } from "../tiers/tier.ts"

it("pieces that were joined as they came are the text that was sent (RFC 9112 §7.1)", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 3_000, size: "max" }), { maxLength: 12 }), (sent) => {
      const text = pieces()
      for (const piece of sent) text.add(piece)
      expect(text.length()).toBe(sent.reduce((sum, { length }) => sum + length, 0))
      expect(text.whole().equals(Buffer.concat(sent))).toBe(true)
    }),
    { numRuns: runs(300) },
  )
})

it("a piece that was handed over is not written to", () => {
  const [first, second] = [Buffer.from("first"), Buffer.from("second")]
  const text = pieces()
  text.add(first)
  text.add(second)
  expect([text.whole().toString(), first.toString(), second.toString()]).toEqual(["firstsecond", "first", "second"])
})
