import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { claimed, claims } from "../../bench/report/claims.ts"
import { withClaims } from "../../bench/report/pages.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const pages = globSync(["README.md", "docs/*.md", "packages/*/README.md", "examples/*/README.md"], { cwd: root })
const textOf = (page: string): string => readFileSync(`${root}/${page}`, "utf8")

/** A figure of performance: microseconds, or how many times something is faster, slower, cheaper than something else. */
const figure = /\d\s?µs|\d times (?:the (?:cost|throughput|CPU|tokens|reference|refresh|sign)|less|more|faster|slower|sooner|cheaper)/

/** The sections of a page with figures that nothing says a machine of: neither a measured table, which begins with one, nor a claim. */
const nameless = (text: string): ReadonlyArray<string> =>
  text.split(/^(?=#{2,3} )/m).flatMap((section) => {
    if (section.includes("<!-- claims: ")) return []
    const prose = section.replaceAll(/<!-- measured: [\s\S]*?<!-- end -->/g, "")
    return figure.test(prose) ? [section.split("\n")[0] ?? ""] : []
  })

test("each section with a figure of performance names its machine, and says what it was on a second one", () => {
  expect(pages.flatMap((page) => nameless(textOf(page)).map((section) => `${page}: ${section}`))).toEqual([])
  expect(nameless("## Fast\nA token takes 5 µs.")).toEqual(["## Fast"])
  expect(nameless("## Fast\nIt is 3.4 times faster.")).toEqual(["## Fast"])
})

test("what pages claim is what bench/claims.json and the results say", () => {
  for (const [page, own] of Object.entries(claimed())) {
    expect(withClaims(textOf(page), own)).toBe(textOf(page))
    for (const name of Object.keys(own)) expect(textOf(page), page).toContain(`<!-- claims: ${name} -->`)
  }
})

test("each statement names the page it is on and what was measured on the second machine", () => {
  for (const { page, second } of Object.values(claims.statements)) {
    expect(pages).toContain(page)
    expect(second.length).toBeGreaterThan(20)
  }
})

test("a table of measurements begins with its machine", () => {
  for (const page of ["docs/performance.md", "docs/capacity.md"])
    for (const [, name = "", content = ""] of textOf(page).matchAll(/<!-- measured: ([\w-]+) -->\n+([^\n]*)/g))
      if (!["single", "cluster", "arithmetic", "limits"].includes(name) || page !== "docs/capacity.md")
        expect([name, content]).toEqual([name, expect.stringMatching(/^(\d{4}-\d\d-\d\d, .+ cores, |<!-- end -->)/)])
})
