import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import express from "express"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { browserOfProcess, browserThere } from "../pages/browser.ts"
import { type RunningServer, serve } from "../support/server.ts"
import { alice, users } from "./people.ts"
import { recipe } from "./recipes/recipe.ts"
import { type Site, openSite } from "./site.ts"

/** A page without a server behind it: one script, and the same document at every path. */
const application = async (settings: object) => {
  const entry = fileURLToPath(new URL("spa/main.ts", import.meta.url))
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, format: "esm", write: false, logLevel: "error" })
  const app = express()
  app.get("/main.js", (_request, response) => void response.type("text/javascript").send(outputFiles[0]?.text))
  app.get("/settings.json", (_request, response) => void response.json(settings))
  app.get("/favicon.ico", (_request, response) => void response.status(204).end())
  app.use((_request, response) => {
    response
      .type("html")
      .send('<!doctype html><html lang="en"><title>SPA</title><body><script type="module" src="/main.js"></script></body></html>')
  })
  return app
}

/** The same application on another site than the provider: a port makes no site, a host does. */
const elsewhere = ({ url }: Site): string => url.replace("127.0.0.1", "localhost")

describe.skipIf(!browserThere)("oidc-client-ts in Chromium against the running server", { timeout: 60_000 }, () => {
  let server: RunningServer
  let site: Site
  let browser: Browser

  beforeAll(async () => {
    site = await openSite()
    server = await serve({
      users,
      clients: [
        {
          ...recipe("oidc-client-ts", site.url, "").clients[0],
          redirect_uris: [site.url, elsewhere(site)].flatMap((origin) =>
            ["callback", "silent", "popup"].map((path) => `${origin}/${path}`),
          ),
          post_logout_redirect_uris: [`${site.url}/signed-out`],
          access_token_format: "reference",
        },
      ],
    })
    site.answerWith(await application({ authority: server.url, client_id: "spa", scope: "openid profile", loadUserInfo: true }))
    browser = await browserOfProcess()
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await site?.close()
    await server?.stop()
    server?.remove()
  })

  const newcomer = async (): Promise<BrowserContext> => {
    const context = await browser.newContext()
    context.setDefaultTimeout(20_000)
    return context
  }

  /** Opens a page of the application and waits until it has done its part; answers with how that went. */
  const done = async (tab: Page): Promise<string> => {
    await tab.waitForFunction((provider) => location.origin !== provider && document.body?.dataset["done"] !== undefined, server.url)
    return tab.evaluate(() => document.body.dataset["done"] ?? "")
  }

  const open = async (context: BrowserContext, origin = site.url): Promise<Page> => {
    const tab = await context.newPage()
    await tab.goto(`${origin}/`)
    expect(await done(tab)).toBe("well")
    return tab
  }

  const person = async (tab: Page): Promise<void> => {
    await tab.fill("input[name=username]", alice[0])
    await tab.fill("input[name=password]", alice[1])
    await tab.click("#login-submit")
    await tab.click("#consent-allow")
  }

  /** Signs in by redirect and comes back to the application. */
  const signIn = async (context: BrowserContext, scope: string, origin = site.url): Promise<Page> => {
    const tab = await open(context, origin)
    await tab.evaluate((asked) => void spa.manager.signinRedirect({ scope: asked, prompt: "consent", state: { from: "here" } }), scope)
    await tab.waitForSelector("#login-submit")
    await person(tab)
    await tab.waitForURL(`${origin}/callback**`)
    expect(await done(tab)).toBe("well")
    return tab
  }

  const silent = (tab: Page): Promise<string> =>
    tab.evaluate(() =>
      spa.manager.signinSilent().then(
        (user) => user?.access_token ?? "nobody",
        (error: { error?: string; message: string }) => error.error ?? error.message,
      ),
    )

  const userinfo = (token = ""): Promise<Response> =>
    fetch(`${server.url}/connect/userinfo`, { headers: { authorization: `Bearer ${token}` } })

  test("Core §3.1, RFC 7636: a public client signs in by redirect, and reads ID token and userinfo across origins", async () => {
    const context = await newcomer()
    const tab = await signIn(context, "openid profile email")
    const user = await tab.evaluate(() => spa.manager.getUser())
    expect(user).toMatchObject({
      profile: { iss: server.url, sub: "alice-1", aud: "spa", name: "Alice Ant", email: "alice@example.com" },
      token_type: "Bearer",
    })
    expect(await tab.getAttribute("body", "data-state")).toBe('{"from":"here"}')
    await context.close()
  })

  test("RFC 6749 §6: silent renewal by refresh token rotates it and needs no frame", async () => {
    const context = await newcomer()
    const tab = await signIn(context, "openid profile offline_access")
    const before = await tab.evaluate(() => spa.manager.getUser())
    const asked: Array<string> = []
    tab.on("request", (request) => asked.push(new URL(request.url()).pathname))
    expect(await silent(tab)).not.toBe(before?.access_token)
    const after = await tab.evaluate(() => spa.manager.getUser())
    expect(after?.refresh_token).not.toBe(before?.refresh_token)
    expect(after?.profile.sub).toBe("alice-1")
    expect(asked).toContain("/connect/token")
    expect(asked).not.toContain("/connect/authorize")
    await context.close()
  })

  test("Core §3.1.2.1: silent renewal by prompt=none in a hidden frame, of an application on the provider's own site", async () => {
    const context = await newcomer()
    const tab = await signIn(context, "openid profile")
    const before = await tab.evaluate(() => spa.manager.getUser())
    expect(before?.refresh_token).toBeUndefined()
    const asked: Array<string> = []
    tab.on("request", (request) => asked.push(request.url()))
    const renewed = await silent(tab)
    expect(renewed).toMatch(/^a_/)
    expect(renewed).not.toBe(before?.access_token)
    expect(asked.some((url) => url.includes("/connect/authorize") && url.includes("prompt=none"))).toBe(true)
    await context.close()
  })

  test("RFC 6265bis §5.2: from another site no cookie goes into the frame: login_required there, and the refresh token renews", async () => {
    const context = await newcomer()
    const tab = await signIn(context, "openid profile", elsewhere(site))
    expect(await silent(tab)).toBe("login_required")
    const other = await open(context, elsewhere(site))
    await other.evaluate(() => void spa.manager.signinRedirect({ scope: "openid profile offline_access", prompt: "consent" }))
    await other.click("#consent-allow")
    await other.waitForURL(`${elsewhere(site)}/callback**`)
    expect(await done(other)).toBe("well")
    expect(await silent(other)).toMatch(/^a_/)
    await context.close()
  })

  test("the library renews by itself when a token is about to expire", async () => {
    const context = await newcomer()
    const tab = await signIn(context, "openid profile offline_access")
    const [before, after] = await tab.evaluate(async () => {
      const manager = spa.other({ automaticSilentRenew: true, accessTokenExpiringNotificationTimeInSeconds: 3600 })
      const loaded = new Promise<string>((resolve) => manager.events.addUserLoaded((user) => resolve(user.access_token)))
      const user = await manager.getUser()
      const renewed = await loaded
      manager.stopSilentRenew()
      return [user?.access_token, renewed]
    })
    expect(after).toMatch(/^a_/)
    expect(after).not.toBe(before)
    await context.close()
  })

  test("sign-in in a popup window", async () => {
    const context = await newcomer()
    const tab = await open(context)
    const [popup] = await Promise.all([
      context.waitForEvent("page"),
      tab.evaluate(() => void spa.manager.signinPopup({ prompt: "consent" }).then(() => (document.body.dataset["popup"] = "well"))),
    ])
    await popup.waitForSelector("#login-submit")
    await person(popup)
    await tab.waitForSelector("body[data-popup=well]", { state: "attached" })
    expect(await tab.evaluate(async () => (await spa.manager.getUser())?.profile.sub)).toBe("alice-1")
    await context.close()
  })

  test("RFC 7009: revoked tokens are dead at userinfo and for refreshing", async () => {
    const context = await newcomer()
    const tab = await signIn(context, "openid profile offline_access")
    const user = await tab.evaluate(() => spa.manager.getUser())
    await tab.evaluate(() => spa.manager.revokeTokens(["access_token", "refresh_token"]))
    expect(await tab.evaluate(async () => (await spa.manager.getUser())?.refresh_token ?? "none")).toBe("none")
    expect((await userinfo(user?.access_token)).status).toBe(401)
    const body = new URLSearchParams({ grant_type: "refresh_token", client_id: "spa", refresh_token: user?.refresh_token ?? "" })
    expect(await (await fetch(`${server.url}/connect/token`, { method: "POST", body })).json()).toMatchObject({ error: "invalid_grant" })
    await context.close()
  })

  test("RP-Initiated Logout §2, Core §3.1.2.6: signed out by redirect with the state, and a silent sign-in is login_required", async () => {
    const context = await newcomer()
    const tab = await signIn(context, "openid profile")
    const user = await tab.evaluate(() => spa.manager.getUser())
    await tab.evaluate(() => void spa.other({ revokeTokensOnSignout: true }).signoutRedirect({ state: { bye: true } }))
    await tab.waitForURL(`${site.url}/signed-out**`)
    expect(await done(tab)).toBe("well")
    expect(await tab.getAttribute("body", "data-state")).toBe('{"bye":true}')
    expect((await userinfo(user?.access_token)).status).toBe(401)
    expect(await tab.evaluate(() => spa.manager.getUser())).toBeNull()
    expect(await silent(tab)).toBe("login_required")
    await context.close()
  })
})
