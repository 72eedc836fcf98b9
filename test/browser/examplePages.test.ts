import { type Page, type PagesPort, createProvider } from "@postern/core"
import { pageHeaders, readPage } from "@postern/core/wire"
import type { Browser, Page as Tab } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { pages as jsx } from "../../examples/jsx/pages.tsx"
import { pages as liquid } from "../../examples/liquid/pages.ts"
import { pages as templates } from "../../examples/templates/pages.ts"
import { sampleContext, samples } from "../../packages/adapter-http/src/pages/samples.ts"
import { browserOfProcess, browserThere } from "../pages/browser.ts"
import { world } from "../support/world.ts"
import { violations } from "./axe.ts"

const nonce = "r4nd0mNonceOfThisPage0"
const issuer = "https://op.example"

/** Loads a document as the provider would send it; answers with what the browser refused, and the forms that were posted. */
const load = async (tab: Tab, body: string, headers: ReadonlyArray<readonly [string, string]>) => {
  const refused: Array<string> = []
  const posted: Array<string> = []
  tab.on("console", (told) => told.type() === "error" && refused.push(told.text()))
  await tab.route("**/*", (route) => {
    const request = route.request()
    if (request.method() === "POST") posted.push(`${request.url()} ${request.postData()}`)
    if (request.method() !== "GET" || request.resourceType() !== "document") return route.fulfill({ status: 204 })
    return route.fulfill({ headers: Object.fromEntries(headers), body })
  })
  // A page that posts itself is never loaded.
  await tab.goto(`${issuer}/page`, { waitUntil: "commit" })
  await tab.locator("h1").waitFor()
  return { refused, posted }
}

const drawn = async (pages: PagesPort, page: Page): Promise<string> =>
  (await readPage((await pages.render(page, { ...sampleContext, nonce })) as unknown, () => undefined)).text

const named = (name: string): Page => {
  const found = samples.find((each) => each.name === name)
  if (found === undefined) throw new Error(`there is no sample ${name}`)
  return found.page
}

describe.skipIf(!browserThere)("pages of an embedder's own in Chromium", { timeout: 60_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await browserOfProcess()
  }, 60_000)
  afterAll(() => browser.close())

  describe.each([
    ["templates", templates],
    ["jsx", jsx],
    ["liquid", liquid],
  ])("examples/%s", (example, pages) => {
    test.each(["login-providers", "consent", "home"])(
      "CSP Level 3 §6.1: %s has its styles, nothing is refused, and axe finds nothing",
      async (name) => {
        const tab = await browser.newPage({ viewport: { width: 700, height: 800 } })
        const { refused } = await load(tab, await drawn(pages, named(name)), pageHeaders(nonce))
        expect(refused).toEqual([])
        expect(await tab.evaluate("getComputedStyle(document.body).maxWidth")).not.toBe("none")
        expect(await violations(tab)).toEqual([])
        const screens = process.env["POSTERN_SCREENS"]
        if (screens !== undefined) await tab.screenshot({ path: `${screens}/${example}-${name}.png` })
        await tab.close()
      },
    )

    test("CSP Level 3 §6.1.10: the script that carries the nonce posts the response by itself; with another nonce it does not run", async () => {
      const tab = await browser.newPage()
      const page = named("form-post")
      const { refused, posted } = await load(tab, await drawn(pages, page), pageHeaders(nonce))
      await expect.poll(() => posted).toHaveLength(1)
      expect(refused).toEqual([])
      await tab.close()
      const other = await browser.newPage()
      const without = await load(other, await drawn(pages, page), pageHeaders("another"))
      await expect.poll(() => without.refused.join()).toContain("Content Security Policy")
      expect(without.posted).toEqual([])
      await other.close()
    })
  })

  test("the plain page in place of one that failed is shown under the policy, with the request id", async () => {
    const tab = await browser.newPage()
    const w = await world()
    const provider = createProvider({
      issuer,
      clients: { find: () => undefined, verifySecret: () => false, secretOf: () => undefined },
      tokens: w.tokens,
      signer: w.signer,
      authenticator: {
        find: () => undefined,
        verify: () => ({ _tag: "Rejected", reason: "" }),
        admit: () => ({ _tag: "Rejected", reason: "" }),
      },
      pages: { render: () => Promise.reject(new Error("broken")) },
      report: () => undefined,
    })
    const answer = await provider.fetch(new Request(`${issuer}/login`))
    const { refused } = await load(tab, await answer.text(), [...answer.headers])
    expect(await tab.locator("h1").textContent()).toBe("This page cannot be shown")
    expect(await tab.locator("#request-id").textContent()).toBe(answer.headers.get("x-request-id"))
    expect(refused).toEqual([])
    await tab.close()
  })
})
