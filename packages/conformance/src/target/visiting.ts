import type { Pairs, Received, Sent } from "../exchange/exchange.ts"
import type { PageRecipe } from "./recipe.ts"

/** A choice on a page: to continue, to refuse, or to stay there. */
export type Choice = "go on" | "refuse" | "stop"

/**
 * The end of a walk through pages: the client's address with any form that is posted there, or undefined if the browser stayed at the
 * provider.
 */
export interface Ending {
  readonly leaving:
    | { readonly url: string; readonly form?: { readonly method: "POST"; readonly url: string; readonly pairs: Pairs } }
    | undefined
}

/** A page that needs JavaScript, and its context. */
export interface Rendered {
  /** The response that contains the page. */
  readonly first: Received
  readonly pages: ReadonlyArray<PageRecipe>
  /** The provider's origins. Pages may send requests only to these, and to the origins that the provider redirects to. */
  readonly origins: ReadonlyArray<string>
  /** Identifies the clients' addresses, to which no request is sent. */
  readonly isClient: (url: string) => boolean
  /** Sends a request with the cookies for its address. */
  readonly send: (sent: Sent) => Promise<Received>
  /** Records a page, and returns the choice for it. */
  readonly meet: (recipe: PageRecipe) => Choice
  /** The text for a field. */
  readonly fillIn: (text: string) => string
  /** The cookies for an address that scripts may read, as names and values. */
  readonly readable: (url: string) => Promise<ReadonlyArray<readonly [string, string]>>
  /** Stores a cookie that a script has set. */
  readonly keep: (name: string, value: string, url: string) => Promise<void>
}

/** A browser that runs the scripts of pages. */
export interface Renderer {
  /** Passes pages, starting with a given one. Rejects with `Inconclusive`. */
  readonly through: (rendered: Rendered) => Promise<Ending & { readonly last: Received; readonly html: string; readonly url: string }>
  readonly close: () => Promise<void>
}

/** A person who passes the pages in their own browser. */
export interface Hand {
  /** Milliseconds to wait for the person. */
  readonly wait: number
  /** Reports whether the run listens at a redirect URI. For any other, the person enters the address. */
  readonly hears: (uri: string) => boolean
  /** Asks the person to open an address, and to sign in and consent if the pages ask for it. Rejects with `Untried`. */
  readonly open: (asked: {
    readonly url: string
    readonly refuse: boolean
    readonly note: string
    readonly isClient: (url: string) => boolean
  }) => Promise<Ending>
  readonly close: () => Promise<void>
}
