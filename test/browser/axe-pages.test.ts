import { liquidPages } from "@postern/adapter-http/pages"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { sampleContext, samples } from "../../packages/adapter-http/src/pages/samples.ts"
import { browserOfProcess, browserThere, show } from "../pages/browser.ts"
import { full } from "../tiers/tier.ts"
import { violations } from "./axe.ts"

const pages = liquidPages({ colors: { accent: "#b8860b" } })
const plain = liquidPages()

describe.skipIf(!browserThere)("pages in Chromium", { timeout: 120_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await browserOfProcess()
  }, 60_000)
  afterAll(async () => {
    await browser.close()
  })

  // Colors do not depend on the width, nor the layout on the colors: two windows show each page in both schemes and both widths.
  const cases = [
    { colorScheme: "light", width: 320, at: 0 },
    { colorScheme: "dark", width: 1120, at: 1 },
  ] as const

  it.each(cases)("axe finds nothing on any page: $colorScheme, $width px", async ({ colorScheme, width, at }) => {
    const tab = await browser.newPage({ viewport: { width, height: 700 }, colorScheme })
    // Outside of the full tier the two windows share the pages: each is looked at in one of them.
    for (const { name, page } of samples.filter((_, each) => full || each % 2 === at % 2)) {
      // The troubles differ in their words alone.
      if (page._tag === "FormPost" || (page._tag === "Error" && page.error === undefined && page.trouble !== "redirect_uri_invalid"))
        continue
      await show(tab, plain, page, sampleContext)
      await tab.locator("#languages summary").click()
      expect(await violations(tab), name).toEqual([])
      expect(
        await tab.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"),
        `${name} is wider than the window`,
      ).toBe(true)
    }
    await tab.close()
  })

  it("axe finds nothing on a page that posts itself, before it does", async () => {
    const tab = await browser.newPage({ javaScriptEnabled: true })
    const sample = samples.find(({ page }) => page._tag === "FormPost")
    if (sample === undefined) throw new Error("there is no such sample")
    // Another nonce than the policy's: the browser refuses the script, as one without JavaScript would.
    await show(
      tab,
      { ...plain, render: (page, context) => plain.render(page, { ...context, nonce: "another" }) },
      sample.page,
      sampleContext,
    )
    expect(await violations(tab)).toEqual([])
    expect(await tab.locator("#form-post-submit").isVisible()).toBe(true)
    await tab.close()
  })

  it("axe finds nothing in another language, nor with an accent of the operator's", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      const tab = await browser.newPage({ colorScheme })
      for (const { name, page } of samples.filter((sample) =>
        ["login-wrong", "consent", "home", "error", "logout"].includes(sample.name),
      )) {
        await show(tab, pages, page, { ...sampleContext, locales: ["ja"] })
        expect(await violations(tab), name).toEqual([])
      }
      await tab.close()
    }
  })

  it("form_post submits itself where it may (OAuth 2.0 Form Post Response Mode §2)", async () => {
    const tab = await browser.newPage()
    const posted = tab.waitForRequest((request) => request.method() === "POST")
    // The page never finishes loading: its script takes the browser away.
    show(
      tab,
      plain,
      { _tag: "FormPost", action: "https://app.example/cb", fields: [["code", `a"<b>&`]], clientName: "App" },
      sampleContext,
    ).catch(() => undefined)
    const request = await posted
    expect(request.url()).toBe("https://app.example/cb")
    expect(new URLSearchParams(request.postData() ?? "").get("code")).toBe(`a"<b>&`)
    await tab.close()
  })

  it("sign in, consent and home are worked by keyboard alone, in the order they are read", async () => {
    const tab = await browser.newPage()
    const order = async (count: number): Promise<ReadonlyArray<unknown>> => {
      const seen: Array<unknown> = []
      for (let at = 0; at < count; at++) {
        seen.push(await tab.evaluate("document.activeElement.id || document.activeElement.name || document.activeElement.value"))
        await tab.keyboard.press("Tab")
      }
      return seen
    }
    const named = (name: string) => samples.find((sample) => sample.name === name)?.page ?? { _tag: "SignedOut" as const }
    await show(tab, plain, named("login"), sampleContext)
    expect(await order(6)).toEqual(["username", "password", "password-reveal", "login-submit", "client-policy", "client-tos"])
    await show(tab, plain, named("consent"), sampleContext)
    await tab.keyboard.press("Tab")
    expect(await order(9)).toEqual([
      "another-account",
      "scope-2",
      "scope-3",
      "scope-4",
      "scope-5",
      "scope-6",
      "scope-7",
      "consent-deny",
      "consent-allow",
    ])
    await tab.close()
  })

  it("a password is shown on request, told to who cannot see it, and hidden again before it is sent", async () => {
    const tab = await browser.newPage()
    const login = samples.find(({ name }) => name === "login")
    if (login === undefined) throw new Error("there is no such sample")
    await show(tab, plain, login.page, sampleContext)
    await tab.fill("#username", "alice")
    await tab.fill("#password", "wonderland")
    const reveal = tab.getByRole("button", { name: "Show password" })
    await reveal.focus()
    await tab.keyboard.press("Enter")
    expect(await tab.getAttribute("#password", "type")).toBe("text")
    expect(await tab.getByRole("button", { name: "Hide password" }).isVisible()).toBe(true)
    expect(await violations(tab)).toEqual([])
    // The answer is empty, so that the page stays.
    await Promise.all([tab.waitForRequest((request) => request.method() === "POST"), tab.click("#login-submit")])
    expect(await tab.getAttribute("#password", "type")).toBe("password")
    await tab.close()
  })

  it("without JavaScript there is no button that would show the password, and times name their zone", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const tab = await context.newPage()
    for (const name of ["login", "home"]) {
      const sample = samples.find((each) => each.name === name)
      if (sample === undefined) throw new Error(`there is no sample ${name}`)
      await show(tab, plain, sample.page, { ...sampleContext, locales: ["en-GB"] })
      if (name === "login") expect(await tab.isVisible("#password-reveal")).toBe(false)
      else expect(await tab.textContent("main")).toContain("18 November 2026 at 09:06 GMT")
    }
    await context.close()
  })

  it("times are in the zone of the reader's browser, as their region writes them", async () => {
    const context = await browser.newContext({ timezoneId: "America/New_York" })
    const tab = await context.newPage()
    const home = samples.find(({ name }) => name === "home")
    if (home === undefined) throw new Error("there is no such sample")
    await show(tab, plain, home.page, { ...sampleContext, locales: ["en-GB"] })
    expect(await tab.textContent("main")).toContain("18 November 2026 at 04:06")
    await context.close()
  })

  it("a page under its own policy breaks none of it", async () => {
    const tab = await browser.newPage()
    const complaints: Array<string> = []
    tab.on("console", (message) => complaints.push(message.text()))
    for (const { page } of samples.filter((sample) => sample.page._tag !== "FormPost")) await show(tab, plain, page, sampleContext)
    expect(complaints).toEqual([])
    await tab.close()
  })
})
