import { type CachingHeaders, freshnessOf } from "@postern/core/wire"
import { describe, expect, it, test } from "vitest"

const unkept = { isUnkept: true, seconds: undefined }
const unstated = { isUnkept: false, seconds: undefined }
const good = (seconds: number) => ({ isUnkept: false, seconds })

/** A moment as servers write it (RFC 9110 §5.6.7). */
const written = (seconds: number): string => new Date(seconds * 1000).toUTCString()

describe("for how long a document is good (RFC 9111)", () => {
  it.each<readonly [string, CachingHeaders, ReturnType<typeof good> | typeof unkept | typeof unstated]>([
    ["§4.2.1: no field says it", {}, unstated],
    ["§5.2.2.1: max-age", { cacheControl: "max-age=60" }, good(60)],
    ["§5.2.2.10: s-maxage goes before max-age, in any order", { cacheControl: "max-age=60, s-maxage=30" }, good(30)],
    ["§5.2.2.5: no-store", { cacheControl: "max-age=60, no-store" }, unkept],
    ["§5.2.2.7: private, since others are answered too", { cacheControl: "private, max-age=60" }, unkept],
    ["§5.2.2.7: private with the names of fields", { cacheControl: 'private="set-cookie"' }, unkept],
    ["§5.2.2.4: no-cache is kept, and asked for again each time", { cacheControl: "max-age=60, no-cache" }, good(0)],
    ["§5.2: names are read in any case", { cacheControl: "MAX-AGE=60" }, good(60)],
    ["§5.2: and with white space around them", { cacheControl: "public ,\tmax-age=60\t" }, good(60)],
    ["§5.2: a value may be quoted", { cacheControl: 'max-age="60"' }, good(60)],
    ["§5.2.3: names that nobody knows say nothing", { cacheControl: "no-storage, stale-while-revalidate=5,, =7" }, unstated],
    ["§4.2.1: of two of one name the first counts", { cacheControl: "max-age=60, max-age=5" }, good(60)],
    ["§4.2.1: a lifetime that cannot be read is over", { cacheControl: "max-age=soon" }, good(0)],
    ["§4.2.1: or is a fraction", { cacheControl: "max-age=1.5" }, good(0)],
    ["§4.2.1: or is below zero", { cacheControl: "max-age=-5" }, good(0)],
    ["§1.2.2: ten digits are read", { cacheControl: "max-age=9999999999" }, good(9_999_999_999)],
    ["§1.2.2: and no more", { cacheControl: "max-age=10000000000" }, good(0)],
    ["§4.2.1: a lifetime without a value is over", { cacheControl: "max-age" }, good(0)],
    ["§5.1: the age is taken off", { cacheControl: "max-age=60", age: "45" }, good(15)],
    ["§5.1: an age beyond the lifetime leaves nothing", { cacheControl: "max-age=60", age: "61" }, good(0)],
    ["§5.1: an age that cannot be read is none", { cacheControl: "max-age=60", age: "old" }, good(60)],
    ["§5.1: an age with white space around it is read", { cacheControl: "max-age=60", age: " 45 " }, good(15)],
    ["§5.1: an age without a lifetime says nothing", { age: "45" }, unstated],
    ["§4.2.1: Expires less Date", { expires: written(1_000_000_060), date: written(1_000_000_000) }, good(60)],
    ["§4.2.1: and less the age", { expires: written(1_000_000_060), date: written(1_000_000_000), age: "10" }, good(50)],
    ["§5.3: Expires before Date is over", { expires: written(1_000_000_000), date: written(1_000_000_060) }, good(0)],
    [
      "§5.3: max-age goes before Expires",
      { cacheControl: "max-age=5", expires: written(1_000_000_060), date: written(1_000_000_000) },
      good(5),
    ],
    ["§5.3: an Expires that is no date is over", { expires: "0", date: written(1_000_000_000) }, good(0)],
    ["§5.3: one without a Date is over", { expires: written(1_000_000_060) }, good(0)],
    ["§5.3: white space around dates is taken off", { expires: ` ${written(60)} `, date: ` ${written(0)} ` }, good(60)],
    ["§5.3: a month that there is not", { expires: "Sun, 06 Now 1994 08:49:37 GMT", date: written(0) }, good(0)],
    ["§5.3: a date with more before it", { expires: `x${written(60)}`, date: written(0) }, good(0)],
    ["§5.3: or behind it", { expires: `${written(60)}x`, date: written(0) }, good(0)],
  ])("RFC 9111 %s", (_, headers, expected) => {
    expect(freshnessOf(headers)).toEqual(expected)
  })

  test("RFC 9111 §4.2.1: no headers at all say nothing", () => {
    expect(freshnessOf()).toEqual(unstated)
  })

  test("RFC 9111 §5.2: what stands behind the first 1,000 characters of Cache-Control is not read", () => {
    expect(freshnessOf({ cacheControl: `${"a".repeat(990)},no-store` })).toEqual(unkept)
    expect(freshnessOf({ cacheControl: `${"a".repeat(1_000)},no-store` })).toEqual(unstated)
  })

  test("RFC 9110 §5.6.7: each day of eight years around a leap century counts from the one before it", () => {
    const day = 86_400
    for (const start of [Date.UTC(1996, 0, 1), Date.UTC(2096, 0, 1)])
      for (let at = 0; at < 8 * 366; at++) {
        const from = start / 1000 + at * day
        expect(freshnessOf({ expires: written(from + day + 3_723), date: written(from) }).seconds, written(from)).toBe(day + 3_723)
      }
  })
})
