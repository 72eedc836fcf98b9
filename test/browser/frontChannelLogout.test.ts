import { toNodeHandler } from "@postern/adapter-http/node"
import { liquidPages } from "@postern/adapter-http/pages"
import type { ServerResponse } from "node:http"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { browserOfProcess, browserThere } from "../pages/browser.ts"
import { request } from "../support/flows.ts"
import { listening } from "../support/ownPages.ts"
import { clients, password, world } from "../support/world.ts"

/** A relying party: its page, its frame, which clears its own cookie, and the place people come back to. */
const relyingParty = async () => {
  const asked: Array<{ readonly query: URLSearchParams; readonly cookie: string | undefined }> = []
  const party = { asked, hangs: false, held: [] as Array<ServerResponse> }
  const { url, stop } = await listening(async (origin) => (incoming, response) => {
    const { pathname, searchParams, port } = new URL(incoming.url ?? "/", origin)
    response.setHeader("content-type", "text/html")
    if (pathname === "/front") {
      asked.push({ query: searchParams, cookie: incoming.headers.cookie })
      if (party.hangs) return void party.held.push(response)
      response.setHeader("set-cookie", `rp-${port}=; Path=/; Max-Age=0`)
    }
    if (pathname === "/cb") response.setHeader("set-cookie", `rp-${port}=in; Path=/`)
    response.end(`<h1>${pathname}</h1>`)
  })
  return { party, url, stop }
}

describe.skipIf(!browserThere)("sign-out by frames in Chromium (OpenID Connect Front-Channel Logout)", { timeout: 60_000 }, () => {
  const stops: Array<() => Promise<unknown>> = []
  let browser: Browser
  let op: string
  let one: Awaited<ReturnType<typeof relyingParty>>
  let other: Awaited<ReturnType<typeof relyingParty>>

  beforeAll(async () => {
    ;[one, other] = [await relyingParty(), await relyingParty()]
    const pages = liquidPages()
    const web = clients.find(({ client_id }) => client_id === "web")
    const own = [one, other].map(({ url }, at) => ({
      ...web,
      client_id: `rp${at}`,
      application_type: "native" as const,
      redirect_uris: [`${url}/cb`],
      post_logout_redirect_uris: [`${url}/out`],
      frontchannel_logout_uri: `${url}/front`,
    }))
    const served = await listening(async (issuer) => {
      const w = await world({ issuer, clients: own, more: { pages, clock: Date.now } })
      return toNodeHandler(w.provider, { assets: pages.assets })
    })
    op = served.url
    stops.push(served.stop, one.stop, other.stop)
    browser = await browserOfProcess()
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    for (const stop of stops) await stop()
  })

  /** Signs alice in at both clients. */
  const signedInAtBoth = async (
    options: BrowserContextOptions = {},
  ): Promise<{ readonly tab: Page; readonly complaints: Array<string> }> => {
    for (const { party } of [one, other]) {
      party.asked.length = 0
      party.hangs = false
    }
    const tab = await (await browser.newContext(options)).newPage()
    const complaints: Array<string> = []
    tab.on("console", (message) => message.type() === "error" && !/ 40\d /.test(message.text()) && complaints.push(message.text()))
    for (const [at, { url }] of [one, other].entries()) {
      const asked = new URLSearchParams(request(`rp${at}`, { scope: "openid", redirect_uri: `${url}/cb` }))
      await tab.goto(`${op}/connect/authorize?${asked.toString()}`)
      if (at === 0) {
        await tab.fill("input[name=username]", "alice")
        await tab.fill("input[name=password]", password)
        await tab.click("#login-submit")
      }
      await tab.waitForURL(`${url}/cb?**`)
    }
    return { tab, complaints }
  }

  const leave = async (tab: Page): Promise<void> => {
    const query = new URLSearchParams({ client_id: "rp0", post_logout_redirect_uri: `${one.url}/out`, state: "s" })
    await tab.goto(`${op}/connect/endsession?${query.toString()}`)
    await tab.click("#logout-confirm", { noWaitAfter: true })
  }

  const cookiesLeft = async (tab: Page) => (await tab.context().cookies()).filter(({ name }) => name.startsWith("rp-"))

  test("§3: each client is shown once with iss and sid and ends its session, then the browser goes on; nothing is blocked", async () => {
    const { tab, complaints } = await signedInAtBoth()
    expect(await cookiesLeft(tab)).toHaveLength(2)
    await leave(tab)
    await tab.waitForURL(`${one.url}/out?state=s`)
    for (const { party } of [one, other]) {
      expect(party.asked.map(({ query }) => [...query.keys()])).toEqual([["iss", "sid"]])
      expect(party.asked[0]?.query.get("iss")).toBe(op)
    }
    expect(one.party.asked[0]?.cookie).toContain(`rp-${new URL(one.url).port}=in`)
    expect(await cookiesLeft(tab)).toEqual([])
    expect(complaints).toEqual([])
  })

  test("a client that hangs holds nobody up for more than a few seconds", async () => {
    const { tab } = await signedInAtBoth()
    other.party.hangs = true
    await leave(tab)
    await tab.waitForURL(`${one.url}/out?state=s`)
    expect(other.party.asked).toHaveLength(1)
    for (const response of other.party.held) response.end()
  })

  test("without scripts the page goes on by itself once the frames are loaded", async () => {
    const { tab } = await signedInAtBoth({ javaScriptEnabled: false })
    await leave(tab)
    await tab.waitForURL(`${one.url}/out?state=s`)
    expect([one.party.asked.length, other.party.asked.length]).toEqual([1, 1])
  })

  test("without scripts, and with a client that hangs, Continue goes on", async () => {
    const { tab } = await signedInAtBoth({ javaScriptEnabled: false })
    other.party.hangs = true
    await leave(tab)
    await tab.waitForSelector("#signing-out-continue")
    await tab.click("#signing-out-continue", { noWaitAfter: true })
    await tab.waitForURL(`${one.url}/out?state=s`)
    for (const response of other.party.held) response.end()
  })

  test("a sign-out at the provider itself shows that nobody is signed in, and the frames", async () => {
    const { tab } = await signedInAtBoth()
    await tab.goto(`${op}/logout`)
    await tab.click("#logout-confirm")
    await tab.waitForSelector("#logged-out")
    expect([one.party.asked.length, other.party.asked.length]).toEqual([1, 1])
    expect(await tab.locator("#signing-out-continue").count()).toBe(0)
    expect(await tab.locator("iframe:visible").count()).toBe(0)
  })
})
