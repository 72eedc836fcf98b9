import { toNodeHandler } from "@postern/adapter-http/node"
import { liquidPages } from "@postern/adapter-http/pages"
import { defaultFeatures, sessionManagement } from "@postern/core"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { browserOfProcess, browserThere } from "../pages/browser.ts"
import { request } from "../support/flows.ts"
import { listening } from "../support/ownPages.ts"
import { clients, password, world } from "../support/world.ts"

/** A page that asks the provider's frame what it is told to, and notes each answer with its origin. */
const asking = (op: string): string => `<!doctype html><title>client</title>
<iframe id="op" src="${op}/connect/checksession"></iframe>
<script>
const ready = new Promise((loaded) => document.getElementById("op").addEventListener("load", loaded))
globalThis.ask = async (text) => {
  await ready
  return new Promise((answered) => {
    addEventListener("message", ({ data, origin }) => answered([data, origin]), { once: true })
    document.getElementById("op").contentWindow.postMessage(text, ${JSON.stringify(op)})
  })
}
</script>`

describe.skipIf(!browserThere)("session management in Chromium (OpenID Connect Session Management)", { timeout: 60_000 }, () => {
  const stops: Array<() => Promise<unknown>> = []
  let browser: Browser
  let op: string
  let rp: string

  beforeAll(async () => {
    const pages = liquidPages()
    const held: { op?: string } = {}
    const party = await listening(async () => (_, response) => {
      response.setHeader("content-type", "text/html")
      response.end(asking(held.op ?? ""))
    })
    rp = party.url
    const web = clients.find(({ client_id }) => client_id === "web")
    const served = await listening(async (issuer) => {
      held.op = issuer
      const own = [{ ...web, client_id: "rp", application_type: "native" as const, redirect_uris: [`${rp}/cb`] }]
      const w = await world({
        issuer,
        clients: own,
        more: { pages, clock: Date.now, features: [...defaultFeatures, sessionManagement()] },
      })
      return toNodeHandler(w.provider, { assets: pages.assets })
    })
    op = served.url
    stops.push(served.stop, party.stop)
    browser = await browserOfProcess()
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    for (const stop of stops) await stop()
  })

  const authorize = async (tab: Page, more: Record<string, string> = {}): Promise<void> => {
    const asked = new URLSearchParams(request("rp", { scope: "openid", redirect_uri: `${rp}/cb`, ...more }))
    await tab.goto(`${op}/connect/authorize?${asked.toString()}`)
  }
  const signedIn = async (): Promise<{ readonly tab: Page; readonly state: string }> => {
    const tab = await (await browser.newContext()).newPage()
    await authorize(tab)
    await tab.fill("input[name=username]", "alice")
    await tab.fill("input[name=password]", password)
    await tab.click("#login-submit")
    await tab.waitForURL(`${rp}/cb?**`)
    return { tab, state: stateIn(tab) }
  }
  const stateIn = (tab: Page): string => new URL(tab.url()).searchParams.get("session_state") ?? ""
  const told = (tab: Page, text: unknown) =>
    tab.evaluate((each) => (globalThis as unknown as { ask: (t: unknown) => unknown }).ask(each), text)

  test("§3.2: the frame says unchanged while the session lasts, and changed after its end", async () => {
    const { tab, state } = await signedIn()
    expect(state).toMatch(/^[\w-]{43}\.[\w-]{22}$/)
    expect(await told(tab, `rp ${state}`)).toEqual(["unchanged", op])
    const other = await tab.context().newPage()
    await other.goto(`${op}/logout`)
    await other.click("#logout-confirm")
    await other.waitForSelector("#logged-out")
    expect(await told(tab, `rp ${state}`)).toEqual(["changed", op])
    await authorize(tab, { prompt: "none" })
    expect(new URL(tab.url()).searchParams.get("error")).toBe("login_required")
    expect(await told(tab, `rp ${stateIn(tab)}`)).toEqual(["unchanged", op])
  })

  test("§3.2: another client's identifier, another salt and another person's sign-in are a change; what is malformed is an error", async () => {
    const { tab, state } = await signedIn()
    const [hash = "", salt = ""] = state.split(".")
    expect(await told(tab, `other ${state}`)).toEqual(["changed", op])
    expect(await told(tab, `rp ${hash}.${salt}x`)).toEqual(["changed", op])
    for (const wrong of ["", "rp", state, `rp ${hash}`, `rp ${hash}.`, ` ${state}`, "x".repeat(5000), 7, null, { a: 1 }])
      expect(await told(tab, wrong)).toEqual(["error", op])
    await authorize(tab, { prompt: "login" })
    await tab.fill("input[name=username]", "bob")
    await tab.fill("input[name=password]", password)
    await tab.click("#login-submit")
    await tab.waitForURL(`${rp}/cb?**`)
    expect(await told(tab, `rp ${state}`)).toEqual(["changed", op])
    expect(await told(tab, `rp ${stateIn(tab)}`)).toEqual(["unchanged", op])
  })

  test("the frame sets no cookie, loads nothing, and no other page of the provider may be framed", async () => {
    const answer = await fetch(`${op}/connect/checksession`)
    expect(answer.headers.get("x-frame-options")).toBeNull()
    expect(answer.headers.get("set-cookie")).toBeNull()
    expect(answer.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; script-src 'nonce-[\w-]{22}'; base-uri 'none'; form-action 'none'$/,
    )
    expect((await fetch(`${op}/login`)).headers.get("x-frame-options")).toBe("DENY")
  })
})
