import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  type HandleKind,
  canonicalResponseType,
  locatorAt,
  locatorTime,
  readHandle,
  sameDigest,
  scopeWords,
  writeHandle,
} from "@postern/core/model"
import { uriParts } from "../../packages/core/src/rules/redirectUri.ts"
import { anyText, base64urlText, character, many, nearly } from "./arbitraries.ts"

const kinds: ReadonlyArray<HandleKind> = ["c", "a", "r", "s", "i", "b", "d", "u", "p", "g", "n"]
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

describe("words and URIs", () => {
  test("RFC 3986 §3, RFC 9700 §2.1: any text is taken apart or not at all, and the parts are the text's own", () => {
    const shaped = fc.webUrl({ withFragments: true, withQueryParameters: true }).chain((url) => fc.oneof(fc.constant(url), nearly(url)))
    fc.assert(
      fc.property(fc.oneof(anyText, shaped), (text) => {
        const parts = uriParts(text)
        if (parts === undefined) return
        expect(text.startsWith(`${parts.scheme}:`)).toBe(true)
        expect(text).toContain(parts.host)
        expect(text).toContain(parts.rest)
        expect(parts.rest).not.toContain("#")
        expect(parts.fragment).toBe(text.includes("#"))
        expect(parts.port ?? "").toMatch(/^\d*$/)
        expect(text).toMatch(/^[\x21-\x7e]+$/)
      }),
      many,
    )
  })

  test("RFC 3986 §3: an ordinary URL is taken apart as the URL standard does", () => {
    fc.assert(
      fc.property(
        fc.webUrl({ withFragments: true, withQueryParameters: true }),
        fc.option(fc.integer({ min: 1, max: 65_535 })),
        (plain, port) => {
          const text = port === null ? plain : plain.replace(/^(https?:\/\/[^/?#:]+)/, `$1:${port}`)
          const parts = uriParts(text)
          const url = new URL(text)
          expect(parts?.scheme).toBe(url.protocol.slice(0, -1))
          expect(parts?.host.toLowerCase()).toBe(url.hostname)
          expect(parts?.port).toBe(port === null ? undefined : String(port))
          expect(parts?.userinfo).toBe(false)
        },
      ),
      many,
    )
  })

  test("OAuth 2.0 Multiple Response Types §3: a response type is the set of its words, whatever their order and number", () => {
    const word = fc.constantFrom("code", "id_token", "token", "none")
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 6 }),
        fc.array(fc.nat(), { maxLength: 6 }),
        fc.constantFrom(" ", "  "),
        anyText,
        (words, order, space, text) => {
          const shuffled = words.map((each, at) => [order[at] ?? 0, each] as const).sort(([left], [right]) => left - right)
          const canonical = canonicalResponseType(words.join(space))
          expect(canonicalResponseType(shuffled.map(([, each]) => each).join(" "))).toBe(canonical)
          expect(canonical.split(" ").filter((each) => each !== "")).toEqual([...new Set(words)].sort())
          expect(canonicalResponseType(canonicalResponseType(text))).toBe(canonicalResponseType(text))
        },
      ),
      many,
    )
  })

  test("RFC 6749 §3.3: any scope is a list of its words, each once, in the order given", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyText,
          fc.array(fc.constantFrom("openid", "a", "b", "")).map((words) => words.join(" ")),
        ),
        (scope) => {
          const words = scopeWords(scope)
          expect(new Set(words).size).toBe(words.length)
          expect(words).toEqual([...new Set(scope.split(" "))].filter((each) => each !== ""))
        },
      ),
      many,
    )
  })
})
