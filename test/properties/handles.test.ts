import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type HandleKind, locatorAt, locatorTime, readHandle, sameDigest, writeHandle } from "@postern/core/model"
import { anyText, base64urlText, character, many, nearly } from "./arbitraries.ts"

const kinds: ReadonlyArray<HandleKind> = ["c", "a", "r", "s", "i", "b"]
const locator = fc.string({
  unit: character("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
  minLength: 16,
  maxLength: 16,
})
const handle = fc.record({ kind: fc.constantFrom(...kinds), locator, secret: base64urlText(43) })

describe("handles", () => {
  test("architecture law 9: a written handle reads as itself, and as no other kind", () => {
    fc.assert(
      fc.property(handle, fc.constantFrom(...kinds), (made, kind) => {
        expect(readHandle(kind, writeHandle(made))).toEqual(kind === made.kind ? made : undefined)
      }),
      many,
    )
  })

  test("architecture law 9: any text reads as a handle that writes back as that text, or as none", () => {
    const shaped = handle.map(writeHandle)
    fc.assert(
      fc.property(fc.constantFrom(...kinds), fc.oneof(anyText, shaped, shaped.chain(nearly)), (kind, text) => {
        const read = readHandle(kind, text)
        if (read !== undefined) expect(writeHandle(read)).toBe(text)
        else expect(new RegExp(`^${kind}_[A-Za-z0-9]{16}[\\w-]{43}$`).test(text)).toBe(false)
      }),
      many,
    )
  })

  /** The last millisecond that eight digits of base 62 can tell, in the year 8888. */
  const most = 62 ** 8 - 1
  const milliseconds = fc.integer({ min: 0, max: most })
  const chance = fc.uint8Array({ minLength: 6, maxLength: 6 }).map((bytes) => bytes.with(0, bytes[0] === undefined ? 0 : bytes[0] % 128))

  test("architecture law 9: a locator tells the time it was made at", () => {
    fc.assert(
      fc.property(milliseconds, chance, (at, bytes) => {
        const locator = locatorAt(at, bytes)
        expect(locator).toMatch(/^[A-Za-z0-9]{16}$/)
        expect(locatorTime(locator)).toBe(at)
      }),
      many,
    )
  })

  test("architecture law 9: locators sort as they were made: by time, and within one by their bytes", () => {
    const near = fc
      .tuple(milliseconds, fc.integer({ min: -70, max: 70 }))
      .map(([at, by]) => [at, Math.min(most, Math.max(0, at + by))] as const)
    fc.assert(
      fc.property(fc.oneof(near, fc.tuple(milliseconds, milliseconds)), chance, chance, ([left, right], some, others) => {
        const order = Math.sign(left - right) || Math.sign(Buffer.compare(some, others))
        const [first, second] = [locatorAt(left, some), locatorAt(right, others)]
        expect(first === second ? 0 : first < second ? -1 : 1).toBe(order)
      }),
      many,
    )
  })

  test("architecture law 9: digests are the same only when equal by character", () => {
    fc.assert(
      fc.property(
        base64urlText(43).chain((digest) => fc.tuple(fc.constant(digest), fc.oneof(fc.constant(digest), nearly(digest), anyText))),
        ([left, right]) => {
          expect(sameDigest(left, right)).toBe(left === right)
        },
      ),
      many,
    )
  })
})
