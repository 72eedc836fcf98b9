import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type LiquidPages, type PagesOptions, liquidPages } from "@postern/adapter-http/pages"
import type { Page } from "@postern/core/model"
import fc from "fast-check"
import { afterAll, describe, expect, it, vi } from "vitest"
import { pagesBy } from "../../packages/adapter-http/src/pages/liquid.ts"
import { sampleContext, samples } from "../../packages/adapter-http/src/pages/samples.ts"
import { runs, sample } from "../tiers/tier.ts"

const folder = mkdtempSync(join(tmpdir(), "postern-replay-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** Every text of a value but its tags, through a function. */
const texts = (value: unknown, change: (text: string) => string): unknown => {
  if (typeof value === "string") return change(value)
  if (Array.isArray(value)) return value.map((each) => texts(each, change))
  if (typeof value !== "object" || value === null) return value
  const named = new Set(["_tag", "trouble", "problem", "kind", "notice"])
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, named.has(name) ? each : texts(each, change)]))
}

// The texts of a page are changed, and nothing else of it.
const changed = (page: Page, change: (text: string) => string): Page => texts(page, change) as Page

/** Pages that are the template engine's own work, each time. */
const plainPages = (options: PagesOptions = {}): LiquidPages => pagesBy(() => (_, view, render) => render(view, undefined), options)

const odd = fc.array(fc.constantFrom("a", "", "<", ">", '"', "'", "&", "{name}", "{{ x }}", ":0;", " ", "é", "\u0000"), { maxLength: 6 })

describe("a page shown before", () => {
  it("is what the template engine makes of it, letter by letter, in every language", { timeout: 120_000 }, () => {
    const [pages, plain] = [liquidPages(), plainPages()]
    for (const locale of sample(pages.languages, 4))
      for (const { page } of sample(samples, 2)) {
        const context = { ...sampleContext, locales: [locale] }
        // Known by the second, and each is told from the other by its texts alone.
        for (let times = 0; times < 2; times++) pages.render(page, context)
        const shown = changed(page, (text) => `${text}<&"'>`)
        const other = { ...context, requestId: "<id>", nonce: "another" }
        expect(pages.render(shown, other)).toBe(plain.render(shown, other))
      }
  })

  it("is so whatever its texts are, and whichever of them are equal", { timeout: 120_000 }, () => {
    const [pages, plain] = [liquidPages(), plainPages()]
    fc.assert(
      fc.property(odd, odd, fc.nat(samples.length - 1), (some, other, at) => {
        const [one, two] = [some.join(""), other.join("")]
        const page = samples[at]?.page ?? samples[0]?.page
        if (page === undefined) throw new Error("there are no samples")
        const shown = changed(page, (text) => (text.length % 2 === 0 ? one : two))
        const context = { ...sampleContext, requestId: one, nonce: two }
        expect(pages.render(shown, context)).toBe(plain.render(shown, context))
      }),
      { numRuns: runs(300) },
    )
  })

  it.each([
    ["compares", `{% if site.name == request_id %}one{% elsif request_id != "r2" %}two{% else %}three{% endif %}`],
    ["compares the other way round", `{% case "r1" %}{% when request_id %}one{% else %}other{% endcase %}`],
    ["orders", `{% if request_id > "r1" %}later{% endif %}`],
    ["looks for a piece", `{% if request_id contains "2" %}two{% endif %}`],
    ["measures", `{{ request_id.size }}{{ request_id | size }}`],
    ["changes", `{{ request_id | upcase }}{{ "a" | append: request_id }}`],
    ["cuts", `{% assign cut = request_id | slice: 1, 1 %}{{ cut }}`],
    ["hands on", `{% assign mine = request_id %}{{ mine }}{% if mine == "r1" %}!{% endif %}`],
    ["captures", `{% capture mine %}{{ request_id }}<{% endcapture %}{{ mine }}{{ mine | raw }}{% if mine == "r1<" %}!{% endif %}`],
    ["names what it captures", `{% capture mine %}{{ request_id }}{% endcapture %}{{ "login.lead_home" | t_rich: site: mine }}`],
    ["puts out what was put out", `{% layout "signed-out-frame" %}{% block own %}<{{ block.super }}{{ request_id }}>{% endblock %}`],
    ["puts out as it is", `{{ request_id | raw }}`],
    ["goes through the letters", `{% for each in request_id %}{{ each }}{% endfor %}`],
    ["counts to", `{% for each in (1..issuer) %}{{ each }}{% endfor %}`],
    ["fills a sentence", `{{ "error.quote" | t: site: request_id }}{{ "login.lead_home" | t_rich: site: request_id }}`],
    ["changes a sentence", `{{ "error.quote" | t: site: request_id | upcase }}{{ "login.lead_home" | t_rich: site: request_id | upcase }}`],
    ["escapes a sentence again", `{% assign it = "login.lead_home" | t_rich: site: request_id %}{{ it }}{% if it == "r1" %}!{% endif %}`],
    ["compares with nothing", `{% if request_id == nil or request_id == blank %}none{% endif %}{% unless request_id %}none{% endunless %}`],
    ["takes turns", `{% for each in (1..3) %}{% cycle request_id, "b" %}{% endfor %}`],
    ["names a property", `{{ site["name"] }}`],
  ])("is so when a template %s", (_, text) => {
    const templates = mkdtempSync(join(folder, "t"))
    writeFileSync(join(templates, "signed-out.liquid"), text)
    writeFileSync(join(templates, "signed-out-frame.liquid"), `{% block own %}<{{ request_id }}>{% endblock %}`)
    const [pages, plain] = [liquidPages({ templates }), plainPages({ templates })]
    for (const requestId of ["r1", "r1", "r2", "r3", "r1", "r2", "op.example", "", "<b>", "r3"]) {
      const context = { ...sampleContext, requestId }
      expect(pages.render({ _tag: "SignedOut" }, context)).toBe(plain.render({ _tag: "SignedOut" }, context))
    }
  })

  it("tells the time anew when a template asks for it", () => {
    const templates = mkdtempSync(join(folder, "t"))
    writeFileSync(join(templates, "signed-out.liquid"), `{{ "now" | date: "%s%L" }}`)
    const pages = liquidPages({ templates })
    vi.useFakeTimers()
    for (const at of [1_000, 2_000, 3_000]) {
      vi.setSystemTime(at)
      expect(pages.render({ _tag: "SignedOut" }, sampleContext)).toBe(String(at))
    }
    vi.useRealTimers()
  })
})
