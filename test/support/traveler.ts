import { Surfer } from "./surfer.ts"

/** A page, and where it was reached. */
export interface Place {
  readonly response: Response
  readonly url: string
}

/** A browser that goes from one provider to another, with cookies of their own for each. */
export class Traveler {
  readonly #origins: Map<string, Surfer>

  constructor(origins: ReadonlyArray<string>) {
    this.#origins = new Map(origins.map((origin) => [origin, new Surfer()]))
  }

  /** The cookies for an origin. */
  at(url: string): Surfer {
    const surfer = this.#origins.get(new URL(url).origin)
    if (surfer === undefined) throw new Error(`not a place to go to: ${url}`)
    return surfer
  }

  async #onwards(first: Place): Promise<Place> {
    let place = first
    for (let step = 0; step < 10; step++) {
      if (place.response.headers.get("location") === null || !this.#origins.has(new URL(place.url).origin)) break
      place = await this.at(place.url).follow(place.url)
    }
    return place
  }

  /** Follows redirects until a page is reached, or a place that is none of the origins. */
  async go(url: string): Promise<Place> {
    return this.#onwards(await this.at(url).follow(url))
  }

  /** Submits the form of a page that a mark is in, the first one without a mark. */
  async submit(html: string, { url }: Place, fields: Readonly<Record<string, string>>, mark?: string): Promise<Place> {
    const from = mark === undefined ? 0 : html.lastIndexOf("<form", html.indexOf(mark))
    return this.#onwards(await this.at(url).submit(html.slice(from), url, fields))
  }
}
