import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { liquidPages } from "@postern/adapter-http/pages"
import { describe, expect, it } from "vitest"
import { sampleContext, samples, troubles } from "../../packages/adapter-http/src/pages/samples.ts"
import { placeholders } from "../../packages/adapter-http/src/pages/words.ts"
import { tagsOf, textOf } from "./html.ts"

const folder = join(import.meta.dirname, "../../packages/adapter-http/locales")
const catalog = (tag: string): Record<string, string> =>
  JSON.parse(readFileSync(join(folder, `${tag}.json`), "utf8")) as Record<string, string>
const english = catalog("en")
const tags = readdirSync(folder).map((name) => name.replace(".json", ""))
const pages = liquidPages()
const signedOut = { _tag: "SignedOut" } as const
const langOf = (html: string): string | undefined =>
  tagsOf(html)
    .find(({ name }) => name === "html")
    ?.attributes.get("lang")
const langFor = (...locales: ReadonlyArray<string>): string | undefined => langOf(pages.render(signedOut, { ...sampleContext, locales }))

describe("languages", () => {
  it("are English, German, French, Spanish, Portuguese of Brazil and of Portugal, and Japanese", () => {
    expect([...tags].sort()).toEqual(["de", "en", "es", "fr", "ja", "pt", "pt-PT"])
  })

  it.each([
    ["de", /(?<!\p{L})(?:du|dich|dir|dein\p{L}*)(?!\p{L})/iu],
    ["fr", /(?<!\p{L})(?:tu|toi|ton|tes)(?!\p{L})|(?<!\p{L})t’/iu],
    ["es", /(?<!\p{L})(?:tú|tu|tus|te|ti)(?!\p{L})/iu],
    ["pt", /(?<!\p{L})(?:utilizador|palavra-passe|telemóvel|morada|ecrã|num|numa|introduza|registad[ao]s?)(?!\p{L})/iu],
    ["pt-PT", /(?<!\p{L})(?:você|usuário|senha|celular|aplicativo|tela|câmera|aba|registrad[ao]s?)(?!\p{L})/iu],
    ["en", /(?<!\p{L})(?:organisation|recognise\p{L}*|cancelled|colour\p{L}*)(?!\p{L})/iu],
  ])("%s is one language throughout, and addresses the reader in one way", (tag, other) => {
    expect(Object.entries(catalog(tag)).filter(([, sentence]) => other.test(sentence))).toEqual([])
  })

  it.each(tags)("%s has every sentence in the same order, each with the same values to put in", (tag) => {
    const words = catalog(tag)
    expect(Object.keys(words)).toEqual(Object.keys(english))
    for (const [key, sentence] of Object.entries(words)) {
      expect(sentence.trim(), key).toBe(sentence)
      expect([...placeholders(sentence)].sort(), key).toEqual([...placeholders(english[key] ?? "")].sort())
    }
  })

  it.each(tags.filter((tag) => tag !== "en"))("%s leaves no whole sentence in English", (tag) => {
    const same = Object.entries(catalog(tag)).filter(
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
    expect(langFor("pt-PT")).toBe("pt-PT")
    expect(langFor("pt-AO")).toBe("pt-PT")
    expect(langFor("pt-BR")).toBe("pt")
    expect(langFor("pt")).toBe("pt")
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

describe("dates and times", () => {
  const home = samples.find(({ name }) => name === "home")?.page
  if (home?._tag !== "Home") throw new Error("there is no such sample")
  const shown = (locale: string, zone: string | undefined): string =>
    textOf(pages.render({ ...home, person: { ...home.person, zone } }, { ...sampleContext, locales: [locale] }))

  it.each([
    ["en-GB", "18 November 2026"],
    ["en-US", "November 18, 2026"],
    ["en", "November 18, 2026"],
    ["de-AT", "18. November 2026"],
    ["pt-PT", "18 de novembro de 2026"],
  ])("are written as the region of %s writes them: %s", (locale, day) => {
    expect(shown(locale, undefined)).toContain(day)
  })

  it("are those of the zone that the zoneinfo claim names, which is named too (OpenID Connect Core §5.1)", () => {
    expect(shown("en-GB", "Europe/Berlin")).toContain("18 November 2026 at 10:06 CET")
    expect(shown("en-GB", undefined)).toContain("18 November 2026 at 09:06 UTC")
  })

  it.each(["", "Nowhere/At_all", "<b>", "Z".repeat(2000)])("are in UTC for a zone that is none: %s", (zone) => {
    expect(shown("en-GB", zone)).toContain("09:06 UTC")
  })

  it("are marked as moments, for a script that knows the reader's zone", () => {
    const times = tagsOf(pages.render(home, { ...sampleContext, locales: ["en-GB"] })).filter(({ name }) => name === "time")
    expect(times[0]?.attributes.get("datetime")).toMatch(/^2026-11-\d\dT[\d:.]+Z$/)
    expect(new Set(times.map(({ attributes }) => attributes.get("data-precision")))).toEqual(new Set(["day", "minute"]))
  })
})

describe("the language menu", () => {
  const links = (languageAddress: string | undefined, locale = "en") =>
    tagsOf(pages.render(signedOut, { ...sampleContext, languageAddress, locales: [locale] })).filter(
      ({ name, attributes }) => name === "a" && attributes.has("hreflang"),
    )

  it("links the same page in every language, each named in itself, the present one marked", () => {
    const found = links("/login?interaction=i&lang=", "pt-PT")
    expect(found.map(({ attributes }) => attributes.get("href"))).toEqual(
      ["de", "en", "es", "fr", "pt", "pt-PT", "ja"].map((tag) => `/login?interaction=i&lang=${tag}`),
    )
    expect(found.filter(({ attributes }) => attributes.has("aria-current")).map(({ attributes }) => attributes.get("lang"))).toEqual([
      "pt-PT",
    ])
    const text = textOf(pages.render(signedOut, { ...sampleContext, languageAddress: "/?lang=" }))
    for (const name of ["Deutsch", "Français", "Português (Brasil)", "Português (Portugal)", "日本語"]) expect(text).toContain(name)
  })

  it("is left out where a page cannot be shown again", () => {
    expect(links(undefined)).toEqual([])
  })
})
