import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { acceptedLocales, readCookie, readParams, wantedLocales, writeCookie } from "@postern/core/wire"
import { presentedClient } from "../../packages/core/src/rules/clientAuthentication.ts"
import { anyText, character, many, nearly, unicode } from "./arbitraries.ts"

describe("client credentials", () => {
  const none = readParams("")
  const encoded = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1)

  test("RFC 6749 §2.3.1, appendix B: any id and secret survive being form-encoded into a Basic header", () => {
    fc.assert(
      fc.property(unicode, unicode, fc.constantFrom("Basic", "basic", "BASIC"), fc.constantFrom(" ", "  "), (id, secret, scheme, space) => {
        const header = `${scheme}${space}${Buffer.from(`${encoded(id)}:${encoded(secret)}`).toString("base64")}`
        const presented = presentedClient(header, none)
        expect([presented.basic?.id, presented.clientId]).toEqual([id, id])
        expect(presented.secret?.reveal()).toBe(secret === "" ? undefined : secret)
        expect(JSON.stringify(presented)).toBe(
          JSON.stringify({
            ...presented,
            basic: { id, secret: presented.secret && "<redacted>" },
            secret: presented.secret && "<redacted>",
          }),
        )
      }),
      many,
    )
  })

  test("RFC 6749 §2.3.1: credentials that were percent-encoded, or of characters that need no encoding, read the same", () => {
    const plain = fc.string({ unit: character("abcXYZ019-._~!*'()"), minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(unicode, plain, (id, secret) => {
        const header = `Basic ${Buffer.from(`${encodeURIComponent(id)}:${secret}`).toString("base64")}`
        const { basic } = presentedClient(header, none)
        expect([basic?.id, basic?.secret?.reveal()]).toEqual([id, secret])
      }),
      many,
    )
  })

  test("RFC 7617 §2: any Authorization header and any body present something or nothing, and never fail", () => {
    const base64 = anyText.map((text) => `Basic ${Buffer.from(text).toString("base64")}`)
    fc.assert(
      fc.property(
        fc.oneof(
          anyText,
          base64,
          base64.chain(nearly),
          anyText.map((text) => `Basic ${text}`),
        ),
        anyText,
        (header, body) => {
          const presented = presentedClient(header, readParams(body))
          if (presented.basic !== undefined) expect(presented.scheme).toBe("basic")
          expect(presented.clientId).toBe(presented.basic?.id ?? presented.bodyId)
        },
      ),
      many,
    )
  })
})

describe("cookies and languages", () => {
  const value = fc.string({ unit: character("abcXYZ019_-"), maxLength: 70 })
  const name = fc.constantFrom("session" as const, "browser" as const)
  // Issuers of one host: by scheme, port and path, with those that a careless name would take for another.
  const issuer = fc.constantFrom(
    ...["https", "http"].flatMap((scheme) =>
      ["", ":8443", ":844", "/a", "/a/b", "/a_b", "/a-b", "/a.b", "/_2f_", "/8443", ":8443/a", "/A"].map(
        (place) => `${scheme}://op.example${place}`,
      ),
    ),
    "http://[::1]:4000",
  )

  test("RFC 6265 §4.2.1, §8.5: a cookie that was set is read among others, under its own name and by its own issuer of the host alone", () => {
    const strangers = fc.array(fc.tuple(fc.string({ unit: character("abz-_"), minLength: 1, maxLength: 9 }), value), { maxLength: 4 })
    fc.assert(
      fc.property(name, name, value, issuer, issuer, strangers, fc.nat(4), (set, wanted, held, ours, theirs, others, at) => {
        const [pair = ""] = writeCookie({ name: set, value: held, maxAge: undefined }, ours).split(";")
        const header = others
          .map(([stranger, of]) => `x${stranger}=${of}`)
          .toSpliced(at, 0, pair)
          .join("; ")
        expect(readCookie(header, wanted, theirs)).toBe(set === wanted && ours === theirs ? held : undefined)
        expect(readCookie(header, wanted, ours)).toBe(set === wanted ? held : undefined)
      }),
      many,
    )
  })

  test("RFC 6265 §5.4: any Cookie header reads as a part of itself or as nothing", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyText,
          anyText.map((text) => `__Host-postern-session=${text}`),
        ),
        name,
        issuer,
        (header, wanted, ours) => {
          const read = readCookie(header, wanted, ours)
          if (read !== undefined) expect(header).toContain(read)
          expect(read?.includes(";") ?? false).toBe(false)
        },
      ),
      many,
    )
  })

  const tag = fc.constantFrom("de", "en-GB", "zh-Hant-TW", "x", "de_DE", "toolonglanguage", "*", "")
  const range = fc
    .tuple(tag, fc.constantFrom("", ";q=0", ";q=0.5", "; q=1.0", ";q=x", ";q=0.501", ";level=1"))
    .map((parts) => parts.join(""))

  test("RFC 9110 §12.5.4: any Accept-Language gives at most ten tags, each well formed and named in it, the better ones first", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyText,
          fc.array(range, { maxLength: 30 }).map((ranges) => ranges.join(", ")),
        ),
        (header) => {
          const accepted = acceptedLocales(header)
          expect(accepted.length).toBeLessThanOrEqual(10)
          for (const each of accepted) {
            expect(each).toMatch(/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/)
            expect(header).toContain(each)
          }
        },
      ),
      many,
    )
    expect(acceptedLocales("fr;q=0.5, de, en;q=0.7, it;q=0")).toEqual(["de", "en", "fr"])
  })

  test("OpenID Connect Core §3.1.2.1: any ui_locales gives at most ten tags, well formed, in the order asked for", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyText,
          fc.array(tag, { maxLength: 30 }).map((tags) => tags.join(" ")),
        ),
        (asked) => {
          const wanted = wantedLocales(asked)
          expect(wanted.length).toBeLessThanOrEqual(10)
          const words = asked.split(" ")
          let from = 0
          for (const each of wanted) {
            const at = words.indexOf(each, from)
            expect(at).toBeGreaterThanOrEqual(0)
            from = at + 1
          }
        },
      ),
      many,
    )
  })
})
