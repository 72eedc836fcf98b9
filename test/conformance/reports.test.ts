import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { Ajv } from "ajv"
import addFormats from "ajv-formats"
import { XMLParser, XMLValidator } from "fast-xml-parser"
import { Parser } from "tap-parser"
import { describe, expect, it } from "vitest"
import { type Report, type Result, type Verdict, formats, inProcess, requirements, run } from "@postern/conformance"
import { misbehaviors } from "../../packages/conformance/src/misbehave/catalog.ts"
import { addressOf } from "../../packages/conformance/src/report/paragraph.ts"

const hostile = `<script>alert("x")</script>]]> & # \u0007 | \ud800 \u202e`

const result = (verdict: Verdict, at: number, more: Partial<Result> = {}): Result => ({
  requirement: { id: `area.name-${at}`, paragraph: "RFC 6749 §5.2", level: "MUST", title: `Title ${at}` },
  verdict,
  reason: verdict === "pass" ? undefined : `reason ${at}`,
  exchanges: [],
  trail: undefined,
  duration: at,
  ...more,
})

/** A report with every verdict, and with text that would be markup, commands or no text at all. */
const report: Report = {
  target: `https://op.example/${hostile}`,
  set: "all",
  startedAt: "2026-11-22T20:00:00.000Z",
  duration: 1234,
  results: [
    ...(["pass", "fail", "warn", "skip", "not applicable", "inconclusive"] as const).map((verdict, at) => result(verdict, at)),
    result("fail", 6, {
      requirement: { id: "area.name-6", paragraph: `Nobody's ${hostile}`, level: "SHOULD", title: hostile },
      reason: hostile,
      trail: hostile,
      exchanges: [
        {
          request: "POST https://op.example/token",
          requestHeaders: { "content-type": hostile },
          requestBody: hostile,
          status: 400,
          responseHeaders: { "x-a": hostile },
          responseBody: `${hostile}\n  ---\n...\nnot ok 1\nBail out!`,
        },
      ],
    }),
  ],
}

const readJson = (file: string): object => JSON.parse(readFileSync(file, "utf8")) as object

const schemaOf = (file: string) => {
  const ajv = new Ajv({ strict: false, validateFormats: true, unicodeRegExp: false })
  ;(addFormats as unknown as (ajv: Ajv) => void)(ajv)
  // A schema of draft 4 says nothing that later ones read otherwise, but for these two members.
  const { $schema: _schema, id: _id, ...schema } = readJson(file) as Record<string, unknown>
  return ajv.compile(schema)
}

