import { type Cookie, CookieJar } from "tough-cookie"
import { type Received, type Sent, mediaType } from "../exchange/exchange.ts"
import { Inconclusive, type Target, Untried } from "../target/target.ts"
import type { Choice } from "../target/visiting.ts"
import { originOf } from "./crossOrigin.ts"
import { type Page, type Submission, pageOf, sentBy } from "./html.ts"
import type { PageRecipe } from "../target/recipe.ts"

/** The end of a visit: a page, or the redirect to the client. */
export interface Visit {
  /** The last response. */
  readonly last: Received
  /** The last page, if the last response is a page. */
  readonly page: Page | undefined
  /** The client's address that the browser is sent to, with the form if a page submits itself. */
  readonly leaving: { readonly url: string; readonly form?: Submission } | undefined
  /** The kinds of the pages that were passed. */
  readonly met: ReadonlyArray<PageRecipe["kind"]>
}

/**
 * Choices by kind of page. The default is to go on. `once` goes on the first time and stops at the second. `forge` does the same, but
 * submits the form as another site would: with other tokens or, if the form has no token, without the cookies that the browser withholds
 * from cross-site requests.
 */
export type Choices = Readonly<Partial<Record<PageRecipe["kind"], "go on" | "refuse" | "stop" | "once" | "forge">>>

const mostRedirects = 20
const mostPages = 8

/** The pages of a visit by hand. They are unknown, so a requirement that needs them is not tried. */
const unseen = new Proxy<Array<PageRecipe["kind"]>>([], {
  get: () => {
    throw new Untried("by hand, nobody tells which pages were shown")
  },
})

/** A browser with cookies. It starts with an empty cookie jar. It runs scripts only on pages whose recipe asks for it. */
export class Browser {
  readonly #target: Target
  readonly #jar = new CookieJar(undefined, { prefixSecurity: "strict", rejectPublicSuffixes: false })
  readonly #isClient: (url: string) => boolean
  /** True once a person has opened an address on behalf of this browser, because the session is then in the person's browser. */
  #byHand = false

  readonly #endpoints: ReadonlyArray<string>

  /**
   * `isClient` identifies the clients' addresses, at which the browser stops. Scripts of pages may send requests to the issuer and the
   * `endpoints`.
   */
  constructor(target: Target, isClient: (url: string) => boolean, endpoints: ReadonlyArray<string> = []) {
    this.#endpoints = endpoints
    this.#target = target
    this.#isClient = isClient
  }

