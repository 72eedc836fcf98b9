import { hash, randomBytes } from "node:crypto"
import { mkdirSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { browserOfProcess, browserThere } from "../pages/browser.ts"
import { type RunningServer, freePort, start } from "../support/server.ts"
import { sample } from "../tiers/tier.ts"
import { violations } from "./axe.ts"

/** Set to a folder, it gets a picture of every page this test comes by: `POSTERN_SCREENSHOTS=docs/screenshots`. */
const pictures = process.env["POSTERN_SCREENSHOTS"]

describe.skipIf(!browserThere)("the demo in Chromium, as npm start runs it", { timeout: 90_000 }, () => {
  let server: RunningServer
  let browser: Browser
  let playground: string

  beforeAll(async () => {
    const port = await freePort()
    server = await start(["demo", "--port", String(port)], `http://127.0.0.1:${port}`, mkdtempSync(join(tmpdir(), "postern-demo-")))
    const announced = (): string => /Open the playground[^]*?(http:\/\/127\.0\.0\.1:\d+\/)/.exec(server.output())?.[1] ?? ""
    // It listens a moment before it says where.
    playground = await vi.waitUntil(announced, { timeout: 30_000 })
    browser = await browserOfProcess()
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

  const newcomer = async (options: BrowserContextOptions = {}): Promise<BrowserContext> => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
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

  const signIn = async (tab: Page, password = "wonderland", username = "alice"): Promise<void> => {
    await tab.fill("input[name=username]", username)
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
    expect(await tab.textContent("#session-title")).toBe("Alice Adams")
    // The page begins at the place that the person left: nothing has jumped.
    expect(await tab.evaluate("scrollY")).toBe(0)
    await picture(tab, "playground")
    await tab.goto(server.url)
    await expect.poll(() => tab.title()).not.toBe("")
    await picture(tab, "home")
    await context.close()
  })

  const attacks = [
    ["replay-code", "code.unused", "RFC 6749 §4.1.2"],
    ["wrong-verifier", "code.pkce-proof", "RFC 7636 §4.6"],
    ["no-pkce", "authorize.challenge-required", "RFC 9700 §2.1.1"],
    ["foreign-redirect", "authorize.redirect-uri-registered", "RFC 9700 §2.1"],
    ["token-in-address", "authorize.response-type-allowed", "RFC 6749 §4.1.2.1"],
    ["widen-scope", "refresh.scope-narrows", "RFC 6749 §6"],
    ["reuse-refresh", "refresh.unrotated", "RFC 9700 §4.14.2"],
    ["forge-token", "userinfo.token-known", "RFC 6750 §3.1"],
  ] as const
  test.each(sample(attacks, 3))("the playground's attack %s is really sent, and refused by %s (%s)", async (attack, rule, cites) => {
    const context = await newcomer()
    const tab = await throughConsent(context)
    await tab.click(`#attack-${attack}`)
    const result = tab.locator(`[data-attack=${attack}] .result`)
    await result.waitFor()
    expect(await result.getAttribute("data-refused")).toBe("yes")
    const verdict = (await result.locator(".verdict").textContent()) ?? ""
    expect(verdict).toContain(rule)
    expect(verdict).toContain(cites)
    // The sign-in it was made from is none the worse.
    await tab.click("#userinfo")
    await expect.poll(() => tab.locator("#steps [data-step=userinfo][data-status=done]").count()).toBe(2)
    await context.close()
  })

  test("RFC 6749 §4.1.2: replaying a code in the playground takes away what its first use gave", async () => {
    const context = await newcomer()
    const tab = await throughConsent(context)
    await tab.click("#attack-replay-code")
    const calls = tab.locator("[data-attack=replay-code] .call")
    await expect.poll(() => calls.count()).toBe(3)
    expect(await calls.locator(".pill").allTextContents()).toEqual(["200", "400 invalid_grant", "401 invalid_token"])
    await context.close()
  })

  test("OpenID Connect Core §5.4: the ID token of the demo's web client carries a name, for clients that read nothing else", async () => {
    const context = await newcomer()
    const tab = await context.newPage()
    const verifier = randomBytes(32).toString("base64url")
    const redirectUri = `${playground}callback`
    const request = new URLSearchParams({
      client_id: "demo-web",
      redirect_uri: redirectUri,
      response_type: "code",
      scope: "openid profile",
      code_challenge: hash("sha256", verifier, "base64url"),
      code_challenge_method: "S256",
    })
    await tab.goto(`${server.url}/connect/authorize?${request}`)
    await signIn(tab)
    const [back] = await Promise.all([tab.waitForRequest((sent) => sent.url().startsWith(redirectUri)), tab.click("#consent-allow")])
    const answer = await fetch(`${server.url}/connect/token`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa("demo-web:demo-web-secret")}` },
      body: new URLSearchParams({
        grant_type: "authorization_code",
        code: new URL(back.url()).searchParams.get("code") ?? "",
        redirect_uri: redirectUri,
        code_verifier: verifier,
      }),
    })
    const { id_token: idToken } = (await answer.json()) as { readonly id_token: string }
    expect(JSON.parse(Buffer.from(idToken.split(".")[1] ?? "", "base64url").toString())).toMatchObject({ name: "Alice Adams" })
    await context.close()
  })

  test("RFC 8628 §3.3, §3.5: the television shows a code, waits, is told to slow down, and is signed in once it was confirmed", async () => {
    const context = await newcomer()
    const tab = await context.newPage()
    await tab.goto(playground)
    await tab.waitForSelector("html[data-ready]")
    await tab.click("#tv-start")
    await tab.waitForSelector("#tv-code")
    await tab.click("#tv-fast")
    await expect.poll(() => tab.textContent("#tv-controls")).toContain("device.unhurried")
    expect(await tab.textContent("#tv-poll")).toContain("every 10 s")
    const [other] = await Promise.all([context.waitForEvent("page"), tab.click("#tv-open")])
    await signIn(other)
    await other.waitForSelector("#device-allow")
    expect(await other.textContent("main")).toContain((await tab.textContent("#tv-code")) ?? "no code")
    await picture(other, "device")
    await other.click("#device-allow")
    await tab.bringToFront()
    await expect.poll(() => tab.textContent("#tv-screen"), { timeout: 40_000 }).toContain("Welcome, Alice Adams")
    await tab.click("#tv-replay")
    await expect.poll(() => tab.textContent("#tv-controls")).toContain("RFC 8628")
    await picture(tab, "playground-television")
    await context.close()
  })

  // Colors do not depend on the width, nor the layout on the colors: two windows show both schemes and both widths.
  const windows = [
    { colorScheme: "light", width: 390 },
    { colorScheme: "dark", width: 1280 },
  ] as const
  test.each(windows)(
    "axe finds nothing in the playground, before signing in and attacked: $colorScheme, $width px",
    async ({ colorScheme, width }) => {
      const context = await newcomer({ colorScheme, viewport: { width, height: 844 } })
      const complaints: Array<string> = []
      const tab = await context.newPage()
      tab.on("console", (message) => complaints.push(message.text()))
      await tab.goto(playground)
      await tab.waitForSelector("html[data-ready]")
      await tab.click("#tv-start")
      await tab.waitForSelector("#tv-code")
      expect(await violations(tab)).toEqual([])
      await tab.selectOption("#prompt", "consent")
      await tab.click("#sign-in")
      await signIn(tab)
      await tab.click("#consent-allow")
      await tab.waitForSelector("#session:not([hidden])")
      const size = (await tab.evaluate(
        "({ height: document.documentElement.scrollHeight, wide: document.documentElement.scrollWidth > innerWidth })",
      )) as { height: number; wide: boolean }
      expect(size.wide).toBe(false)
      if (width === 390) expect(size.height).toBeLessThan(3000)
      await picture(tab, `playground-${width}-${colorScheme}`)
      await tab.click("#attack-reuse-refresh")
      await tab.waitForSelector("[data-attack=reuse-refresh] .result")
      for (const summary of ["#steps [data-step=token] > details > summary", "[data-attack=reuse-refresh] .result > details > summary"])
        await tab.click(summary)
      expect(await violations(tab)).toEqual([])
      expect(complaints.filter((text) => /Content Security Policy|Refused to/.test(text))).toEqual([])
      await context.close()
    },
  )

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
    await signIn(tab, "builder", "bob")
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
