import type { Pairs, Received, Sent } from "../exchange/exchange.ts"
import type { PageRecipe } from "./recipe.ts"

/** A choice on a page: go on, refuse, or stay there. */
export type Choice = "go on" | "refuse" | "stop"

/** The end of a way through pages: the client's address and the form that is sent there, or none where the browser stayed at the provider. */
export interface Ending {
  readonly leaving:
    | { readonly url: string; readonly form?: { readonly method: "POST"; readonly url: string; readonly pairs: Pairs } }
    | undefined
}

/** A page that needs JavaScript, and everything around it. */
export interface Rendered {
  /** The answer that holds the page. */
  readonly first: Received
  readonly pages: ReadonlyArray<PageRecipe>
  /** Origins of the provider: pages may ask these, and no others. */
  readonly origins: ReadonlyArray<string>
  /** Tells the addresses of clients, which are never asked. */
  readonly isClient: (url: string) => boolean
  /** Sends a request with the cookies of its address. */
  readonly send: (sent: Sent) => Promise<Received>
  /** Takes a page into account, and says how to go on there. */
  readonly meet: (recipe: PageRecipe) => Choice
  /** The text for a field. */
  readonly fillIn: (text: string) => string
  /** The cookies of an address that scripts may read, as names and values. */
  readonly readable: (url: string) => Promise<ReadonlyArray<readonly [string, string]>>
  /** Keeps a cookie that a script has set. */
  readonly keep: (name: string, value: string, url: string) => Promise<void>
}

/** A browser that runs the scripts of pages. */
export interface Renderer {
  /** Goes through pages, from one on. Rejects with `Inconclusive`. */
  readonly through: (rendered: Rendered) => Promise<Ending & { readonly last: Received; readonly html: string; readonly url: string }>
  readonly close: () => Promise<void>
}

/** A person who goes through the pages in a browser of their own. */
export interface Hand {
  /** Milliseconds that are waited for the person. */
  readonly wait: number
  /** Reports whether it listens at a redirect URI; elsewhere the person enters the address. */
  readonly hears: (uri: string) => boolean
  /** Asks the person to open an address and, where the pages ask for it, to sign in and to consent. Rejects with `Untried`. */
  readonly open: (asked: {
    readonly url: string
    readonly refuse: boolean
    readonly note: string
    readonly isClient: (url: string) => boolean
  }) => Promise<Ending>
  readonly close: () => Promise<void>
}
