import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { canonicalResponseType, scopeWords } from "@postern/core/model"
import { uriParts } from "../../packages/core/src/rules/redirectUri.ts"
import { anyText, many, nearly } from "./arbitraries.ts"

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
