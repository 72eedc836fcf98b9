import fc from "fast-check"
import { expect, test } from "vitest"
import { pictureOf } from "../../packages/core/src/features/metadata-documents/logo.ts"
import { membersRead } from "../../packages/core/src/features/metadata-documents/metadata.ts"
import { identifierRules } from "../../packages/core/src/features/metadata-documents/rules.ts"
import { judge } from "../../packages/core/src/rules/rule.ts"
import { freshnessOf, readObject } from "../../packages/core/src/wire/index.ts"
import { patient } from "../properties/arbitraries.ts"
import { runs } from "../tiers/tier.ts"

const pieces = [
  "https://",
  "http://",
  "HTTPS://",
  "app.example",
  "127.0.0.1",
  "[::1]",
  "2130706433",
  ":443",
  ":0",
  "/",
  "/c.json",
  "/..",
  "/%2e%2e",
  "?",
  "#",
  "@",
  "\\",
  " ",
  "%",
  "é",
]
const ids = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join("")),
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  fc.string(),
)

const isGood = (clientId: string): boolean =>
  judge({ off: new Set(), steps: [] }, identifierRules, { clientId, development: false }) === undefined

test(
  "draft-ietf-oauth-client-id-metadata-document §3: an id that is taken is an https URL that resolves to its own path, whatever was sent",
  patient,
  () => {
    let taken = 0
    fc.assert(
      fc.property(ids, (id) => {
        if (!isGood(id)) return
        taken++
        const url = new URL(id)
        expect([url.protocol, url.username, url.password, url.hash]).toEqual(["https:", "", "", ""])
        expect(id.replace(/^https:\/\/[^/]+/i, "").replace(/[?#].*$/s, "")).toBe(url.pathname)
      }),
      { numRuns: runs(100_000) },
    )
    expect(taken).toBeGreaterThan(0)
  },
)

const directives = [
  "max-age",
  "s-maxage",
  "no-store",
  "no-cache",
  "private",
  "public",
  "=",
  ",",
  '"',
  " ",
  "60",
  "-1",
  "1e9",
  "99999999999",
  "\t",
  "é",
]
const fields = fc.oneof(
  fc.array(fc.constantFrom(...directives), { maxLength: 10 }).map((parts) => parts.join("")),
  fc.string(),
)
const dates = fc.oneof(
  fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
  fc.string(),
)

test("RFC 9111 §4.2.1: a life is a whole number of seconds from 0 on, or unsaid, whatever the header fields hold", patient, () => {
  const maybe = <A>(of: fc.Arbitrary<A>) => fc.option(of, { nil: undefined })
  fc.assert(
    fc.property(maybe(fields), maybe(fields), maybe(dates), maybe(dates), (cacheControl, age, expires, date) => {
      const { seconds } = freshnessOf({ cacheControl, age, expires, date })
      expect(seconds === undefined || (Number.isInteger(seconds) && seconds >= 0)).toBe(true)
    }),
    { numRuns: runs(100_000) },
  )
})

test("RFC 9110 §5.6.7: the seconds between two dates are those of the calendar", patient, () => {
  const times = fc.integer({ min: 0, max: 4_102_444_800 })
  fc.assert(
    fc.property(times, fc.integer({ min: 0, max: 10_000_000 }), (from, life) => {
      const text = (seconds: number): string => new Date(seconds * 1000).toUTCString()
      expect(freshnessOf({ expires: text(from + life), date: text(from) }).seconds).toBe(life)
    }),
    { numRuns: runs(10_000) },
  )
})

const starts = ["89504e470d0a1a0a0000000d49484452", "ffd8ffe000104a46", "524946460000000057454250565038", ""].map((hex) =>
  Buffer.from(hex, "hex"),
)

test("a picture that is shown has sides of 1 to 1024 pixels, whatever the bytes", patient, () => {
  fc.assert(
    fc.property(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 64 }), (start, rest) => {
      const found = pictureOf(Buffer.concat([start, rest]))
      if (found === undefined) return
      for (const side of [found.width, found.height]) expect(side >= 1 && side <= 1024).toBe(true)
    }),
    { numRuns: runs(100_000) },
  )
})

test(
  "a document is read or it is none, whatever the text; what is kept of it has no member but those that decide something",
  patient,
  () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json({ maxDepth: 5 }),
          fc.string(),
          fc
            .dictionary(fc.constantFrom("client_id", "client_secret", "__proto__", "jwks", "x"), fc.jsonValue())
            .map((value) => JSON.stringify(value)),
        ),
        (text) => {
          const document = readObject(text)
          if (document === undefined) return
          for (const name of Object.keys(membersRead(document)))
            expect(["client_id", "jwks"].includes(name) || /^[a-z_]+(?:#.*)?$/.test(name)).toBe(true)
          expect(membersRead(document)).not.toHaveProperty("client_secret")
        },
      ),
      { numRuns: runs(100_000) },
    )
  },
)