describe("reports of postern conform", () => {
  it("are JUnit XML that a parser reads: a test case for each requirement, its paragraph as the class", () => {
    const xml = formats.junit(report)
    expect(XMLValidator.validate(xml)).toBe(true)
    const read = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: "", isArray: (name) => name === "testcase" }).parse(xml) as {
      testsuites: {
        testsuite: { tests: string; failures: string; errors: string; skipped: string; testcase: ReadonlyArray<Record<string, unknown>> }
      }
    }
    const { tests, failures, errors, skipped, testcase } = read.testsuites.testsuite
    expect([tests, failures, errors, skipped]).toEqual(["7", "2", "1", "2"])
    expect(testcase.map((each) => ["failure", "error", "skipped", "system-out"].find((name) => name in each) ?? "passed")).toEqual([
      "passed",
      "failure",
      "system-out",
      "skipped",
      "skipped",
      "error",
      "failure",
    ])
    expect(testcase[0]?.["classname"]).toBe("RFC 6749 §5.2")
  })

  it("are SARIF 2.1.0 by its schema, with the paragraph's address", () => {
    const schema = createRequire(import.meta.url)
      .resolve("@microsoft/jest-sarif/package.json")
      .replace("package.json", "lib/schemas/sarif-2.1.0-rtm.5.json")
    const validate = schemaOf(schema)
    const sarif = JSON.parse(formats.sarif(report)) as {
      runs: ReadonlyArray<{ tool: { driver: { rules: ReadonlyArray<{ helpUri?: string }> } }; results: ReadonlyArray<{ kind: string }> }>
    }
    expect([validate(sarif), validate.errors]).toEqual([true, null])
    expect(sarif.runs[0]?.tool.driver.rules[0]?.helpUri).toBe("https://www.rfc-editor.org/rfc/rfc6749#section-5.2")
    expect(sarif.runs[0]?.results.map(({ kind }) => kind)).toEqual([
      "pass",
      "fail",
      "fail",
      "notApplicable",
      "notApplicable",
      "review",
      "fail",
    ])
  })

  it("are TAP 14 that a parser reads, whatever a provider answered", () => {
    const assertions: Array<[boolean, unknown, unknown]> = []
    const parser = new Parser({ strict: true }, (results) => expect([results.bailout, results.plan.end]).toEqual([false, 7]))
    parser.on("assert", (each) => assertions.push([each.ok, each.skip !== false, each.todo !== false]))
    parser.end(formats.tap(report))
    expect(assertions).toEqual([
      [true, false, false],
      [false, false, false],
      [true, false, true],
      [true, true, false],
      [true, true, false],
      [false, false, false],
      [false, false, false],
    ])
  })

  it("are JSON by the schema that the package publishes", () => {
    const validate = schemaOf(fileURLToPath(new URL("../../packages/conformance/schema/report.schema.json", import.meta.url)))
    const value: unknown = JSON.parse(formats.json(report))
    expect([validate(value), validate.errors]).toEqual([true, null])
  })

  it("are one HTML file without scripts, in which nothing that a provider answered is markup", () => {
    const page = formats.html(report)
    expect(page).not.toMatch(/<script/i)
    expect(page).not.toMatch(
      /(?:src|href)="(?!https:\/\/(?:www\.rfc-editor\.org|openid\.net|datatracker\.ietf\.org|fetch\.spec\.whatwg\.org)\/)/,
    )
    expect(page).toContain("default-src 'none'")
    expect(page).toContain("&lt;script&gt;")
  })

  it("are Markdown in which nothing that a provider answered ends a cell or becomes markup", () => {
    const rows = formats
      .markdown(report)
      .split("\n")
      .filter((line) => line.startsWith("|"))
    for (const row of rows) expect(row.split("|")).toHaveLength(8)
    expect(rows.join("\n")).not.toContain("<script")
  })

  it("all say that they are no certificate", () => {
    for (const format of Object.values(formats)) expect(format(report)).toMatch(/no certificate/)
  })

  it("show the rules of our own provider at a fault of it, and none of its secrets", async () => {
    const off = inProcess({ options: (options) => ({ ...options, rulesOff: ["code.pkce-proof"] }) })
    const broken = await run(
      off,
      requirements.filter(({ id }) => id === "pkce.other" || id === "code.wrong"),
    )
    const [found] = broken.results
    expect(found).toMatchObject({
      verdict: "fail",
      reason: "the status is 200, not 400",
      trail: expect.stringMatching(/^token: \d+ rules passed/),
    })
    for (const format of Object.values(formats)) {
      expect(format(broken)).not.toMatch(/secret of |correct horse|eyJ[\w-]+\.eyJ/)
      expect(format(broken)).not.toMatch(/code_verifier=[^[]/)
    }
  })
})

describe("the paragraph of a requirement", () => {
  const cited = [...requirements, ...misbehaviors].map(({ paragraph }) => paragraph)

  it.each([...new Set(cited)])("%s has an address", (paragraph) => expect(addressOf(paragraph)).toMatch(/^https:\/\//))

  it("of a draft leads to the section in its latest text", () => {
    expect(addressOf("draft-ietf-oauth-v2-1 §10")).toBe("https://datatracker.ietf.org/doc/html/draft-ietf-oauth-v2-1#section-10")
  })
})
