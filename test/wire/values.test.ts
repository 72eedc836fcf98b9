import {
  decodeBase64Url,
  encodeBase64Url,
  longestJwt,
  mostParameters,
  occursMore,
  paramsOf,
  readJwt,
  readPairs,
  readParams,
  writeParams,
} from "@postern/core/wire"
import { describe, expect, test } from "vitest"

describe("base64url", () => {
  const bytes = Uint8Array.from([0xfb, 0xff, 0xfe, 0x00])

  test("RFC 4648 §5: bytes are written in its alphabet, without padding, and read back", () => {
    expect(encodeBase64Url(bytes)).toBe("-__-AA")
    expect(decodeBase64Url("-__-AA")).toEqual(bytes)
    expect(decodeBase64Url("")).toEqual(new Uint8Array())
  })

  test.each(["+//+", "a", "a b", "%"])("RFC 4648 §5: %j is not base64url", (text) => {
    expect(decodeBase64Url(text)).toBeUndefined()
  })
})

describe("JWTs before they are verified", () => {
  const part = (value: unknown): string =>
    encodeBase64Url(new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value)))

  test("RFC 7515 §7.1: header and claims are read, whatever is in them", () => {
    const claims = { iss: "ü", n: 1, "a?b>c": "~~~" }
    expect(readJwt(`${part({ alg: "none" })}.${part(claims)}.`)).toEqual({ header: { alg: "none" }, claims })
    expect(readJwt(`${part({})}.${part({})}.anything`)).toEqual({ header: {}, claims: {} })
  })

  test("RFC 9110 §17.5: a JWT of the longest length is read, one letter more is not", () => {
    const parts = `${part({ alg: "none" })}.${part({ a: 1 })}.`
    const jwt = parts + "A".repeat(longestJwt - parts.length)
    expect([readJwt(jwt)?.claims, readJwt(`${jwt}A`)]).toEqual([{ a: 1 }, undefined])
  })

  const [good, empty] = [part({ a: 1 }), part({})]
  test.each([
    ["no part", ""],
    ["one part", good],
    ["two parts", `${good}.${good}`],
    ["four parts", `${good}.${good}.x.x`],
    ["five parts, as a JWE has", `${good}.${good}.x.x.x`],
    ["an empty header", `.${good}.x`],
    ["empty claims", `${good}..x`],
    ["padding", `${good}==.${empty}.x`],
    ["a header of other letters", `${good}+.${good}.x`],
    ["letters before a part", ` ${good}.${good}.x`],
    ["a part of an impossible length", `${good}.${"A".repeat(5)}.x`],
    ["an array", `${part([])}.${good}.x`],
    ["null", `${good}.${part(null)}.x`],
    ["a number", `${good}.${part(1)}.x`],
    ["a string", `${good}.${part('"a"')}.x`],
    ["no JSON", `${good}.${part("{")}.x`],
  ])("RFC 7515 §7.1: what has %s is no JWT", (_what, jwt) => {
    expect(readJwt(jwt)).toBeUndefined()
  })
})

describe("parameters", () => {
  test("RFC 6749 §3.1: an empty value counts as absent, but a repeated name as repeated", () => {
    const params = readParams("a=&a=1&b=2&c=&b=3&d=%20+")
    expect(params.pairs).toEqual([
      ["a", "1"],
      ["b", "2"],
      ["b", "3"],
      ["d", "  "],
    ])
    expect([params.one("a"), params.one("b"), params.one("c"), params.one("x")]).toEqual(["1", "2", undefined, undefined])
    expect([params.all("a"), params.all("b"), params.all("c"), params.all("x")]).toEqual([["1"], ["2", "3"], [], []])
    expect(params.repeated).toEqual(["a", "b"])
    expect(readParams("a=1&a=2&a=3").repeated).toEqual(["a"])
    expect(readParams("a=1").repeated).toEqual([])
  })

  test("WHATWG URL §5.1: a question mark at the start is part of the first name; kept pairs read as sent ones", () => {
    expect(readParams("?a=1").one("?a")).toBe("1")
    expect(readPairs("?a=1&b=")).toEqual([
      ["?a", "1"],
      ["b", ""],
    ])
    expect([readPairs(""), readParams("").pairs, readParams("").repeated]).toEqual([[], [], []])
    expect(paramsOf([["a", "1"]]).one("a")).toBe("1")
    expect(writeParams([["a b", "c&d"]])).toBe("a+b=c%26d")
  })

  test("WHATWG URL §5.1: a plus sign is a space, however many there are, and nothing else changes", () => {
    for (const count of [0, 1, 100, 101, 5_000]) {
      const spaces = " ".repeat(count)
      const text = `a=${"+".repeat(count)}%2B,\ufeffä&b+c=${"+".repeat(count)}`
      expect(readPairs(text)).toEqual([
        ["a", `${spaces}+,\ufeffä`],
        ["b c", spaces],
      ])
    }
    expect(readPairs(`\ufeff${"+".repeat(101)}`)).toEqual([[`\ufeff${" ".repeat(101)}`, ""]])
  })

  test("of more parameters than may be, one more is read and the rest never", () => {
    const many = (count: number): string => Array.from({ length: count }, (_, at) => `p${at}=${at}`).join("&")
    expect(readParams(many(mostParameters)).pairs).toHaveLength(mostParameters)
    expect(readParams(many(mostParameters + 1)).pairs).toHaveLength(mostParameters + 1)
    expect(readParams(many(mostParameters + 2)).pairs).toHaveLength(mostParameters + 1)
    expect(readPairs(many(5 * mostParameters))).toHaveLength(mostParameters + 1)
    expect(readPairs(many(5 * mostParameters)).at(-1)).toEqual([`p${mostParameters}`, `${mostParameters}`])
  })

  test.each([
    ["", 0, false],
    ["&", 0, true],
    ["a", 0, false],
    ["&&", 1, true],
    ["a&a", 1, false],
    ["a&&a", 1, true],
    ["&&&", 3, false],
    ["&&&&", 3, true],
  ])("in %j & stands more than %i times: %s", (text, most, expected) => {
    expect(occursMore(text, "&", most)).toBe(expected)
  })
})
