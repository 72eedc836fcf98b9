import { mkdirSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { browserThere, openBrowser } from "../pages/browser.ts"
import { type RunningServer, freePort, start } from "../support/server.ts"

/** Set to a folder, it gets a picture of every page this test comes by: `POSTERN_SCREENSHOTS=docs/screenshots`. */
const pictures = process.env["POSTERN_SCREENSHOTS"]

describe.skipIf(!browserThere)("the demo in Chromium, as npm start runs it", { timeout: 90_000 }, () => {
  let server: RunningServer
  let browser: Browser
  let playground: string

  beforeAll(async () => {
    const port = await freePort()
    server = await start(["demo", "--port", String(port)], `http://127.0.0.1:${port}`, mkdtempSync(join(tmpdir(), "postern-demo-")))
    playground = /Open the playground[^]*?(http:\/\/127\.0\.0\.1:\d+\/)/.exec(server.output())?.[1] ?? ""
    browser = await openBrowser()
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await server?.stop()
    server?.remove()
  })

  const picture = async (tab: Page, name: string): Promise<void> => {
    if (pictures === undefined) return
    mkdirSync(pictures, { recursive: true })
    await tab.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
  }

  const newcomer = async (): Promise<BrowserContext> => {
    const context = await browser.newContext({ viewport: { width: 1120, height: 780 } })
    context.setDefaultTimeout(20_000)
    return context
  }

  const ask = async (context: BrowserContext, prompt = ""): Promise<Page> => {
    const tab = await context.newPage()
    await tab.goto(playground)
    // Until then the page still fills in its form.
    await tab.waitForSelector("html[data-ready]")
    await tab.selectOption("#prompt", prompt)
    await tab.click("#sign-in")
    return tab
  }

  const signIn = async (tab: Page, password = "wonderland"): Promise<void> => {
    await tab.fill("input[name=username]", "alice")
    await tab.fill("input[name=password]", password)
    await tab.click("#login-submit")
  }

  /** Signs alice in and allows everything; consent is asked for each time, for the provider remembers it. */
  const throughConsent = async (context: BrowserContext): Promise<Page> => {
    const tab = await ask(context, "consent")
    await signIn(tab)
    await tab.click("#consent-allow")
    await tab.waitForURL((url) => url.href.startsWith(playground))
    await tab.waitForSelector("#session:not([hidden])")
    return tab
  }

  test("OpenID Connect Core §3.1: sign in as alice, allow, and the tokens, userinfo and rule trail are shown", async () => {
    const context = await newcomer()
    const tab = await ask(context)
    await tab.waitForSelector("#login-submit")
    await picture(tab, "login")
    await signIn(tab)
    await tab.waitForSelector("#consent-allow")
    await picture(tab, "consent")
    await tab.click("#consent-allow")
    await tab.waitForSelector("#session:not([hidden])")
    await tab.click("#userinfo")
    await expect.poll(() => tab.textContent("#steps")).toContain("Alice")
    const steps = (await tab.textContent("#steps")) ?? ""
    for (const shown of ["id_token", "access_token", "code.pkce-proof"]) expect(steps).toContain(shown)
    await picture(tab, "playground")
    await tab.goto(server.url)
    await expect.poll(() => tab.title()).not.toBe("")
    await picture(tab, "home")
    await context.close()
  })

  test("OpenID Connect Core §3.1.2.3: a wrong password says so, keeps the username, and the right one goes on", async () => {
    const context = await newcomer()
    const tab = await ask(context, "consent")
    await signIn(tab, "wrong")
    await tab.waitForSelector("[role=alert]")
    expect(await tab.inputValue("input[name=username]")).toBe("alice")
    await picture(tab, "login-wrong-password")
    await signIn(tab)
    await tab.waitForSelector("#consent-allow")
    await context.close()
  })

  test("RFC 6749 §4.1.2.1: denied, the client learns access_denied", async () => {
    const context = await newcomer()
    const tab = await ask(context, "consent")
    await signIn(tab)
    await tab.click("#consent-deny")
    await tab.waitForURL((url) => url.href.startsWith(playground))
    await expect.poll(() => tab.textContent("#steps")).toContain("access_denied")
    await context.close()
  })

  test("OpenID Connect Core §3.1.2.1: prompt=none is login_required before, and silent after, signing in", async () => {
    const context = await newcomer()
    const before = await ask(context, "none")
    await before.waitForURL((url) => url.href.startsWith(playground))
    await expect.poll(() => before.textContent("#steps")).toContain("login_required")
    await throughConsent(context)
    const after = await ask(context, "none")
    await after.waitForSelector("#session:not([hidden])")
    await context.close()
  })

  test("RP-Initiated Logout §2, §3: signing out with an id_token_hint comes back with the state, and the session is over", async () => {
    const context = await newcomer()
    const tab = await throughConsent(context)
    await tab.click("#sign-out")
    await tab.waitForSelector("[data-step=signed-out]")
    expect(tab.url()).toBe(playground)
    expect(await tab.getAttribute("[data-step=signed-out]", "data-status")).toBe("done")
    expect(await tab.textContent("[data-step=signed-out]")).toContain("end-session.redirect-uri-registered")
    expect(await tab.isVisible("#session")).toBe(false)
    const after = await ask(context, "none")
    await expect.poll(() => after.textContent("#steps")).toContain("login_required")
    await context.close()
  })

  test("OpenID Connect Core §3.1.2.3: two tabs wait; signed in in one, the other goes on", async () => {
    const context = await newcomer()
    // The first page of a browser brings its cookie, which both tabs then share.
    const first = await ask(context, "consent")
    await first.waitForSelector("#login-submit")
    const second = await ask(context)
    await second.waitForSelector("#login-submit")
    await first.waitForTimeout(1100)
    await signIn(first)
    await first.click("#consent-allow")
    await first.waitForSelector("#session:not([hidden])")
    await second.reload()
    await second.waitForSelector("#session:not([hidden])")
    await context.close()
  })

  test("RFC 6749 §4.1.2: the back button after signing in ends in something sensible", async () => {
    const context = await newcomer()
    const tab = await throughConsent(context)
    for (let step = 0; step < 3; step++) {
      await tab.goBack({ waitUntil: "domcontentloaded" }).catch(() => null)
      const words = (await tab.textContent("body")) ?? ""
      expect(words.length).toBeGreaterThan(20)
      expect(words).not.toContain("Internal Server Error")
    }
    await context.close()
  })

  test("RFC 6749 §4.1.2: a double click on sign in still ends at the client", async () => {
    const context = await newcomer()
    const tab = await ask(context, "consent")
    await tab.fill("input[name=username]", "alice")
    await tab.fill("input[name=password]", "wonderland")
    await tab.dblclick("#login-submit")
    await tab.waitForSelector("#consent-allow")
    await tab.dblclick("#consent-allow")
    await tab.waitForSelector("#session:not([hidden])")
    await context.close()
  })

  test("behaviour, people: without JavaScript a person signs in, sees what they gave, withdraws it and signs out", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 844 }, colorScheme: "dark" })
    const tab = await context.newPage()
    await tab.goto(server.url)
    await picture(tab, "login-phone-dark")
    await signIn(tab)
    await tab.waitForURL(`${server.url}/`)
    await picture(tab, "home-phone-dark")
    await tab.goto(`${server.url}/logout`)
    await picture(tab, "logout")
    await tab.click("#logout-confirm")
    expect(await tab.locator("#logged-out").count()).toBe(1)
    await picture(tab, "signed-out")
    await tab.goto(`${server.url}/connect/authorize?client_id=nobody`)
    expect(await tab.locator("#op-error").count()).toBe(1)
    await picture(tab, "error")
    await context.close()
  })
})
