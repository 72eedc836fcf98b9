import { Surfer } from "../support/surfer.ts"
import type { Chain, DeviceFact, Fate, SessionFact } from "./facts.ts"
import { type Answer, type Ledger, Unanswered } from "./ledger.ts"
import { type LoadClient, api, password, redirectUri, scope as everyScope } from "./setting.ts"

/** The browser of a person of the load: every request of it is in the ledger. */
export class LedgerBrowser extends Surfer {
  readonly #ledger: Ledger
  readonly #who: string
  /** Told of every answer, a redirect on the way too. */
  watch: (method: string, path: string, status: number) => void = () => undefined

  readonly #base: () => string

  /** `base` says which server is asked next, as a load balancer in front decides for each request. */
  constructor(ledger: Ledger, who: string, base: () => string) {
    super()
    this.#ledger = ledger
    this.#who = who
    this.#base = base
  }

  override async go(url: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const { pathname, search } = new URL(url)
    const method = init.method ?? "GET"
    const answer = await this.#ledger.send(this.#who, `${method} ${pathname}`, `${this.#base()}${pathname}${search}`, {
      ...init,
      headers: cookie === "" ? {} : { cookie },
    })
    for (const set of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (/max-age=0/i.test(set)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    this.watch(method, pathname, isSentBackRefused(answer) ? 503 : answer.status)
    const headers = new Headers()
    const location = answer.headers.get("location")
    if (location !== null) headers.set("location", location)
    return new Response(answer.text, { status: answer.status, headers })
  }
}

/** Reports whether a redirect tells a client that nothing was done for now (RFC 6749 §4.1.2.1). */
const isSentBackRefused = ({ headers }: Answer): boolean =>
  URL.parse(headers.get("location") ?? "")?.searchParams.get("error") === "temporarily_unavailable"

/** One of the sixty-four: a person at one client, which are nobody else's together, and all that was promised to them. */
export class Actor {
  readonly name: string
  readonly person: string
  readonly client: LoadClient
  readonly ledger: Ledger
  readonly browser: LedgerBrowser
  /** Address of the next request. */
  readonly url: () => string
  csrf = ""
  consent: Fate = "dead"
  chains: Array<Chain> = []
  /** Some of those that are dead, to be asked about again. */
  dead: Array<Chain> = []
  devices: Array<DeviceFact> = []
  sessions: Array<SessionFact> = []

  constructor(name: string, person: string, client: LoadClient, ledger: Ledger, url: () => string) {
    this.name = name
    this.person = person
    this.client = client
    this.ledger = ledger
    this.url = url
    this.browser = new LedgerBrowser(ledger, name, url)
  }

  /** POSTs a form to an endpoint as a client. */
  post(
    what: string,
    path: string,
    fields: Readonly<Record<string, string>>,
    client: Pick<LoadClient, "id" | "secret"> = this.client,
  ): Promise<Answer> {
    const { id, secret } = client
    return this.ledger.send(this.name, what, `${this.url()}${path}`, {
      method: "POST",
      headers: secret === undefined ? {} : { authorization: basic(id, secret) },
      body: new URLSearchParams(secret === undefined ? { ...fields, client_id: id } : { ...fields }),
    })
  }

  redeem(code: string, verifier: string, client: Pick<LoadClient, "id" | "secret"> = this.client): Promise<Answer> {
    const fields = { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier }
    return this.post("redeem", "/connect/token", fields, client)
  }

  refresh(token: string): Promise<Answer> {
    return this.post("refresh", "/connect/token", { grant_type: "refresh_token", refresh_token: token })
  }

  /** Asks if an access token works: at introspection where the API may see it, else at userinfo. Undefined when that could not be told. */
  async isActive(token: string, where: "introspect" | "userinfo"): Promise<boolean | undefined> {
    if (where === "introspect") {
      const { status, json } = await this.post("introspect", "/connect/introspect", { token }, api)
      return status === 200 ? json["active"] === true : undefined
    }
    const headers = { authorization: `Bearer ${token}` }
    const { status } = await this.ledger.send(this.name, "userinfo", `${this.url()}/connect/userinfo`, { headers })
    return status === 200 ? true : status === 401 ? false : undefined
  }
}

/** Basic credentials (RFC 6749 §2.3.1). */
export const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")}`

/** An authorization request. */
export const authorizeUrl = (base: string, clientId: string, challenge: string, more: Readonly<Record<string, string>> = {}): string =>
  `${base}/connect/authorize?${new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: "code",
    scope: everyScope,
    state: "st",
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...more,
  })}`

/** Signs a person in at the provider itself; answers whether they are. */
export const signIn = async (browser: LedgerBrowser, base: string, person: string): Promise<boolean> => {
  const page = await browser.follow(`${base}/login`)
  if (page.response.status !== 200) return false
  const { response } = await browser.submit(await page.response.text(), page.url, { username: person, password })
  return response.status === 200
}

/** The token that forms of a session carry. */
export const csrfOf = async (browser: LedgerBrowser, base: string): Promise<string> => {
  const html = await (await browser.follow(`${base}/`)).response.text()
  const csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1]
  if (csrf === undefined) throw new Error("the home page has no csrf token")
  return csrf
}

/** Waits for an answer; undefined when nobody answered. */
export const orNone = async <A>(asked: Promise<A>): Promise<A | undefined> => {
  try {
    return await asked
  } catch (error) {
    if (error instanceof Unanswered) return undefined
    throw error
  }
}
