import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { JsonObject } from "@postern/core"
import { detailTypesOf, typeFaults } from "../../packages/core/src/features/rich-authorization/types.ts"
import {
  allowedDetails,
  beyond,
  coveredBy,
  detailWord,
  fitted,
  isWithin,
  rememberedWords,
} from "../../packages/core/src/rules/details/index.ts"
import { detailResources, detailTypes } from "../support/details.ts"
import { runs } from "../tiers/tier.ts"
import { patient } from "./arbitraries.ts"

const types = detailTypesOf(detailTypes)
const known = { types, allowedTo: () => Object.keys(detailTypes), isProtected: () => false }

const maybe = <A>(name: string, value: fc.Arbitrary<A>) =>
  fc.option(value, { nil: undefined }).map((each) => (each === undefined ? {} : { [name]: each }))
const subset = (...items: ReadonlyArray<string>) => fc.subarray([...items], { minLength: 1 })
const cents = fc.integer({ min: 0, max: 300 }).map((each) => (each / 100).toFixed(each % 3))

/** A detail with few enough values that two of them are often within each other. */
const payment: fc.Arbitrary<JsonObject> = fc
  .tuple(
    fc.constantFrom("EUR", "USD"),
    cents,
    fc.constantFrom("A", "B"),
    maybe("actions", subset("initiate", "status", "cancel")),
    maybe("instant", fc.boolean()),
    maybe("locations", fc.constant(["https://pay.example"])),
  )
  .map(
    ([currency, value, creditor, ...more]) =>
      Object.assign({ type: "payment", amount: { currency, value }, creditor }, ...more) as JsonObject,
  )
const accounts: fc.Arbitrary<JsonObject> = fc
  .tuple(
    maybe("actions", subset("balance", "history")),
    maybe("accounts", fc.subarray(["a", "b", "c"])),
    maybe("until", fc.constantFrom("2026-12-30", "2026-12-31", "2027-01-01")),
    maybe("locations", subset("https://accounts.example", "https://pay.example")),
  )
  .map((parts) => Object.assign({ type: "accounts" }, ...parts) as JsonObject)
const report: fc.Arbitrary<JsonObject> = fc
  .tuple(maybe("pages", fc.integer({ min: 1, max: 4 })), maybe("identifier", fc.constantFrom("x", "y")))
  .map((parts) => Object.assign({ type: "report" }, ...parts) as JsonObject)

const one = fc.oneof(payment, accounts, report).map((each) => {
  const type = types.get(String(each["type"] as string))
  const found = type === undefined ? undefined : fitted(each, type)
  if (found === undefined || !("detail" in found)) throw new Error(JSON.stringify(each))
  return found.detail
})
const several = fc.array(one, { maxLength: 4 })

const within = (a: JsonObject, b: JsonObject): boolean => {
  const type = types.get(a["type"] as string)
  return type !== undefined && isWithin(a, b, type)
}

/** A detail without the order of its lists. */
const unordered = (detail: JsonObject): string =>
  JSON.stringify(detail, (_, value: unknown) => (Array.isArray(value) ? [...new Set(value.map(String))].toSorted() : value))

/** The same decimals written in other ways are equal. */
const plain = (detail: JsonObject): string =>
  unordered(detail).replace(/"value":"([^"]+)"/, (_, value: string) => `"value":${Number(value)}`)

describe("a detail that is within another (RFC 9396 §6.1)", () => {
  test("is a partial order: every detail is within itself, and within all that it is within by steps", patient, () => {
    fc.assert(
      fc.property(one, one, one, (a, b, c) => {
        expect(within(a, a)).toBe(true)
        if (within(a, b) && within(b, c)) expect(within(a, c)).toBe(true)
        if (within(a, b) && within(b, a)) expect(plain(a)).toBe(plain(b))
      }),
      { numRuns: runs(30_000) },
    )
  })

  test("lists of them are a partial order too", patient, () => {
    fc.assert(
      fc.property(several, several, several, (a, b, c) => {
        expect(beyond(a, a, types)).toBeUndefined()
        if (beyond(a, b, types) === undefined) {
          expect(a.length).toBeLessThanOrEqual(b.length)
          if (beyond(b, c, types) === undefined) expect(beyond(a, c, types)).toBeUndefined()
        }
      }),
      { numRuns: runs(30_000) },
    )
  })

  test("each of a list has one of its own to be within, found by trying every way", patient, () => {
    const fits = (narrow: ReadonlyArray<JsonObject>, wide: ReadonlyArray<JsonObject>): boolean => {
      const [first, ...rest] = narrow
      if (first === undefined) return true
      return wide.some(
        (each, at) =>
          within(first, each) &&
          fits(
            rest,
            wide.filter((_, other) => other !== at),
          ),
      )
    }
    fc.assert(
      fc.property(several, several, (a, b) => {
        expect(beyond(a, b, types) === undefined).toBe(fits(a, b))
      }),
      { numRuns: runs(20_000) },
    )
  })
})

describe("nothing is granted that nobody allowed", () => {
  test("of what is ticked, whatever it is, each is within what was asked for", patient, () => {
    const word = fc.oneof(
      { weight: 5, arbitrary: one.map(detailWord) },
      fc.string().map((each) => `detail ${each}`),
      fc.string(),
    )
    fc.assert(
      fc.property(several, fc.array(word, { maxLength: 6 }), (asked, ticked) => {
        const allowed = allowedDetails(ticked, asked, known)
        expect(beyond(allowed, asked, types)).toBeUndefined()
        for (const each of allowed) expect(ticked).toContain(detailWord(each))
      }),
      { numRuns: runs(20_000) },
    )
  })

  test("a remembered consent covers nothing that it was not given for, however often it is merged", patient, () => {
    fc.assert(
      fc.property(several, several, several, (first, second, asked) => {
        const merged = rememberedWords([...rememberedWords(first.map(detailWord), known), ...second.map(detailWord)], known)
        const consent = { subject: "s", clientId: "c", scope: merged, grantedAt: 1, expiresAt: 0 }
        for (const word of coveredBy(consent, asked.map(detailWord), known)) {
          const detail = JSON.parse(word.slice("detail ".length)) as JsonObject
          expect([...first, ...second].some((each) => within(detail, each))).toBe(true)
          expect(detail["type"]).not.toBe("payment")
        }
      }),
      { numRuns: runs(20_000) },
    )
  })
})

test("what was fitted is fitted by itself, to the letter", patient, () => {
  fc.assert(
    fc.property(one, (detail) => {
      const type = types.get(detail["type"] as string)
      expect(type && fitted(detail, type)).toEqual({ detail })
    }),
    { numRuns: runs(5000) },
  )
})

test("the types of these tests have no fault", () => {
  expect(
    typeFaults(
      detailTypes,
      detailResources.map(({ identifier }) => identifier),
    ),
  ).toEqual([])
})
