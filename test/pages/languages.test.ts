import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { liquidPages } from "@postern/adapter-http/pages"
import { describe, expect, it } from "vitest"
import { sampleContext, samples, troubles } from "../../packages/adapter-http/src/pages/samples.ts"
import { placeholders } from "../../packages/adapter-http/src/pages/words.ts"
import { tagsOf, textOf } from "./html.ts"

const folder = join(import.meta.dirname, "../../packages/adapter-http/locales")
const catalogue = (tag: string): Record<string, string> =>
  JSON.parse(readFileSync(join(folder, `${tag}.json`), "utf8")) as Record<string, string>
const english = catalogue("en")
const tags = readdirSync(folder).map((name) => name.replace(".json", ""))
const pages = liquidPages()
const signedOut = { _tag: "SignedOut" } as const
const langOf = (html: string): string | undefined =>
  tagsOf(html)
    .find(({ name }) => name === "html")
    ?.attributes.get("lang")
const langFor = (...locales: ReadonlyArray<string>): string | undefined => langOf(pages.render(signedOut, { ...sampleContext, locales }))

describe("languages", () => {
  it("are English, German, French, Spanish, Portuguese and Japanese", () => {
    expect([...tags].sort()).toEqual(["de", "en", "es", "fr", "ja", "pt"])
  })

  it.each(tags)("%s has every sentence in the same order, each with the same values to put in", (tag) => {
    const words = catalogue(tag)
    expect(Object.keys(words)).toEqual(Object.keys(english))
    for (const [key, sentence] of Object.entries(words)) {
      expect(sentence.trim(), key).toBe(sentence)
      expect([...placeholders(sentence)].sort(), key).toEqual([...placeholders(english[key] ?? "")].sort())
    }
  })

  it.each(tags.filter((tag) => tag !== "en"))("%s leaves no whole sentence in English", (tag) => {
    const same = Object.entries(catalogue(tag)).filter(
      ([key, sentence]) => sentence === english[key] && sentence.includes(" ") && placeholders(sentence).length === 0,
    )
    expect(same).toEqual([])
  })

  it.each(tags)("%s shows every page, with its tag on the document", (tag) => {
    for (const { page } of samples) {
      const html = pages.render(page, { ...sampleContext, locales: [tag] })
      expect(langOf(html)).toBe(tag)
      expect(textOf(html)).not.toMatch(/\{[a-z_]+\}/)
    }
  })

  it("have words for every trouble", () => {
    for (const trouble of troubles) for (const part of ["title", "text"]) expect(english[`trouble.${trouble}.${part}`]).toBeDefined()
  })

  it("hold no sentence that no page uses", () => {
    const sources = [join(folder, "../pages"), join(folder, "../src/pages")]
      .flatMap((each) => readdirSync(each).map((name) => readFileSync(join(each, name), "utf8")))
      .join("\n")
    const built = /^(?:trouble|scope|login\.problem|home\.notice|device\.problem|device_done)\./
    expect(Object.keys(english).filter((key) => !built.test(key) && !sources.includes(`"${key}"`))).toEqual([])
  })
})

describe("the language of a page", () => {
  it("is the first wanted one that there is (OpenID Connect Core §3.1.2.1, ui_locales)", () => {
    expect(langFor("ja", "de")).toBe("ja")
    expect(langFor("sv", "de")).toBe("de")
    expect(langFor("de-AT")).toBe("de")
    expect(langFor("pt-PT")).toBe("pt")
    expect(langFor("fr-CA", "en")).toBe("fr")
  })

  it("is the provider's own when none is wanted that there is", () => {
    expect(langFor()).toBe("en")
    expect(langFor("tlh")).toBe("en")
    expect(langOf(liquidPages({ locale: "de" }).render(signedOut, sampleContext))).toBe("de")
  })

  it.each(["", "-", "*", "e", "x-y", "de_DE", "en-", "𝔡𝔢", "a".repeat(5000), "constructor", "__proto__", "../../etc/passwd"])(
    "is not upset by a tag that is none: %s",
    (tag) => {
      expect(["en", "de"]).toContain(langFor(tag))
      expect(langFor(tag, "fr")).toMatch(/^(?:fr|en)$/)
    },
  )
})
