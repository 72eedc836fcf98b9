import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { PagesFault, liquidPages } from "@postern/adapter-http/pages"
import { afterEach, describe, expect, it } from "vitest"
import { contrast } from "../../packages/adapter-http/src/pages/color.ts"
import { sampleContext } from "../../packages/adapter-http/src/pages/samples.ts"
import { tagsOf, textOf } from "./html.ts"

const folders: Array<string> = []
const folderOf = (files: Readonly<Record<string, string>>): string => {
  const folder = mkdtempSync(join(tmpdir(), "postern-pages-"))
  folders.push(folder)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

const signedOut = { _tag: "SignedOut" } as const
const render = (files: Readonly<Record<string, string>>): string =>
  liquidPages({ templates: folderOf(files) }).render(signedOut, sampleContext)
const faultOf = (run: () => unknown): string => {
  try {
    run()
  } catch (fault) {
    expect(fault).toBeInstanceOf(PagesFault)
    return (fault as PagesFault).message
  }
  throw new Error("no fault was found")
}
const faultIn = (files: Readonly<Record<string, string>>): string => faultOf(() => liquidPages({ templates: folderOf(files) }))

describe("an operator's folder", () => {
  it("stands in for a page, and the rest stays as shipped", () => {
    const templates = folderOf({
      "signed-out.liquid": `{% layout "layout" %}{% block title %}Bye{% endblock %}{% block content %}<p id="logged-out">Gone from {{ site.name }}</p>{% endblock %}`,
    })
    const pages = liquidPages({ templates, name: "Acme & Sons" })
    expect(pages.render(signedOut, sampleContext)).toContain(`<p id="logged-out">Gone from Acme &amp; Sons</p>`)
    expect(pages.render({ _tag: "Error", trouble: "failed", error: undefined, retryAfter: undefined }, sampleContext)).toContain(
      `id="op-error"`,
    )
  })

  it("stands in for a part and for the layout", () => {
    expect(render({ "site.liquid": "<b>{{ site.name }} it is</b>" })).toContain("<b>op.example it is</b>")
    expect(render({ "layout.liquid": "<!doctype html><i>{% block content %}{% endblock %}</i>" })).toMatch(
      /^<!doctype html><i>\s*<div id="logged-out">/,
    )
  })

  it("brings a stylesheet and images, served under a name of their content", () => {
    const pages = liquidPages({
      templates: folderOf({
        "postern.css": "body { color: red }",
        "hero.svg": "<svg/>",
        "site.liquid": `<img alt="" src="{{ "hero.svg" | asset }}">`,
      }),
    })
    const sheet = pages.assets.find(({ name }) => name.startsWith("postern."))
    expect(Buffer.from(sheet?.body ?? []).toString()).toBe("body { color: red }")
    const hero = pages.assets.find(({ name }) => name.startsWith("hero."))
    expect(pages.render(signedOut, { ...sampleContext, basePath: "/op" })).toContain(`src="/op/assets/${hero?.name}"`)
    expect(hero?.contentType).toBe("image/svg+xml")
  })

  it("changes single sentences, and brings whole languages", () => {
    expect(textOf(render({ "locales/en.json": `{ "signed_out.title": "See you" }` }))).toContain("See you")
    expect(faultIn({ "locales/nl.json": `{ "signed_out.title": "Tot ziens" }` })).toMatch(
      /locales\/nl\.json: \d+ sentences are missing: signed_in_as, /,
    )
  })

  it("cannot reach out of itself", () => {
    const outside = folderOf({ "secret.liquid": "SECRET" })
    expect(faultIn({ "site.liquid": `{% render "../${outside.split("/").at(-1)}/secret" %}` })).not.toContain("SECRET")
  })
})

describe("a fault in an operator's folder is told at the start, with its file and line", () => {
  it.each([
    ["a tag that is not closed", { "login.liquid": "<p>\n{% if client %}" }, /\/login\.liquid:2:1: .*not closed/],
    ["a tag that there is not", { "extra.liquid": "<p>\n\n{% frobnicate %}" }, /\/extra\.liquid:3:1: .*frobnicate/],
    ["a filter that there is not", { "site.liquid": "<p>\n  {{ site.name | shout }}" }, /\/site\.liquid:2:\d+: .*shout/],
    ["a name that there is not", { "consent.liquid": "{{ client.name }}\n{{ client.nmae }}" }, /\/consent\.liquid:2:\d+: .*nmae/],
    ["a part that there is not", { "home.liquid": `{% render "sidebar" %}` }, /\/home\.liquid:1:\d+: .*sidebar/],
    ["an asset that there is not", { "site.liquid": `{{ "hero.png" | asset }}` }, /\/site\.liquid:1:\d+: .*hero\.png/],
    ["a sentence that there is not", { "site.liquid": `{{ "login.titel" | t }}` }, /\/site\.liquid:1:\d+: .*login\.titel/],
    ["a catalog that is not JSON", { "locales/en.json": "{" }, /\/locales\/en\.json: /],
    [
      "a value that a sentence is not given",
      { "locales/en.json": `{ "login.title": "Hi {person}" }` },
      /\/locales\/en\.json: "login\.title" puts in/,
    ],
    [
      "a sentence that no page has",
      { "locales/en.json": `{ "login.ttle": "Hi" }` },
      /\/locales\/en\.json: there is no sentence "login\.ttle"/,
    ],
    ["a catalog of no language", { "locales/not a tag.json": "{}" }, /not a language tag/],
  ] as ReadonlyArray<readonly [string, Record<string, string>, RegExp]>)("%s", (_, files, message) => {
    expect(faultIn(files)).toMatch(message)
  })

  it("a folder, logo, color or language that there is not", () => {
    expect(faultOf(() => liquidPages({ templates: "/nowhere/at/all" }))).toBe("/nowhere/at/all: there is no such folder")
    expect(faultOf(() => liquidPages({ logo: "/nowhere/logo.png" }))).toMatch(/^\/nowhere\/logo\.png: /)
    expect(faultOf(() => liquidPages({ logo: "http://acme.example/logo.png" }))).toMatch(/not an https address/)
    expect(faultOf(() => liquidPages({ colors: { accent: "red;}" } }))).toBe(`colors.accent: "red;}" is not a color such as "#17604f"`)
    expect(faultOf(() => liquidPages({ colors: { background: "#777" } }))).toMatch(/choose a lighter one/)
    expect(faultOf(() => liquidPages({ locale: "xx" }))).toMatch(/there are de, en, es, fr, ja, pt-PT, pt/)
  })

  it("what shows only later costs nobody a page: the shipped one is shown and the fault told", () => {
    const faults: Array<string> = []
    const templates = folderOf({ "error.liquid": `{% if trouble.name == "failed" and request_id == "r" %}{{ nothing }}{% endif %}fine` })
    const pages = liquidPages({ templates, onFault: (fault) => faults.push(fault.message) })
    const page = { _tag: "Error", trouble: "failed", error: undefined, retryAfter: undefined } as const
    expect(pages.render(page, sampleContext)).toBe("fine")
    expect(pages.render(page, { ...sampleContext, requestId: "r" })).toContain(`id="op-error"`)
    expect(faults).toEqual([expect.stringMatching(/error\.liquid:1:\d+: .*nothing/)])
  })
})

describe("name, logo and colors", () => {
  it("a logo file becomes an asset, an address stays one", () => {
    const folder = folderOf({ "acme logo.svg": "<svg/>" })
    const pages = liquidPages({ logo: join(folder, "acme logo.svg"), name: "Acme" })
    const image = tagsOf(pages.render(signedOut, sampleContext)).find(({ name }) => name === "img")
    expect(image?.attributes.get("src")).toMatch(/^\/assets\/acme%20logo\.[\w-]{16}\.svg$/)
    expect(image?.attributes.get("alt")).toBe("Acme")
    const address = liquidPages({ logo: "https://acme.example/logo.svg" }).render(signedOut, sampleContext)
    expect(address).toContain(`src="https://acme.example/logo.svg"`)
  })

  it.each(["#ffe000", "#000000", "#ffffff", "#635bff", "#d33", "#7f7f7f"])(
    "an accent of %s is adjusted until it can be read in both schemes (WCAG 2.2 §1.4.3)",
    (accent) => {
      const sheet = Buffer.from(liquidPages({ colors: { accent } }).assets.find(({ name }) => name.endsWith(".css"))?.body ?? []).toString()
      const found = [...sheet.matchAll(/--accent: (#\w{6}); --accent-hover: (#\w{6}); --on-accent: (#\w{6})/g)]
      expect(found).toHaveLength(2)
      for (const [at, [, text = "", hover = "", on = ""]] of found.entries()) {
        expect(contrast(text, at === 0 ? "#ffffff" : "#1b1b19")).toBeGreaterThanOrEqual(4.5)
        expect(contrast(on, text)).toBeGreaterThanOrEqual(4.5)
        expect(contrast(on, hover)).toBeGreaterThanOrEqual(4.5)
      }
    },
  )
})
