import { isJson, readObject } from "../../packages/core/src/wire/json.ts"
import { describe, expect, test } from "vitest"

describe("JSON bodies (RFC 8259)", () => {
  test.each([
    ["application/json", true],
    ["APPLICATION/JSON", true],
    ["application/json;charset=utf-8", true],
    ["application/json  ; charset=utf-8", true],
    ["application/json x", false],
    ["application/jsonp", false],
    ["application/json-patch+json", false],
    ["text/application/json", false],
    ["application/x-www-form-urlencoded", false],
    ["", false],
    [undefined, false],
  ])("RFC 8259 §11: a Content-Type of %s is JSON: %s", (contentType, is) => {
    expect(isJson(contentType)).toBe(is)
  })

  test.each([
    ["{}", {}],
    ['{"a":[1,{"b":null}]}', { a: [1, { b: null }] }],
    [' {"a":"}]"} ', { a: "}]" }],
    ["[]", undefined],
    ["null", undefined],
    ["1", undefined],
    ['"text"', undefined],
    ["", undefined],
    ["{", undefined],
    ['{"a":}', undefined],
  ])("RFC 8259 §4: %s is read as an object, or as none", (text, value) => {
    expect(readObject(text)).toEqual(value)
  })

  const nested = (open: string, close: string, depth: number): string => `{"a":${open.repeat(depth)}1${close.repeat(depth)}}`

  test("RFC 8259 §9: 20 levels are read, and none deeper, of lists as of objects", () => {
    expect(readObject(nested("[", "]", 19))).toHaveProperty("a")
    expect(readObject(nested("[", "]", 20))).toBeUndefined()
    expect(readObject(nested('{"a":', "}", 19))).toHaveProperty("a")
    expect(readObject(nested('{"a":', "}", 20))).toBeUndefined()
  })

  test("RFC 8259 §9: levels that were left count no more, and what stands in a text or a name never", () => {
    expect(readObject(`{"a":[${Array.from({ length: 100 }, () => "[[]]").join()}]}`)).toHaveProperty("a")
    expect(readObject(`{"a":[${Array.from({ length: 100 }, () => '{"b":{}}').join()}]}`)).toHaveProperty("a")
    expect(readObject(JSON.stringify({ a: "[".repeat(100), ["{".repeat(100)]: 1 }))).toHaveProperty("a")
    expect(readObject(JSON.stringify({ a: `"${"[".repeat(100)}\\`, b: 1 }))).toHaveProperty("b")
    expect(readObject(JSON.stringify({ a: '\\"', b: JSON.parse("[".repeat(19) + "]".repeat(19)) as unknown }))).toHaveProperty("b")
    expect(readObject(`{"a":"\\\\","b":${"[".repeat(20)}${"]".repeat(20)}}`)).toBeUndefined()
  })
})
