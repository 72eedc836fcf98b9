import { type Cookie, CookieJar } from "tough-cookie"
import { type Received, type Sent, mediaType } from "../exchange/exchange.ts"
import { Inconclusive, type Target, Untried } from "../target/target.ts"
import type { Choice } from "../target/visiting.ts"
import { originOf } from "./crossOrigin.ts"
import { type Page, type Submission, pageOf, sentBy } from "./html.ts"
import type { PageRecipe } from "../target/recipe.ts"

/** The end of a visit: a page, or the point where the browser would leave for the client. */
export interface Visit {
  /** The last answer. */
  readonly last: Received
  /** The last page, where the answer is one. */
  readonly page: Page | undefined
  /** The address of the client that the browser is sent to; its form where the answer is a page that sends itself. */
  readonly leaving: { readonly url: string; readonly form?: Submission } | undefined
  /** The kinds of the pages that were gone through. */
  readonly met: ReadonlyArray<PageRecipe["kind"]>
}

/**
 * Choices for pages by their kind: go on when not given. `once` goes on the first time and stops the second; `forge` does so too, with the form that
 * another site would send: with other tokens or, where the form has none, without the cookies that are kept from other sites.
 */
export type Choices = Readonly<Partial<Record<PageRecipe["kind"], "go on" | "refuse" | "stop" | "once" | "forge">>>

const mostRedirects = 20
const mostPages = 8

/** The pages of a visit by hand: nobody tells which they were, so a requirement that asks for them is not tried. */
const unseen = new Proxy<Array<PageRecipe["kind"]>>([], {
  get: () => {
    throw new Untried("by hand, nobody tells which pages were shown")
  },
})

/** A browser with cookies. It begins with an empty jar, and runs no scripts but those of pages whose recipe asks for it. */
export class Browser {
  readonly #target: Target
  readonly #jar = new CookieJar(undefined, { prefixSecurity: "strict", rejectPublicSuffixes: false })
  readonly #isClient: (url: string) => boolean
  /** True once a person has opened an address for this browser: the session is in theirs. */
  #byHand = false

  readonly #endpoints: ReadonlyArray<string>

  /** `isClient` tells the addresses at which the browser stops, since the client is there; pages' scripts may ask the issuer and the `endpoints`. */
  constructor(target: Target, isClient: (url: string) => boolean, endpoints: ReadonlyArray<string> = []) {
    this.#endpoints = endpoints
    this.#target = target
    this.#isClient = isClient
  }

  /** Sends one request with the cookies of its address, and keeps those of the answer. A form `fromElsewhere`, of another site, has no cookies that are kept from it. */
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

  /** The cookies that would be sent to an address, by the target's time. */
  async cookies(url: string): Promise<ReadonlyArray<Cookie>> {
    const now = this.#target.now() * 1000
    const kept = await this.#jar.getCookies(url, { expire: false })
    return kept.filter((each) => (each.expiryTime(each.creation instanceof Date ? each.creation : undefined) ?? Infinity) > now)
  }

  /** Visits an address, follows redirects, and goes through the pages that it knows. `texts` stand for names in braces, beside the person's. */
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

  /** Goes on in Chromium from an answer on. */
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

  /** Lets a person go through the pages. */
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
    { fill = {}, click, refuse, kind }: PageRecipe,
    choice: "go on" | "refuse",
    last: Received,
    more: Readonly<Record<string, string>>,
  ): Submission {
    const values = Object.entries(fill).map(([field, value]) => [field, this.#filled(value, more)])
    const button = choice === "refuse" ? refuse : click
    const submission = button === undefined ? undefined : page.click(button, Object.fromEntries(values) as Record<string, string>)
    if (submission === undefined) throw new Inconclusive(`the ${kind} page has no ${button ?? "button that refuses"}`, last)
    return submission
  }

  /** A text of a recipe with the person's names, and those of the visit, in place of their braces. */
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

/** Names in the address of a form that stand for the sign-in that the page belongs to. */
const isTokenOfAddress = (name: string): boolean => isToken(name) || /code|execution|state/i.test(name)

/** Reports whether a form has a token that another site cannot know, in a field or in its address. */
const isGuarded = ({ pairs, url }: Submission): boolean =>
  pairs.some(([name]) => isToken(name)) || [...new URL(url).searchParams.keys()].some(isTokenOfAddress)

/** A form as another site would send it: its tokens replaced. */
const forged = (submission: Submission): Submission => {
  const url = new URL(submission.url)
  for (const name of new Set(url.searchParams.keys())) if (isTokenOfAddress(name)) url.searchParams.set(name, "forged")
  return { ...submission, url: url.href, pairs: submission.pairs.map(([name, value]) => [name, isToken(name) ? "forged" : value] as const) }
}
