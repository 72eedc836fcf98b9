import type {
  Callback,
  Client,
  Command,
  Confirmation,
  Consent,
  CookieChange,
  DetailsAsked,
  PendingAuthorization,
  Person,
  PushedRequest,
  Refusal,
  Session,
  Settings,
} from "../../model/index.ts"
import type { SectorFault } from "../../rules/sector.ts"
import type { Browser } from "../../settle/browser.ts"
import type { AuthorizeRequest } from "./parse.ts"

/** A request, and the client that it names. */
export type ClientSeen = AuthorizeRequest & { readonly client: Client | undefined }

/** A request of a client that may make it. */
export type ClientRequest = AuthorizeRequest & { readonly client: Client }

/** The values that a page has established when it resumes a request. */
export interface PageChanges {
  /** The changes of a sign-in, which are committed with every outcome. */
  readonly commands: ReadonlyArray<Command>
  /** The changes that are committed only with the answer; they have no effect on a request that was already answered. */
  readonly choice: ReadonlyArray<Command>
  /** True if the page's answer must still be recorded on the waiting row; false if the row already has it. */
  readonly isNew: boolean
  readonly cookies: ReadonlyArray<CookieChange>
  readonly person: Person | undefined
  readonly consent: Consent | undefined
}

/** A waiting authorization request that a page resumes, with everything that the page has read and established. */
export interface AnsweredPage extends PageChanges {
  /** The waiting request, with the person's answer recorded on it. */
  readonly interaction: PendingAuthorization
  /** Its handle, as this browser has it. */
  readonly handle: string
  /** The browser, with the session that it has after the page. */
  readonly browser: Browser
  readonly client: Client | undefined
}

/** A waiting authorization request that its person, or the page that asked them, rejects. */
export interface TurnedDown extends AnsweredPage {
  /** The error that is sent to the client (RFC 6749 §4.1.2.1). */
  readonly turnedDown: Refusal | undefined
}

/** A waiting authorization request, with the handle that this browser has for it. */
export interface Waiting extends Pick<AnsweredPage, "interaction" | "handle"> {
  /** Undefined if the browser came back by a plain redirect. */
  readonly page: PageChanges | undefined
}

/** A request that may resume a waiting one. */
export interface Resuming {
  /** The pushed request that it came from (RFC 9126). */
  readonly pushed?: PushedRequest | undefined
  readonly waiting?: Waiting | undefined
}

/** A request that may name the only key that its code can be redeemed with (RFC 9449 §10). */
export interface KeyNaming {
  readonly codeBoundTo?: Confirmation | undefined
}

/** A request that may be answered by redirect to its client. */
export interface Trusted {
  readonly callback: Callback
}

/** The parts that an answer to the client needs. */
export type Answerable = Trusted & Resuming & { readonly now: number }

/** The person whom an `id_token_hint` names. */
export interface Hint {
  readonly subject: string
}

/** The session of the browser, live or not, and the data read about its person. */
export interface Visitor {
  readonly session: Session
  readonly person: Person | undefined
  readonly consent: Consent | undefined
  /** The person's `sub` for this client. */
  readonly sub: string
  /** True if the person's subject is also a client_id. */
  readonly subjectIsClient: boolean
}

/** A request of a known client, before anything else is read. */
export type Asking = ClientRequest & Resuming & { readonly browser: Browser }

/** The values that the tables look at in addition to the request. */
export interface Loaded {
  readonly settings: Settings
  readonly now: number
  /** Undefined if there is no hint, or if it is not an ID token of this provider. */
  readonly hint: Hint | undefined
  /** True if all tokens of the client must be sender-constrained by the key or certificate that the token request proves. */
  readonly mustBeBound: boolean
  /** The requested authorization details. */
  readonly details: DetailsAsked
  /** The reason that the client is not known to belong to its sector. */
  readonly sectorFault: SectorFault | undefined
  readonly visitor: Visitor | undefined
}
