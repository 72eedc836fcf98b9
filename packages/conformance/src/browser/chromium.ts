import { existsSync } from "node:fs"
import type { Browser as Playwright, BrowserContext, ElementHandle, Page as Tab, Route } from "playwright-core"
import type { Received, Sent } from "../exchange/exchange.ts"
import type { PageRecipe } from "../target/recipe.ts"
import { Inconclusive } from "../target/target.ts"
import type { Choice, Ending, Rendered, Renderer } from "../target/visiting.ts"
import { isPlainBody, isReadable, isTaken, originOf } from "./crossOrigin.ts"
import { elementOf } from "./find.ts"

/** Chromium, or the library that drives it, is not installed. */
export class NoChromium extends Error {
  override readonly name = "NoChromium"
}

/** The usual paths of Chromium. The build without windows comes first: it uses half of the CPU time. */
const places = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome-stable",
  "/usr/bin/google-chrome",
]

/** Milliseconds in which a page must show an element of a recipe, and a click must take effect. */
const patience = 10_000
/** Milliseconds without a request after which a page counts as loaded. */
const quiet = 1000
const mostPages = 8

/** The maximum boxes that are ticked on a page, more than any consent page has. */
const mostBoxes = 100
const mostRequests = 500
const mostRedirects = 10

/** Disables the network, because we answer every request of a page. */
const switches = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--host-resolver-rules=MAP * ~NOTFOUND",
]

const launched = async (): Promise<Playwright> => {
  const executablePath = process.env["POSTERN_CHROMIUM"] ?? places.find((each) => existsSync(each))
  if (executablePath === undefined || !existsSync(executablePath))
    throw new NoChromium(
      "Chromium is not installed: on Debian and Ubuntu `apt-get install chromium`; POSTERN_CHROMIUM names one in another place",
    )
  const { chromium } = await import("playwright-core").catch(() => {
    throw new NoChromium("the package that drives Chromium is not installed: `npm install playwright-core`, beside this one")
  })
  // Chromium's sandbox does not run as root.
  return chromium.launch({ executablePath, args: switches, chromiumSandbox: process.getuid?.() !== 0 }).catch((error: unknown) => {
    throw new NoChromium(
      `${executablePath} does not start: ${error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error)}`,
    )
  })
}

/**
 * Opens headless Chromium. `limit` is the maximum milliseconds for one walk through pages. Rejects with `NoChromium` if Chromium is not
 * installed.
 */
export const openChromium = async ({ limit = 25_000 }: { readonly limit?: number } = {}): Promise<Renderer> => {
  const browser = await launched()
  return {
    through: async (rendered) => {
      const context = await browser.newContext({ serviceWorkers: "block", acceptDownloads: false })
      let timer: NodeJS.Timeout | undefined
      // A page whose script never ends does not answer Playwright either.
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Inconclusive(`its pages took more than ${limit} ms`, rendered.first)), limit)
      })
      try {
        const walk = new Walk(rendered, context).end()
        walk.catch(() => undefined)
        return await Promise.race([walk, late])
      } finally {
        clearTimeout(timer)
        await context.close()
      }
    },
    close: () => browser.close(),
  }
}

const unwanted = new Set(["image", "font", "media", "stylesheet"])
const ownHeaders = /^(?:host|connection|content-length|cookie|user-agent|upgrade-insecure-requests|sec-.*)$/
const changedHeaders = new Set(["content-encoding", "content-length", "transfer-encoding", "set-cookie", "connection"])

/** A request as the page sends it. */
type Asked = Sent & { readonly headers: Readonly<Record<string, string>> }

/** The redirect target of a response. */
const redirectOf = ({ status, headers }: Received, url: string): string | undefined => {
  const location = headers.get("location")
  return status >= 300 && status < 400 && location !== null ? new URL(location, url).href : undefined
}

/** Fulfills a page's request. Without an explicit header Playwright would let every origin read the response. */
const fulfil = (route: Route, { status, headers, body }: Received): Promise<void> =>
  route.fulfill({
    status,
    headers: {
      "access-control-allow-origin": "https://nobody.invalid",
      ...Object.fromEntries([...headers].filter(([name]) => !changedHeaders.has(name))),
    },
    body,
  })

