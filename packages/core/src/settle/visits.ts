import type { Client, CookieChange, Locator, PendingVisit, Person, Refusal, Secret, Session, Settings } from "../model/index.ts"

/** The browser of a request: the state in its cookies, and the tokens of its forms. */
export interface Browser {
  /** The locator of the browser cookie, which is not secret and proves nothing. */
  readonly locator: Locator
  /** The digest of the browser cookie's secret, to which interactions are bound. */
  readonly digest: string
  /** The secret of the cookie. Only this browser can reproduce values derived from it. */
  readonly secret: Secret
  /** The cookie to set if the browser had none. */
  readonly cookies: ReadonlyArray<CookieChange>
  /** True if the browser had none. */
  readonly unknown: boolean
  /** The session of its cookie, which may have ended or expired. */
  readonly session: Session | undefined
  /** The CSRF token of forms for any person at this browser. */
  readonly csrf: string
  /** The CSRF token of forms for the signed-in person; the browser's own if nobody is signed in. */
  readonly sessionCsrf: string
  /** The User-Agent, truncated to 200 characters. */
  readonly agent: string
  /** The network of its address; undefined if the adapter provides no addresses. */
  readonly address: string | undefined
}

/** A page that a browser opens, and the row that refers to it. */
export interface PageOpened {
  readonly settings: Settings
  readonly now: number
  readonly browser: Browser
  /** The row that refers to the page. */
  readonly interaction: PendingVisit
  /** Its handle. */
  readonly handle: string
}

/** A visit to a page that asks about a client's request. */
export type ClientVisit = PendingVisit & { readonly clientId: string }

/** A page of a feature, whose question to the signed-in visitor an embedder's page asks instead. */
export interface VisitAsked extends PageOpened {
  readonly interaction: ClientVisit
}

/** Such a page with a signed-in visitor. */
export interface Visited extends VisitAsked {
  readonly client: Client
  readonly session: Session
  readonly person: Person
}

/** An allowing answer to such a page, as an embedder's code gave it. */
export interface VisitAllowed extends VisitAsked {
  /** The version of the client that the person was shown. */
  readonly version: string | undefined
  readonly scopes: unknown
  readonly details?: unknown
}

/** A denying answer to such a page. */
export interface VisitDenied extends VisitAsked {
  /** The reason: the person denies it, or an error occurred. */
  readonly refusal: Refusal
}