  /**
   * Sends one request with the cookies for its address, and stores those of the response. A form `fromElsewhere` is sent without the
   * cookies that `SameSite` withholds from cross-site requests.
   */
  async send(sent: Sent, fromElsewhere = false): Promise<Received> {
    const now = new Date(this.#target.now() * 1000)
    const kept = (await this.cookies(sent.url)).filter(({ sameSite }) => !fromElsewhere || sameSite === undefined || sameSite === "none")
    const cookies = kept.map(({ key, value }) => `${key}=${value}`).join("; ")
    const received = await this.#target.send({
      ...sent,
      headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8", ...sent.headers, ...(cookies === "" ? {} : { cookie: cookies }) },
    })
    for (const each of received.headers.getSetCookie()) await this.#jar.setCookie(each, sent.url, { ignoreError: true, now })
    return received
  }

  /** The cookies that would be sent to an address at the target's time. */
  async cookies(url: string): Promise<ReadonlyArray<Cookie>> {
    const now = this.#target.now() * 1000
    const kept = await this.#jar.getCookies(url, { expire: false })
    return kept.filter((each) => (each.expiryTime(each.creation instanceof Date ? each.creation : undefined) ?? Infinity) > now)
  }

  /**
   * Visits an address, follows redirects, and passes the pages that it knows. `texts` replace placeholders in braces, in addition to the
   * person's.
   */
  async visit(sent: Sent, choices: Choices = {}, texts: Readonly<Record<string, string>> = {}): Promise<Visit> {
    const met: Array<PageRecipe["kind"]> = []
    const meet = (recipe: PageRecipe): Choice => {
      const choice = choices[recipe.kind] ?? "go on"
      if (choice === "stop" || ((choice === "once" || choice === "forge") && met.includes(recipe.kind))) return "stop"
      met.push(recipe.kind)
      return choice === "refuse" ? "refuse" : "go on"
    }
    if (this.#byHand) return this.#handed(sent, choices, texts)
    let visit = await this.#follow(sent)
    if (this.#target.hand !== undefined && visit.leaving === undefined && visit.page !== undefined && visit.last.status < 400)
      return this.#handed(sent, choices, texts, visit.last)
    while (met.length < mostPages) {
      const { page, last } = visit
      if (visit.leaving !== undefined || page === undefined) break
      const recipe = this.#recipeOf(page)
      if (recipe === undefined && this.#needsScripts(page, last)) return { ...(await this.#rendered(last, choices, meet, texts)), met }
      if (recipe === undefined) break
      const choice = meet(recipe)
      if (choice === "stop") break
      const forges = choices[recipe.kind] === "forge"
      const submission = this.#submit(page, recipe, choice, last, texts)
      visit = await this.#follow(sentBy(forges ? forged(submission) : submission), forges && !isGuarded(submission))
    }
    return { ...visit, met }
  }

  #needsScripts(page: Page, last: Received): boolean {
    return (
      page.scripted && last.status < 400 && this.#target.renderer !== undefined && this.#target.recipe.pages.some((each) => each.javascript)
    )
  }

  /** Continues in Chromium from a response. */
  async #rendered(
    first: Received,
    choices: Choices,
    meet: (recipe: PageRecipe) => Choice,
    texts: Readonly<Record<string, string>>,
  ): Promise<Omit<Visit, "met">> {
    if (Object.values(choices).includes("forge")) throw new Untried("a form of a page that needs JavaScript is not forged")
    const ended = await this.#target.renderer?.through({
      first,
      pages: this.#target.recipe.pages,
      origins: [this.#target.issuer, ...this.#endpoints].map(originOf),
      isClient: this.#isClient,
      send: (sent) => this.send(sent),
      meet,
      fillIn: (text) => this.#filled(text, texts),
      readable: async (url) => (await this.cookies(url)).flatMap(({ key, value, httpOnly }) => (httpOnly ? [] : [[key, value] as const])),
      keep: async (name, value, url) => {
        if (!(await this.cookies(url)).some(({ key, httpOnly }) => key === name && httpOnly))
          await this.#jar.setCookie(`${name}=${value}`, url, { ignoreError: true, now: new Date(this.#target.now() * 1000) })
      },
    })
    if (ended === undefined) throw new Untried("the page needs JavaScript")
    return { last: ended.last, page: ended.leaving === undefined ? pageOf(ended.html, ended.url) : undefined, leaving: ended.leaving }
  }

  /** Lets a person pass the pages. */
  async #handed(sent: Sent, choices: Choices, texts: Readonly<Record<string, string>>, last?: Received): Promise<Visit> {
    const { hand } = this.#target
    if (hand === undefined || sent.method !== "GET") throw new Untried("by hand, an address can be opened, and no form sent")
    if (Object.values(choices).some((each) => each !== "refuse" && each !== "go on"))
      throw new Untried("by hand, a page cannot be left as it is")
    const { searchParams } = new URL(sent.url)
    if (searchParams.get("response_mode") === "form_post" && !hand.hears(searchParams.get("redirect_uri") ?? ""))
      throw new Untried("by hand, a form is received at a redirect URI on loopback alone")
    const { user_code: code } = texts
    const ended = await hand.open({
      url: sent.url,
      refuse: Object.values(choices).includes("refuse"),
      note: code === undefined || code === "" ? "" : `the code of the device is ${code}`,
      isClient: this.#isClient,
    })
    this.#byHand = true
    return { last: last ?? { status: 200, headers: new Headers(), body: "", sent }, page: undefined, leaving: ended.leaving, met: unseen }
  }

  #recipeOf(page: Page): PageRecipe | undefined {
    return this.#target.recipe.pages.find(({ when, javascript }) => javascript !== true && page.has(when))
  }

  #submit(
    page: Page,
    { fill = {}, tick, click, refuse, kind }: PageRecipe,
    choice: "go on" | "refuse",
    last: Received,
    more: Readonly<Record<string, string>>,
  ): Submission {
    const values = Object.entries(fill).map(([field, value]) => [field, this.#filled(value, more)])
    const button = choice === "refuse" ? refuse : click
    const submission =
      button === undefined
        ? undefined
        : page.click(button, Object.fromEntries(values) as Record<string, string>, choice === "refuse" ? undefined : tick)
    if (submission === undefined) throw new Inconclusive(`the ${kind} page has no ${button ?? "button that refuses"}`, last)
    return submission
  }

  /** Replaces the placeholders in a recipe's text by the values of the person and of the visit. */
  #filled(text: string, more: Readonly<Record<string, string>>): string {
    const { username = "", password = "" } = this.#target.person ?? {}
    const texts: Readonly<Record<string, string>> = { ...more, username, password }
    return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => texts[name] ?? "")
  }

  async #follow(first: Sent, fromElsewhere = false): Promise<Omit<Visit, "met">> {
    let sent = first
    for (let turn = 0; turn < mostRedirects; turn++) {
      const last = await this.send(sent, fromElsewhere && turn === 0)
      const location = last.headers.get("location")
      if (last.status >= 300 && last.status < 400 && location !== null && URL.canParse(location, sent.url)) {
        const url = new URL(location, sent.url).href
        if (this.#isClient(url)) return { last, page: undefined, leaving: { url } }
        const keeps = last.status === 307 || last.status === 308
        sent = keeps ? { ...sent, url } : { method: "GET", url, headers: {} }
        continue
      }
      const page = mediaType(last) === "text/html" ? pageOf(last.body, sent.url) : undefined
      const form = page?.sending(this.#isClient)
      return { last, page, leaving: form === undefined ? undefined : { url: form.url, form } }
    }
    throw new Inconclusive(`more than ${mostRedirects} redirects, the last to ${sent.url}`)
  }
}

const isToken = (name: string): boolean => /csrf|xsrf|token|nonce/i.test(name)

/** Reports whether a query parameter of a form's address identifies the sign-in that the page belongs to. */
const isTokenOfAddress = (name: string): boolean => isToken(name) || /code|execution|state/i.test(name)

/** Reports whether a form has a token that another site cannot know, in a field or in its address. */
const isGuarded = ({ pairs, url }: Submission): boolean =>
  pairs.some(([name]) => isToken(name)) || [...new URL(url).searchParams.keys()].some(isTokenOfAddress)

/** The form as another site would submit it, with its tokens replaced. */
const forged = (submission: Submission): Submission => {
  const url = new URL(submission.url)
  for (const name of new Set(url.searchParams.keys())) if (isTokenOfAddress(name)) url.searchParams.set(name, "forged")
  return { ...submission, url: url.href, pairs: submission.pairs.map(([name, value]) => [name, isToken(name) ? "forged" : value] as const) }
}