/** One walk through pages, in its own browser context. */
class Walk {
  readonly #rendered: Rendered
  readonly #context: BrowserContext
  readonly #left = Promise.withResolvers<void>()
  #last: Received
  #first: Received | undefined
  #leaving: Ending["leaving"]
  /** The origins that pages may send requests to: those of the provider, and those that it redirected the browser to. */
  readonly #origins: Set<string>
  #requests = 0
  /** The number of the pages' pending requests, and the time of the last activity. */
  #open = 0
  #active = 0

  constructor(rendered: Rendered, context: BrowserContext) {
    this.#rendered = rendered
    this.#context = context
    this.#last = rendered.first
    this.#first = rendered.first
    this.#origins = new Set([...rendered.origins, originOf(rendered.first.sent.url)])
  }

  async end() {
    const tab = await this.#context.newPage()
    await this.#context.route("**/*", (route) => this.#counted(route))
    await this.#context.routeWebSocket(/.*/, (socket) => void socket.close())
    await this.#show(this.#last.sent.url)
    await Promise.race([
      this.#left.promise,
      tab.goto(this.#last.sent.url, { waitUntil: "domcontentloaded", timeout: patience }).catch(() => undefined),
    ])
    for (let turn = 0; turn < mostPages && this.#leaving === undefined; turn++) {
      const recipe = await this.#shown(tab)
      if (recipe === undefined || this.#leaving !== undefined) break
      const choice = this.#rendered.meet(recipe)
      if (choice === "stop" || !(await this.#click(tab, recipe, choice))) break
    }
    if (this.#leaving === undefined) return { leaving: undefined, last: this.#last, html: await this.#content(tab), url: tab.url() }
    await tab.waitForURL((url) => this.#rendered.isClient(url.href), { timeout: patience, waitUntil: "commit" }).catch(() => undefined)
    const ended = this.#rendered.isClient(tab.url()) ? tab.url() : this.#leaving.url
    return { leaving: { ...this.#leaving, url: ended }, last: this.#last, html: "", url: ended }
  }

  /** The markup of the page. While the page is being replaced by the next one, it waits for that one. */
  async #content(tab: Tab): Promise<string> {
    const began = performance.now()
    for (;;) {
      try {
        return await tab.content()
      } catch (error) {
        if (!/navigating/.test(String(error)) || performance.now() - began > patience) throw error
        await tab.waitForLoadState("domcontentloaded", { timeout: patience })
      }
    }
  }

  /** The recipe of the page that is shown; undefined if everything has loaded and no recipe matches. */
  async #shown(tab: Tab): Promise<PageRecipe | undefined> {
    const { pages } = this.#rendered
    const began = performance.now()
    const source = `(() => { const find = ${elementOf.toString()}; return ${JSON.stringify(pages.map(({ when }) => when))}.findIndex((when) => find(document, when) !== null) + 1 })()`
    this.#active = began
    while (this.#leaving === undefined) {
      const at = Number(await tab.evaluate(source).catch(() => 0))
      if (at > 0) return pages[at - 1]
      const now = performance.now()
      if ((this.#open === 0 && now - this.#active > quiet) || now - began > patience) return undefined
      await Promise.race([this.#left.promise, new Promise((resolve) => setTimeout(resolve, 50))])
    }
    return undefined
  }

  /** Fills in a page and clicks. False if the click had no effect. */
  async #click(tab: Tab, { fill = {}, tick, kind, ...buttons }: PageRecipe, choice: Choice): Promise<boolean> {
    const found = async (wanted: string) => {
      const source = `(() => { const find = ${elementOf.toString()}; return find(document, ${JSON.stringify(wanted)}) })()`
      // Its source returns an element or null.
      return (await tab.evaluateHandle(source)).asElement() as ElementHandle<HTMLElement> | null
    }
    for (const [field, text] of Object.entries(fill)) await (await found(field))?.fill(this.#rendered.fillIn(text), { timeout: patience })
    const button = choice === "refuse" ? buttons.refuse : buttons.click
    if (tick !== undefined && choice !== "refuse") {
      const boxes = await tab.$$(`:is(${tick}):is([type=checkbox], [type=radio]):not([disabled])`).catch(() => [])
      for (const box of boxes.slice(0, mostBoxes)) await box.check({ timeout: patience })
    }
    const element = button === undefined ? null : await found(button)
    if (element === null) throw new Inconclusive(`the ${kind} page has no ${button ?? "button that refuses"}`, this.#last)
    const moved = tab.waitForEvent("framenavigated", { timeout: patience }).then(
      () => true,
      () => false,
    )
    await element.click({ timeout: patience, noWaitAfter: true })
    const gone = element.waitForElementState("hidden", { timeout: patience }).then(
      () => true,
      () => false,
    )
    return Promise.race([this.#left.promise.then(() => true), moved, gone])
  }

  async #counted(route: Route): Promise<void> {
    this.#open += 1
    try {
      await this.#answer(route)
    } catch {
      // The page sees a network error, as if the provider did not answer.
      await route.abort().catch(() => undefined)
    } finally {
      this.#open -= 1
      this.#active = performance.now()
    }
  }

  /** Answers a page's request from the target. A request to a client is recorded and not sent. */
  async #answer(route: Route): Promise<void> {
    const request = route.request()
    const [url, method, body] = [request.url(), request.method(), request.postData() ?? undefined]
    const isDocument = request.isNavigationRequest() && request.frame().parentFrame() === null
    if (this.#leaving !== undefined || this.#requests++ > mostRequests || unwanted.has(request.resourceType()) || !/^https?:/.test(url))
      return route.abort()
    if (isDocument && this.#rendered.isClient(url)) {
      const form = method === "POST" ? ({ method, url, pairs: [...new URLSearchParams(body ?? "")] } as const) : undefined
      this.#leaving = form === undefined ? { url } : { url, form }
      // An empty page stands for the client's, because only the page's address shows the fragment.
      await route.fulfill({ contentType: "text/html", body: "" })
      return this.#left.resolve()
    }
    const sent = { method, url, headers: request.headers(), body }
    if (!isDocument) return this.#supply(route, sent)
    // A form may be submitted to any origin, but only with the content types of forms.
    if (!this.#origins.has(originOf(url)) && !isPlainBody(sent.headers)) return route.abort()
    const received = this.#first?.sent.url === url ? this.#first : await this.#sent(sent)
    this.#first = undefined
    this.#last = received
    const to = redirectOf(received, url)
    if (to === undefined) return fulfil(route, received)
    this.#origins.add(originOf(to))
    // Chromium would follow a redirect without routing it through us, so a script navigates there instead.
    return route.fulfill({
      contentType: "text/html",
      body: `<script>location.replace(${JSON.stringify(to).replaceAll("<", "\\u003c")})</script>`,
    })
  }

  /** Answers a request of a script or a frame by the rules of CORS, as a browser would. It follows redirects itself. */
  async #supply(route: Route, first: Asked): Promise<void> {
    const own = originOf(route.request().frame().url())
    const origin = first.headers["origin"] ?? own
    let sent = first
    for (let turn = 0; turn <= mostRedirects; turn++) {
      const at = originOf(sent.url)
      const crosses = at !== origin
      if (crosses && !this.#origins.has(at)) break
      const { authorization: _, ...others } = sent.headers
      if (crosses && turn > 0) sent = { ...sent, headers: { ...(at === originOf(first.url) ? sent.headers : others), origin } }
      if (crosses && !(await isTaken(sent, origin, (each) => this.#rendered.send(each)))) break
      const received = await this.#sent(sent)
      const to = redirectOf(received, sent.url)
      if (to === undefined) {
        // Chromium checks CORS only for the first address, because it does not see the redirects.
        const isKept = !crosses || at === originOf(first.url) || route.request().resourceType() === "script" || isReadable(received, origin)
        return isKept ? fulfil(route, received) : route.abort()
      }
      const keeps = received.status >= 307 || (sent.method !== "POST" && received.status !== 303)
      sent = keeps ? { ...sent, url: to } : { ...sent, url: to, method: "GET", body: undefined }
    }
    return route.abort()
  }

  /** Sends a page's request with the cookies of the visit, and gives scripts the cookies that they may read. */
  async #sent({ headers: given, ...sent }: Asked): Promise<Received> {
    const { url } = sent
    for (const { name, value } of await this.#context.cookies(url)) await this.#rendered.keep(name, value, url)
    const headers = Object.fromEntries(Object.entries(given).filter(([name]) => !ownHeaders.test(name)))
    const received = await this.#rendered.send({ ...sent, headers })
    await this.#show(url)
    return received
  }

  async #show(url: string): Promise<void> {
    const cookies = await this.#rendered.readable(url)
    // A cookie whose name has a prefix is rejected without the attributes that the prefix requires (RFC 6265bis §4.1.3).
    const { hostname, protocol } = new URL(url)
    const place = { domain: hostname, path: "/", secure: protocol === "https:" }
    if (cookies.length > 0) await this.#context.addCookies(cookies.map(([name, value]) => ({ name, value, ...place })))
  }
}
