import { existsSync } from "node:fs"
import type { LiquidPages } from "@postern/adapter-http/pages"
import type { Page as PageModel, PageContext } from "@postern/core/model"
import { framingPolicy, pagePolicy } from "@postern/core/wire"
import { type Browser, type Page, type Route, chromium } from "playwright-core"

/** Debian's Chromium without a window: the same engine, for half of the CPU time of the one with a window that is not shown. */
const windowless = "/usr/bin/chromium-headless-shell"

/** Debian's path of Chromium. */
export const chromiumPath = process.env["POSTERN_CHROMIUM"] ?? (existsSync(windowless) ? windowless : "/usr/bin/chromium")

/** Browser tests run where there is a Chromium, and must run where the environment says so. */
export const browserThere = existsSync(chromiumPath) || process.env["POSTERN_REQUIRE_BROWSER"] === "1"

/** A Chromium that talks to nobody but the page it is given. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      // One process fewer to start and to talk to: an eighth of the CPU of a page.
      "--in-process-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost",
    ],
  })

/** The Chromium of this process, for the files that share it: closing it closes the pages that were opened in it, and the next file has it again. It ends with the process. */
export const browserOfProcess = async (): Promise<Browser> => {
  const its = await ofProcess
  if (its?.isConnected() === true) return its
  ofProcess = openBrowser()
  const browser = await ofProcess
  browser.close = async () => void (await Promise.all(browser.contexts().map((context) => context.close())))
  return browser
}
let ofProcess: Promise<Browser> | undefined

interface Shown {
  readonly pages: LiquidPages
  readonly model: PageModel
  readonly context: PageContext
}

const shown = new WeakMap<Page, Shown>()

/** Shows a page as the provider would send it: its own policy, its assets, and a picture for every other image. */
export const show = async (tab: Page, pages: LiquidPages, model: PageModel, context: PageContext): Promise<void> => {
  const before = shown.has(tab)
  shown.set(tab, { pages, model, context })
  if (!before) await tab.route("**/*", (route) => answer(tab, route))
  await tab.goto(`${context.issuer}/`)
}

const answer = (tab: Page, route: Route): Promise<void> => {
  const current = shown.get(tab)
  if (current === undefined) return route.abort()
  const { pages, model, context } = current
  const { pathname, origin } = new URL(route.request().url())
  const asset = pages.assets.find(({ name }) => pathname === `${context.basePath}/assets/${name}`)
  if (asset !== undefined) return route.fulfill({ contentType: asset.contentType, body: Buffer.from(asset.body) })
  if (route.request().resourceType() === "image") return route.fulfill({ contentType: "image/svg+xml", body: picture })
  if (origin !== context.issuer || route.request().method() !== "GET") return route.fulfill({ status: 204 })
  return route.fulfill({
    contentType: "text/html; charset=utf-8",
    headers: { "content-security-policy": pagePolicy(context.nonce, framingPolicy(model)) },
    body: pages.render(model, context),
  })
}

const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><rect width="48" height="48" rx="12" fill="#274690"/><path d="M15 33V15h3.5l11 12.5V15H33v18h-3.5l-11-12.5V33Z" fill="#fff"/></svg>`
