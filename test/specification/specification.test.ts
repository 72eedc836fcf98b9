import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { ruleTables } from "@postern/core"
import { describe, expect, test } from "vitest"
import { kept } from "../docs/publish.ts"
import type { Line } from "./line.ts"
import { lines } from "./lines/index.ts"
import { anchorOf, specificationPage } from "./page.ts"
import { exists, ruleShownBy } from "./titles.ts"

const known = new Set(ruleTables.flatMap(({ rules }) => rules.map(({ id }) => id)))
const saidOf = (wrong: (line: Line) => ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.flatMap((line) => wrong(line).map((what) => `${line.section}: ${line.text.slice(0, 40)}: ${what}`))
const blank = (text: string | undefined): boolean => text === undefined || text.trim() === ""

describe("the lines of the specification", () => {
  test("are the specification's, all of them, in its words and its order", () => {
    const said = lines.map(({ section, text }) => `${section}: ${text}`).join("\n")
    expect([lines.length, createHash("sha256").update(said).digest("hex")]).toEqual([
      110,
      "4e57563bd0dabeaa9cdbe04f28af8cc5abb74c5a81c1c9fb038281340ed7906c",
    ])
  })

  test("every rule that is named is in a rule table", () => {
    expect(saidOf(({ rules }) => rules.filter((rule) => !known.has(rule)))).toEqual([])
  })

  test("every test that is named exists", () => {
    expect(saidOf(({ tests }) => tests.filter((each) => !exists(each)).map(({ file, title }) => `${file}: ${title}`))).toEqual([])
  })

  test("every rule of a line is shown refusing by one of its tests", () => {
    expect(saidOf(({ rules, tests }) => rules.filter((rule) => !tests.some((each) => ruleShownBy(each) === rule)))).toEqual([])
  })

  test("a line has a rule or a reason, and a test", () => {
    expect(saidOf(({ rules, reason }) => (rules.length === 0 && blank(reason) ? ["no rule and no reason"] : []))).toEqual([])
    expect(saidOf(({ tests, pending }) => (tests.length === 0 && pending !== true ? ["no test"] : []))).toEqual([])
  })

  test("a line that is pending says what is missing", () => {
    expect(saidOf(({ pending, reason }) => (pending === true && blank(reason) ? ["no reason"] : []))).toEqual([])
  })

  test("nothing is named twice in a line, and no line is there twice", () => {
    expect(saidOf(({ rules }) => rules.filter((rule, at) => rules.indexOf(rule) !== at))).toEqual([])
    expect(
      saidOf(({ tests }) => {
        const names = tests.map(({ file, title }) => `${file}: ${title}`)
        return names.filter((name, at) => names.indexOf(name) !== at)
      }),
    ).toEqual([])
    const names = lines.map(({ section, text }) => `${section}: ${text}`)
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  })

  test("a test that there is not is noticed, in a file of cases and in any other", () => {
    expect(exists({ file: "test/cases/token.ts", title: "RFC 6749 §4.1.3: no such case" })).toBe(false)
    expect(exists({ file: "test/core/metadata.test.ts", title: "RFC 8414 §2: every endpoint" })).toBe(false)
    expect(exists({ file: "test/core/metadata.test.ts", title: "RFC 8414 §2: every endpoint stated answers" })).toBe(true)
  })
})

describe("docs/specification.md", () => {
  test("is what the lines say (run npm run docs)", () => {
    expect(kept("docs/specification.md") === specificationPage(lines)).toBe(true)
  })

  test("links to headings of the rule reference that there are", () => {
    const headings = readFileSync(new URL("../../docs/rules.md", import.meta.url), "utf8")
      .split("\n")
      .filter((line) => line.startsWith("## "))
      .map((line) =>
        line
          .slice(3)
          .toLowerCase()
          .replace(/[^a-z0-9 _-]/g, ""),
      )
    const targets = [...new Set(lines.flatMap(({ rules }) => rules.map(anchorOf)))]
    expect(targets.filter((target) => !headings.includes(target))).toEqual([])
  })
})
