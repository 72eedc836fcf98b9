import { type Cookie, CookieJar } from "tough-cookie"
import { type Received, type Sent, mediaType } from "../exchange/exchange.ts"
import { Inconclusive, type Target } from "../target/target.ts"
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

/** A browser with cookies and without JavaScript. It begins with an empty jar. */
export class Browser {
  readonly #target: Target
  readonly #jar = new CookieJar(undefined, { prefixSecurity: "strict", rejectPublicSuffixes: false })
  readonly #isClient: (url: string) => boolean

  /** `isClient` tells the addresses at which the browser stops, since the client is there. */
  constructor(target: Target, isClient: (url: string) => boolean) {
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
    let visit = await this.#follow(sent)
    while (met.length < mostPages) {
      const { page, last } = visit
      const recipe = visit.leaving === undefined && page !== undefined ? this.#recipeOf(page) : undefined
      if (recipe === undefined || page === undefined) break
      const choice = choices[recipe.kind] ?? "go on"
      if (choice === "stop" || ((choice === "once" || choice === "forge") && met.includes(recipe.kind))) break
      met.push(recipe.kind)
      const submission = this.#submit(page, recipe, choice === "refuse" ? "refuse" : "go on", last, texts)
      visit = await this.#follow(sentBy(choice === "forge" ? forged(submission) : submission), choice === "forge" && !isGuarded(submission))
    }
    return { ...visit, met }
  }

  #recipeOf(page: Page): PageRecipe | undefined {
    return this.#target.recipe.pages.find(({ when }) => page.has(when))
  }

  #submit(
    page: Page,
    { fill = {}, click, refuse, kind }: PageRecipe,
    choice: "go on" | "refuse",
    last: Received,
    more: Readonly<Record<string, string>>,
  ): Submission {
    const texts: Readonly<Record<string, string>> = {
      ...more,
      username: this.#target.person?.username ?? "",
      password: this.#target.person?.password ?? "",
    }
    const values = Object.entries(fill).map(([field, value]) => [
      field,
      value.replaceAll(/\{(\w+)\}/g, (_, name: string) => texts[name] ?? ""),
    ])
    const button = choice === "refuse" ? refuse : click
    const submission = button === undefined ? undefined : page.click(button, Object.fromEntries(values) as Record<string, string>)
    if (submission === undefined) throw new Inconclusive(`the ${kind} page has no ${button ?? "button that refuses"}`, last)
    return submission
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

/** Reports whether a form has a token that another site cannot know. */
const isGuarded = ({ pairs }: Submission): boolean => pairs.some(([name]) => isToken(name))

/** A form as another site would send it: its tokens replaced. */
const forged = (submission: Submission): Submission => ({
  ...submission,
  pairs: submission.pairs.map(([name, value]) => [name, isToken(name) ? "forged" : value] as const),
})
