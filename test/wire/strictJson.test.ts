import { readStrictJson } from "@postern/core/wire"
import fc from "fast-check"
import { expect, it, test } from "vitest"

const wide = { longest: 10_000, deepest: 50, most: 1_000 }
const read = (text: string, bounds: Partial<typeof wide> = {}) => readStrictJson(text, { ...wide, ...bounds })

it.each([
  ["§4: a member that is named twice", '{"a":1,"a":2}', "JSON that names a member twice"],
  ["§4: one that is named twice further within", '[{"b":{"a":1,"c":2,"a":3}}]', "JSON that names a member twice"],
  ["§7: one that is named twice with other escapes", '{"a":1,"\\u0061":2}', "JSON that names a member twice"],
  ["§4: one that is named again behind an object", '{"a":{"b":1},"a":2}', "JSON that names a member twice"],
  ["§4: one that is named again behind a list", '{"a":["b","b"],"a":2}', "JSON that names a member twice"],
  ["§7: one behind a text that ends with a backslash", '{"b":"\\\\","a":1,"a":2}', "JSON that names a member twice"],
  ["§2: a text that is none", "{", "not JSON"],
  ["§2: an empty text", "", "not JSON"],
  ["§2: a text with something behind it", "{} x", "not JSON"],
])("RFC 8259 %s is refused", (_, text, fault) => {
  expect(read(text)).toEqual({ fault })
})

it.each([
  ["the same name in two objects", '[{"a":1},{"a":1}]'],
  ["a name that is a value too", '{"a":"a","b":"a"}'],
  ["a text twice in a list", '["a","a"]'],
  ["names and texts with quotes and backslashes in them", '{"\\"a\\\\":"\\"","a":"{[,"}'],
  ["an object within the object of that name", '{"a":{"a":{"a":[]}}}'],
  ["a list of lists behind an object", '[{},[[1],["x","x"]],{"x":{}}]'],
  ["a text alone", '"a"'],
  ["a number alone", "-1.5e3"],
  ["white space anywhere", ' { "a" : [ 1 , true , null ] } '],
])("RFC 8259 §4: %s is read", (_, text) => {
  expect(read(text)).toEqual({ value: JSON.parse(text) })
})

test("RFC 8259 §9: a text may have so many characters, and no more", () => {
  expect(read('"abc"', { longest: 5 })).toEqual({ value: "abc" })
  expect(read('"abc"', { longest: 4 })).toEqual({ fault: "longer than 4 characters" })
})

test("RFC 8259 §9: lists and objects may be nested so deep, and no deeper", () => {
  for (const text of ["[[]]", '{"a":{}}', '[{"a":1},{"b":1},[],[]]']) {
    expect(read(text, { deepest: 2 })).toEqual({ value: JSON.parse(text) })
    expect(read(text, { deepest: 1 })).toEqual({ fault: "nested deeper than 1 levels" })
  }
})

test("RFC 8259 §9: a text may have so many values, and no more", () => {
  // A list counts itself and one for what is in it; a comma counts what comes behind it.
  for (const [text, values] of [
    ["1", 1],
    ["[1,2]", 3],
    ['{"a":1,"b":[2,3]}', 5],
  ] as const) {
    expect(read(text, { most: values })).toEqual({ value: JSON.parse(text) })
    expect(read(text, { most: values - 1 })).toEqual({ fault: `more than ${values - 1} values` })
  }
})

test("RFC 8259 §4: what JSON.stringify writes is read as it is, and with one member written twice it is refused", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), fc.string(), (text, name) => {
      expect(read(text)).toEqual({ value: JSON.parse(text) })
      const member = `${JSON.stringify(name)}:${text}`
      expect(read(`{${member},"${name === "x" ? "y" : "x"}":0}`)).toHaveProperty("value")
      expect(read(`{${member},${member}}`)).toEqual({ fault: "JSON that names a member twice" })
    }),
  )
})

it.each([
  ["lists", "[".repeat(1025), "nested deeper than 50 levels"],
  ["objects", "{".repeat(1025), "nested deeper than 50 levels"],
  ["lists behind a text in quotes", `"a"${"[".repeat(1100)}`, "nested deeper than 50 levels"],
  ["lists of which some end", `[]{}${"[".repeat(51)}${" ".repeat(1100)}`, "nested deeper than 50 levels"],
  ["lists in a short text", "[".repeat(1024), "not JSON"],
  ["as many lists as may be", `${"[".repeat(50)}${" ".repeat(1100)}`, "not JSON"],
  ["lists one behind the other", "[]".repeat(600), "not JSON"],
  ["objects one behind the other", "{}".repeat(600), "not JSON"],
  ["lists in a text in quotes", `"${"[".repeat(1100)}`, "not JSON"],
  ["lists behind an escaped quote", `"\\"${"[".repeat(1100)}`, "not JSON"],
])("RFC 8259 §9: a long text is refused for its depth before it is parsed: %s", (_, text, fault) => {
  expect(read(text)).toEqual({ fault })
})
