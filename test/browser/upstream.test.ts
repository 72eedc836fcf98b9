import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { browserOfProcess, browserThere } from "../pages/browser.ts"
import { type Setting, ann, asking, start } from "../upstream/setting.ts"

describe.skipIf(!browserThere)("sign-in at another provider in Chromium", { timeout: 90_000 }, () => {
  let setting: Setting
  let browser: Browser

  beforeAll(async () => {
    setting = await start()
    browser = await browserOfProcess()
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await setting?.stop()
  })

  /** A browser without scripts, in which the client is a blank page; keeps what the browser complains about. */
  const newcomer = async (): Promise<{ readonly tab: Page; readonly complaints: ReadonlyArray<string> }> => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    context.setDefaultTimeout(20_000)
    const tab = await context.newPage()
    const complaints: Array<string> = []
    tab.on("console", (message) => message.type() === "error" && !/ 40\d /.test(message.text()) && complaints.push(message.text()))
    return { tab, complaints }
  }

  const signInThere = async (tab: Page): Promise<void> => {
    await tab.waitForURL(`${setting.theirs.url}/**`)
    await tab.fill("input[name=username]", ann.username)
    await tab.fill("input[name=password]", ann.password)
    await tab.click("#login-submit")
  }

  test("specification §1: the page offers it, the person signs in there and comes to the client", async () => {
    const { tab, complaints } = await newcomer()
    await tab.goto(asking(setting))
    expect(await tab.locator("[id^=login-idp-]").allInnerTexts()).toEqual([
      "Continue with The corp provider",
      "Continue with The strict provider",
      "Continue with The gone provider",
    ])
    await tab.click("#login-idp-corp")
    // A route answers no request that a redirect leads to: where nobody answers, what is asked of the client is all there is to see.
    const [asked] = await Promise.all([tab.waitForRequest("https://app.example/**"), signInThere(tab)])
    expect(new URL(asked.url()).searchParams.get("code")).not.toBe(null)
    expect(complaints).toEqual([])
  })

  test("OpenID Connect Core §3.1.2.6: who says no there is told on our page, and is not sent there again by going back", async () => {
    const { tab } = await newcomer()
    await tab.goto(asking(setting, { acr_values: "idp:strict", ui_locales: "de" }))
    await signInThere(tab)
    await tab.click("#consent-deny")
    await tab.waitForURL(`${setting.ours.url}/login?**`)
    expect(await tab.textContent("#login-problem")).toContain("Die Anmeldung mit The strict provider wurde abgebrochen.")
    await tab.goto(tab.url().replace(/problem=[^&]*&idp=[^&]*&/, ""))
    expect(new URL(tab.url()).origin).toBe(setting.ours.url)
    expect(await tab.locator("#login-problem").count()).toBe(0)
    expect(await tab.locator("#password").count()).toBe(1)
  })
})
