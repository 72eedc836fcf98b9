import fc from "fast-check"
import { expect, test } from "vitest"
import type { Json, JsonObject } from "@postern/core"
import { readStrictJson } from "@postern/core/wire"
import { detailTypesOf, typeFaults } from "../../packages/core/src/features/rich-authorization/types.ts"
import { detailFaces, detailWord, readDetails } from "../../packages/core/src/rules/details/index.ts"
import { catalog, standardScopes } from "@postern/core"
import { patient } from "../properties/arbitraries.ts"
import { codePoint } from "../properties/codePoint.ts"
import { detailResources, detailTypes, payment } from "../support/details.ts"
import { runs } from "../tiers/tier.ts"

const types = detailTypesOf(detailTypes)
const details = { types, allowedTo: () => Object.keys(detailTypes), isProtected: () => false }
const settings = { details, catalog: catalog(standardScopes, detailResources) }
const client = { members: {} }

const bounds = { longest: 4000, deepest: 8, most: 200 }

/** Texts that are JSON, nearly JSON, and not. */
const texts = fc.oneof(
  { weight: 4, arbitrary: fc.json({ maxDepth: 5 }) },
  {
    weight: 3,
    arbitrary: fc.json({ maxDepth: 4 }).chain((text) => fc.nat(text.length).map((at) => text.slice(0, at) + text.slice(at + 1))),
  },
  { weight: 2, arbitrary: fc.string({ unit: fc.constantFrom(...'{}[],:"\\ 01eunltrfa.-+\n\u2028'.split("")), maxLength: 60 }) },
  { weight: 1, arbitrary: fc.string({ unit: codePoint, maxLength: 60 }) },
)

const parsed = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

test("RFC 8259: the strict reader reads what JSON.parse reads, or nothing, and never fails", patient, () => {
  fc.assert(
    fc.property(texts, (text) => {
      const [strict, plain] = [readStrictJson(text, bounds), parsed(text)]
      if ("value" in strict) expect(plain).toEqual({ value: strict.value })
      else if (plain === undefined) expect(["not JSON", "longer than 4000 characters"]).toContain(strict.fault)
    }),
    { numRuns: runs(100_000) },
  )
})

test("RFC 8259 §4: an object that names a member twice is never read, however the name is written", patient, () => {
  const name = fc.string({ unit: codePoint, minLength: 1, maxLength: 8 })
  const escaped = (text: string): string =>
    `"${[...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")}"`
  const between = fc.dictionary(name, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }).map((each) =>
    Object.entries(each)
      .map(([key, value]) => `,${JSON.stringify(key)}:${JSON.stringify(value)}`)
      .join(""),
  )
  fc.assert(
    fc.property(name, between, fc.boolean(), fc.nat(3), (key, more, isEscaped, depth) => {
      const inner = `{${JSON.stringify(key)}:1${more},${isEscaped ? escaped(key) : JSON.stringify(key)}:2}`
      const text = `${"[".repeat(depth)}${inner}${"]".repeat(depth)}`
      expect(readStrictJson(text, bounds)).toEqual({ fault: "JSON that names a member twice" })
    }),
    { numRuns: runs(20_000) },
  )
})

/** A sound detail with something changed. */
const spoilt: fc.Arbitrary<JsonObject> = fc
  .tuple(
    fc.constantFrom<JsonObject>(
      payment("1.00", { actions: ["initiate"], instant: true }),
      { type: "accounts", accounts: ["a"], until: "2026-12-31" },
      { type: "report", pages: 3 },
    ),
    fc.dictionary(
      fc.constantFrom(
        "type",
        "amount",
        "creditor",
        "accounts",
        "until",
        "pages",
        "actions",
        "locations",
        "iban",
        "__proto__",
        "constructor",
        "toString",
      ),
      fc.oneof(
        fc.jsonValue({ maxDepth: 3 }),
        fc.constantFrom<unknown>("", "1e3", -0, 1e308, [], {}, null, "2026-02-30", { currency: "EUR", value: "00" }),
      ),
      { maxKeys: 3 },
    ),
  )
  .map(([sound, changes]) => ({ ...sound, ...(changes as JsonObject) }))

test("RFC 9396 §5: details are taken as their types have them, or refused in words that hold nothing of them", patient, () => {
  fc.assert(
    fc.property(fc.array(fc.oneof({ weight: 4, arbitrary: spoilt }, fc.jsonValue({ maxDepth: 2 })), { maxLength: 4 }), (sent) => {
      const read = readDetails(JSON.stringify(sent), settings, client)
      if (read.fault !== undefined) {
        expect(read.details).toEqual([])
        expect(read.fault.problem).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,200}$/)
        return
      }
      // Taken once, it is taken again just so, and each is shown.
      expect(readDetails(JSON.stringify(read.details), settings, client)).toEqual(read)
      expect(detailFaces(settings, read.details.map(detailWord))).toHaveLength(read.details.length)
    }),
    { numRuns: runs(100_000) },
  )
})

test("a configuration of types is judged whatever it is, and one without fault takes requests", patient, () => {
  const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>
  const changed = fc
    .tuple(
      fc.constantFrom(...Object.keys(detailTypes)),
      fc.constantFrom("resources", "consent", "schema", "words", "without_person", "x"),
      json,
    )
    .map(([type, member, value]): JsonObject => ({
      ...detailTypes,
      [type]: { ...detailTypes[type as keyof typeof detailTypes], [member]: value },
    }))
  fc.assert(
    fc.property(fc.oneof(fc.dictionary(fc.string(), json) as fc.Arbitrary<JsonObject>, changed), (stated) => {
      const faults = typeFaults(
        stated,
        detailResources.map(({ identifier }) => identifier),
      )
      for (const { message, hint } of faults) expect([message, hint].every((each) => each.length > 0)).toBe(true)
      const made = { ...settings, details: { ...details, types: detailTypesOf(stated) } }
      readDetails('[{"type":"report"}]', made, client)
    }),
    { numRuns: runs(20_000) },
  )
})
