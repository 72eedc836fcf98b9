import fc from "fast-check"
import { runs } from "../tiers/tier.ts"
import { codePoint } from "./codePoint.ts"

/** One of some characters. */
export const character = (characters: string): fc.Arbitrary<string> => fc.constantFrom(...Array.from(characters))

/** Text that can travel as UTF-8: no half of a surrogate pair. */
export const unicode: fc.Arbitrary<string> = fc.string({ unit: codePoint, maxLength: 40 })

/** Any JavaScript string at all, halves of surrogate pairs, controls and separators among it. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ maxLength: 60 }),
  unicode,
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 }).map((units) => String.fromCharCode(...units)),
  fc.string({ unit: character("&=+%?#;,: \t\r\n\"\\'<>/@.-_~aZ09é\u0000\ufeff"), maxLength: 60 }),
)

const base64url = character("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

/** Text of base64url, of just this length. */
export const base64urlText = (length: number): fc.Arbitrary<string> => fc.string({ unit: base64url, minLength: length, maxLength: length })

/** A code verifier: 43 to 128 unreserved characters (RFC 7636 §4.1). */
export const verifierText: fc.Arbitrary<string> = fc.string({
  unit: fc.oneof({ weight: 9, arbitrary: base64url }, fc.constantFrom(".", "~")),
  minLength: 43,
  maxLength: 128,
})

/** Changes a text a little: one character dropped, doubled, replaced or turned to its other case. */
export const nearly = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.nat(Math.max(0, text.length - 1)),
      fc.constantFrom("drop", "double", "replace", "case", "append"),
      character("aZ0/?#:@.% \\é"),
    )
    .map(([at, change, other]) => {
      const [before, character, after] = [text.slice(0, at), text.slice(at, at + 1), text.slice(at + 1)]
      const swapped = character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase()
      switch (change) {
        case "drop":
          return before + after
        case "double":
          return before + character + character + after
        case "replace":
          return before + other + after
        case "case":
          return before + swapped + after
        default:
          return text + other
      }
    })

/** Number of cases that each property on values alone is run on. */
export const many = { numRuns: runs(2000) }

/** For properties that take seconds: a busy machine must not fail them. */
export const patient = { timeout: 300_000 }
