import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { type TestProvider, startPostern } from "@postern/conformance/provider"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { browserOfProcess, browserThere } from "../pages/browser.ts"
import { freePort } from "../support/ports.ts"
import { full } from "../tiers/tier.ts"
import { violations } from "./axe.ts"

/** Set to a folder, it gets pictures of the page. */
const pictures = process.env["POSTERN_SCREENSHOTS"]

/** An address that asks for a sign-in, and ends at an address of the provider's own, where nothing is. */
const asking = (op: TestProvider): string => {
  const asked = new URLSearchParams({ client_id: "app", response_type: "code", scope: "openid email", code_challenge_method: "S256" })
  asked.set("redirect_uri", `${op.issuer}/none`)
  asked.set("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
  return `${op.issuer}/connect/authorize?${asked}`
}

const start = async (options: Parameters<typeof startPostern>[0] = {}): Promise<TestProvider> => {
  const port = await freePort()
  const redirect = { redirect_uris: [`http://127.0.0.1:${port}/none`] }
  const op = await startPostern({ port, clients: [redirect], anyUser: true, ...options })
  onTestFinished(op.stop)
  return op
}

describe.skipIf(!browserThere)("the sign-in page where anybody may sign in, in Chromium", { timeout: 60_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await browserOfProcess()
  })
  afterAll(async () => browser?.close())

  const opened = async (op: TestProvider, options: Parameters<Browser["newContext"]>[0] = {}): Promise<Page> => {
    const context = await browser.newContext(options)
    onTestFinished(() => context.close())
    const tab = await context.newPage()
    await tab.goto(asking(op))
    return tab
  }
  /** The claims of the person whose code the browser ended with. */
  const told = async (op: TestProvider, tab: Page): Promise<unknown> => {
    const code = new URL(tab.url()).searchParams.get("code") ?? ""
    const fields = {
      grant_type: "authorization_code",
      code,
      redirect_uri: `${op.issuer}/none`,
      code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
    }
    const headers = { authorization: `Basic ${btoa(`app:${op.clients[0]?.client_secret}`)}` }
    const answer = await fetch(`${op.issuer}/connect/token`, { method: "POST", headers, body: new URLSearchParams(fields) })
    const { access_token } = (await answer.json()) as { access_token: string }
    return (await fetch(`${op.issuer}/connect/userinfo`, { headers: { authorization: `Bearer ${access_token}` } })).json()
  }
  const submit = async (tab: Page): Promise<void> => {
    await tab.locator("#login-submit").click()
    await tab.waitForLoadState()
  }

  test("claims have a field of their own: what is typed there is what the client is told, without a password", async () => {
    const op = await start()
    const tab = await opened(op)
    await tab.getByLabel("Username").fill("ada")
    await tab.getByLabel("Claims (optional)").fill(' {"email": "ada@example.com", "note": "a & b = c + d"} ')
    await submit(tab)
    expect(await told(op, tab)).toEqual({ sub: "ada", email: "ada@example.com" })
    const other = await opened(op)
    await other.getByLabel("Username").fill("grace")
    await submit(other)
    expect(await told(op, other)).toEqual({ sub: "grace" })
  })

  test("claims that are no JSON object are shown again with the reason, at the field, and taken once they are right", async () => {
    const op = await start()
    const tab = await opened(op)
    for (const wrong of ['{"email": ', '["email"]', "email"]) {
      await tab.getByLabel("Username").fill("ada")
      await tab.locator("#claims").fill(wrong)
      await submit(tab)
      const field = tab.locator("#claims")
      expect([await field.inputValue(), await field.getAttribute("aria-invalid")]).toEqual([wrong, "true"])
      expect(await tab.getByRole("alert").innerText()).toBe("The claims are not a JSON object. Correct them and try again.")
      expect((await field.getAttribute("aria-describedby"))?.split(" ")).toEqual(["login-problem", "claims-hint"])
      expect([await tab.locator("#username").inputValue(), await tab.locator("#username").getAttribute("aria-invalid")]).toEqual([
        "ada",
        null,
      ])
      expect(await violations(tab)).toEqual([])
    }
    await tab.locator("#claims").fill('{"email": "ada@example.com"}')
    await submit(tab)
    expect(await told(op, tab)).toEqual({ sub: "ada", email: "ada@example.com" })
  })

  test("a person of the test's own keeps their claims and their password", async () => {
    const op = await start({ people: [{ username: "zoe", subject: "Zoe", password: "hers", claims: { email: "zoe@example.com" } }] })
    const tab = await opened(op)
    await tab.getByLabel("Username").fill("ZOE")
    await tab.locator("#claims").fill('{"email": "not@example.com"}')
    await submit(tab)
    expect(await tab.getByRole("alert").innerText()).toContain("This person's claims are set by the test.")
    await tab.locator("#claims").fill("")
    await submit(tab)
    expect(await tab.getByRole("alert").innerText()).toContain("The username or password is incorrect.")
    await tab.getByLabel("Password").fill("hers")
    await submit(tab)
    expect(await told(op, tab)).toEqual({ sub: "Zoe", email: "zoe@example.com" })
  })

  test.each([
    ["en", "Claims (optional)", 0],
    ["de", "Claims (optional)", 1],
    ["fr", "Claims (facultatif)", 0],
    ["es", "Claims (opcional)", 1],
    ["pt", "Claims (opcional)", 0],
    ["ja", "クレーム（任意）", 1],
  ] as const)("axe finds nothing wrong with it, wide and narrow, light and dark: %s", async (locale, label, at) => {
    const op = await start()
    const windows = [
      ["light", 1280],
      ["dark", 390],
    ] as const
    // Outside of the full tier the two windows share the languages.
    for (const [colorScheme, width] of windows.filter((_, each) => full || each === at)) {
      const tab = await opened(op, { locale, colorScheme, viewport: { width, height: 800 } })
      expect([await tab.locator("html").getAttribute("lang"), await tab.getByLabel(label).count()]).toEqual([locale, 1])
      expect(await violations(tab)).toEqual([])
      expect(await tab.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true)
      if (pictures === undefined) continue
      mkdirSync(pictures, { recursive: true })
      await tab.screenshot({ path: join(pictures, `anybody-${locale}-${colorScheme}-${width}.png`), fullPage: true })
    }
  })

  test("who is not let in by any name sees the usual page", async () => {
    const tab = await opened(await start({ anyUser: false }))
    expect([await tab.locator("#password").count(), await tab.locator("#claims").count()]).toEqual([1, 0])
  })
})
