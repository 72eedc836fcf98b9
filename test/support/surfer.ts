/** A browser without a screen: it keeps cookies, follows redirects of one origin, and fills in forms by their HTML. */
export class Surfer {
  readonly cookies = new Map<string, string>()
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>

  constructor(ask: (url: string, init: RequestInit) => Promise<Response> = (url, init) => fetch(url, init)) {
    this.fetch = ask
  }

  async go(url: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const response = await this.fetch(url, { ...init, redirect: "manual", headers: cookie === "" ? {} : { cookie } })
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (/max-age=0/i.test(set)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return response
  }

  /** Follows redirects as long as they stay on this origin; answers with the last response and where it came from. */
  async follow(url: string, init: RequestInit = {}): Promise<{ readonly response: Response; readonly url: string }> {
    const { origin } = new URL(url)
    let at = url
    let response = await this.go(url, init)
    for (let step = 0; step < 10; step++) {
      const location = response.headers.get("location")
      if (location === null) break
      const next = new URL(location, at)
      if (next.origin !== origin) return { response, url: next.href }
      at = next.href
      response = await this.go(at)
    }
    return { response, url: at }
  }

  /** Submits the first form of a page, with fields added. */
  async submit(
    html: string,
    page: string,
    fields: Readonly<Record<string, string>>,
  ): Promise<{ readonly response: Response; readonly url: string }> {
    const form = /<form[^>]*action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/.exec(html)
    if (form === null) throw new Error(`no form on ${page}: ${html.slice(0, 500)}`)
    const body = new URLSearchParams()
    for (const [input] of (form[2] ?? "").matchAll(/<input[^>]*>/g)) {
      const ticked = /type="checkbox"/.test(input) && /\schecked/.test(input) && !/\sdisabled/.test(input)
      if (!/type="hidden"/.test(input) && !ticked) continue
      body.append(/name="([^"]*)"/.exec(input)?.[1] ?? "", unescape(/value="([^"]*)"/.exec(input)?.[1] ?? ""))
    }
    for (const [name, value] of Object.entries(fields)) body.set(name, value)
    return this.follow(new URL(unescape(form[1] ?? ""), page).href, { method: "POST", body })
  }

  /** Opens an authorization URL, signs in and allows whatever is asked; answers with the URL of the client's callback. */
  async authorize(url: string, username: string, password: string): Promise<URL> {
    const { origin } = new URL(url)
    let at = await this.follow(url)
    for (let page = 0; page < 4 && new URL(at.url).origin === origin; page++) {
      const html = await at.response.text()
      const fields: Record<string, string> = html.includes('name="password"') ? { username, password } : { decision: "allow" }
      at = await this.submit(html, at.url, fields)
    }
    return new URL(at.url)
  }
}

const unescape = (text: string): string =>
  text
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
