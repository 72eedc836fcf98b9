import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { toNodeHandler } from "@postern/adapter-http/node"
import { type PageDesign, liquidPages, pageDesign } from "@postern/adapter-http/pages"
import { defaultFeatures, rowKindsOf } from "@postern/core"
import { defineFeature, pageKind } from "@postern/core/features"
import { memoryTokenStore } from "@postern/core/memory"
import { pagePolicy } from "@postern/core/wire"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { type Terms, terms, termsDesign, termsPage } from "../../examples/page.ts"
import { sampleContext } from "../../packages/adapter-http/src/pages/samples.ts"
import { violations } from "../browser/axe.ts"
import { Surfer } from "../support/surfer.ts"
import { type World, password, world } from "../support/world.ts"
import { runs } from "../tiers/tier.ts"
import { browserOfProcess, browserThere } from "./browser.ts"
import { shapeOf } from "./html.ts"

const pages = liquidPages({ pages: [termsDesign] })
const features = [...defaultFeatures, terms("Close the windows <when> you leave.")]

const served = async () => {
  const held: { w?: World } = {}
  const server = createServer((request, response) => {
    if (held.w === undefined) return void response.destroy()
    toNodeHandler(held.w.provider, { assets: pages.assets })(request, response)
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const w = await world({ issuer: url, tokens: memoryTokenStore(rowKindsOf({ features })), more: { features, pages } })
  held.w = w
  return { w, url, stop: () => new Promise((closed) => (server.closeAllConnections(), server.close(closed))) }
}

describe("a page that a feature declares, over HTTP", () => {
  let at: Awaited<ReturnType<typeof served>>
  beforeAll(async () => {
    at = await served()
  })
  afterAll(() => at.stop())

  const signedIn = async (): Promise<Surfer> => {
    const surfer = new Surfer()
    const login = await surfer.follow(`${at.url}/login`)
    await surfer.submit(await login.response.text(), login.url, { username: "alice", password })
    return surfer
  }

  it("OpenID Connect Core §3.1.2.3: sends a person who is not signed in to the sign-in page", async () => {
    const { response } = await new Surfer().follow(`${at.url}/terms`)
    expect(await response.text()).toContain('name="password"')
  })

  it("architecture 10: is shown in the frame of every page, works without JavaScript, and has the strict policy (CSP Level 3 §6.7)", async () => {
    const surfer = await signedIn()
    const { response } = await surfer.follow(`${at.url}/terms`)
    const html = await response.text()
    expect(response.status).toBe(200)
    const nonce = /script-src 'nonce-([\w-]{22})'/.exec(response.headers.get("content-security-policy") ?? "")?.[1]
    expect(response.headers.get("content-security-policy")).toBe(pagePolicy(nonce ?? ""))
    expect(html).toContain("Close the windows &lt;when&gt; you leave.")
    expect(html).toContain('<body class="page-terms">')
    expect(html).toContain("Signed in as")
    const done = await surfer.submit(html, `${at.url}/terms`, { decision: "accept" })
    expect(await done.response.text()).toContain('<p id="terms-accepted">You have accepted these terms.</p>')
  })

  it("RFC 6749 §10.12: its form is refused without the token of this browser and session, by a named rule", async () => {
    const surfer = await signedIn()
    const post = (fields: Record<string, string>) => surfer.go(`${at.url}/terms`, { method: "POST", body: new URLSearchParams(fields) })
    expect((await post({ decision: "accept" })).status).toBe(400)
    expect(at.w.trails.at(-1)?.steps.at(-1)).toMatchObject({ refused: { rule: "terms.csrf", cites: "RFC 6749 §10.12" } })
  })

  it.each([
    ["en", "Accept</button>"],
    ["de", "Annehmen</button>"],
    ["fr", "Accepter</button>"],
    ["es", "Aceptar</button>"],
    ["pt", "Aceitar</button>"],
    ["ja", "同意する</button>"],
  ])("OpenID Connect Core §3.1.2.1: speaks %s, and its menu offers the languages that it has, and no other", (tag, words) => {
    const sample = termsDesign.samples[0]
    if (sample === undefined) throw new Error("there is a sample")
    const html = pages.render(sample, { ...sampleContext, locales: [tag] })
    expect(html).toContain(`<html lang="${tag}"`)
    expect(html).toContain(words)
    const offered = new Set([...html.matchAll(/href="[^"]*lang=([\w-]+)"/g)].map(([, each]) => each))
    expect(offered).toEqual(new Set(["de", "en", "es", "fr", "ja", "pt"]))
  })

  it("behaviour: no text from outside changes the elements of the page", () => {
    const model = (text: string): Terms => ({
      form: { action: `/terms?${text}`, hidden: [[text, text]] },
      person: { subject: text, username: `u${text}`, name: `n${text}` },
      text,
      accepted: false,
    })
    const plain = shapeOf(pages.render(termsPage.page(model("x")), sampleContext))
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.constantFrom("", "<script>", '"><img src=x onerror=1>', "{{ site }}", "' onload='1"),
        (a, b) => {
          expect(shapeOf(pages.render(termsPage.page(model(a + b)), sampleContext))).toEqual(plain)
        },
      ),
      { numRuns: runs(300) },
    )
  })

  it.skipIf(!browserThere)("WCAG 2.2: axe finds nothing, in Chromium, where it is accepted by a click", { timeout: 60_000 }, async () => {
    const browser = await browserOfProcess()
    onTestFinished(() => browser.close())
    const tab = await browser.newPage({ javaScriptEnabled: true })
    await tab.goto(`${at.url}/login`)
    await tab.fill("[name=username]", "bob")
    await tab.fill("[name=password]", password)
    await tab.click("#login-submit")
    await tab.goto(`${at.url}/terms`)
    expect(await violations(tab)).toEqual([])
    await tab.click("#terms-accept")
    await tab.waitForSelector("#terms-accepted")
  })
})

describe("the pages of features", () => {
  const note = pageKind<{ readonly text: string }>("note")
  const design = (more: Partial<Parameters<typeof pageDesign<{ readonly text: string }>>[1]> = {}): PageDesign =>
    pageDesign(note, { template: "<p>{{ text }}</p>", words: { en: {} }, samples: [{ text: "x" }], ...more })
  const feature = defineFeature({ name: "note", pages: [note] })

  it("architecture 10: a page of one language is shown in it, whatever the reader asks for", () => {
    const own = liquidPages({ pages: [design({ template: `<p lang="{{ lang }}">{{ text }}</p>` })] })
    expect(own.render(note.page({ text: "a < b" }), { ...sampleContext, locales: ["de"] })).toBe('<p lang="en">a &lt; b</p>')
  })

  it("architecture 10: an operator's folder stands in for the template, and brings another language", () => {
    const templates = mkdtempSync(join(tmpdir(), "postern-pages-"))
    onTestFinished(() => rmSync(templates, { recursive: true }))
    mkdirSync(join(templates, "locales"))
    writeFileSync(join(templates, "note.liquid"), `<b>{{ "note.hello" | t }} {{ text }}</b>`)
    writeFileSync(join(templates, "locales", "de.json"), `{ "note.hello": "Hallo" }`)
    const own = liquidPages({ templates, pages: [design({ words: { en: { "note.hello": "Hello" } } })] })
    const shown = (tag: string) => own.render(note.page({ text: "you" }), { ...sampleContext, locales: [tag] })
    expect([shown("en"), shown("de"), shown("fr")]).toEqual(["<b>Hello you</b>", "<b>Hallo you</b>", "<b>Hello you</b>"])
  })

  it.each([
    [[pageDesign(pageKind("login"), { template: "", words: { en: {} }, samples: [{}] })], "there is a page named login already"],
    [[design(), design()], "there is a page named note already"],
    [[design({ words: { en: { "login.title": "Hi" } } })], 'the sentence "login.title" of the page note does not begin with "note."'],
    [[design({ words: { en: { "note.a": "A" }, de: {} } })], 'the page note has no sentence "note.a" in "de"'],
    [[design({ words: {} })], "the page note has no language"],
    [[design({ words: { nl: {} } })], 'there is no language "nl"; bring it as locales/nl.json'],
    [[design({ samples: [] })], "the page note has no sample"],
    [[design({ template: "{{ other }}" })], "undefined variable: other"],
    [[design({ template: "{% if %}" })], "note.liquid"],
  ])("behaviour: a faulty design makes no pages (%#)", (designs, fault) => {
    expect(() => liquidPages({ pages: designs as ReadonlyArray<PageDesign> })).toThrow(fault)
  })

  it.each([
    [[feature], liquidPages(), "pages: cannot draw the page note of the feature note: give the port its design"],
    [[{ name: "other", pages: [note] }], liquidPages({ pages: [design()] }), "the page note of other is not named other or other-…"],
    [[feature, { name: "note-too", pages: [{ name: "note" }] }], liquidPages({ pages: [design()] }), "there is a page named note already"],
  ])("behaviour: a page that cannot be told or drawn makes no provider (%#)", async (more, port, fault) => {
    await expect(world({ more: { features: [...defaultFeatures, ...more], pages: port } })).rejects.toThrow(fault)
  })

  it("behaviour: a pages port that does not say what it draws is given every page", async () => {
    await expect(world({ more: { features: [...defaultFeatures, feature] } })).resolves.toBeDefined()
  })
})
