import { Surfer } from "../support/surfer.ts"
import { alice } from "./people.ts"

/** End of a visit. */
export interface Arrival {
  readonly url: string
  readonly status: number
  readonly text: string
  /** The address of every page on the way, the provider's and the client's. */
  readonly way: ReadonlyArray<string>
}

type Doing = readonly [hook: string, fields: Readonly<Record<string, string>>]

/** Does as alice does on the provider's pages, by the forms on them; she stays on a page without any of these. */
const doings = (decision: string): ReadonlyArray<Doing> => [
  ['name="password"', { username: alice[0], password: alice[1] }],
  ['id="consent-allow"', { decision }],
  ['id="device-allow"', { decision }],
  ['id="form-post-submit"', {}],
  ['id="logout-confirm"', {}],
]

/** Alice with a browser that goes from site to site and does what the provider's pages ask of her. */
export class Visitor extends Surfer {
  override async go(url: string, init: RequestInit = {}): Promise<Response> {
    const response = await super.go(url, init)
    for (const set of response.headers.getSetCookie()) {
      const expires = /;\s*expires=([^;]+)/i.exec(set)?.[1]
      if (expires !== undefined && Date.parse(expires) < Date.now()) this.cookies.delete(set.slice(0, set.indexOf("=")))
    }
    return response
  }

  /** Goes to an address and on from there, until there is nothing more to do; what a client asks for is decided as told. */
  async visit(url: string, decision: "allow" | "deny" = "allow"): Promise<Arrival> {
    let at = await this.follow(url)
    const way = [url]
    for (let step = 0; step < 12; step++) {
      way.push(at.url)
      if (at.response.headers.has("location")) {
        at = await this.follow(at.url)
        continue
      }
      const text = await at.response.text()
      const doing = doings(decision).find(([hook]) => text.includes(hook))
      if (doing === undefined) return { url: at.url, status: at.response.status, text, way }
      at = await this.submit(text, at.url, doing[1])
    }
    throw new Error(`the visit does not end: ${way.join(" → ")}`)
  }
}
