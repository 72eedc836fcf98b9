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

/** A request of a client that may ask. */
export type ClientRequest = AuthorizeRequest & { readonly client: Client }

/** Values that a page has established when it resumes a request. */
export interface PageChanges {
  /** Changes that every outcome carries: a sign-in. */
  readonly commands: ReadonlyArray<Command>
  /** Changes that count with the answer alone: a request that was answered before takes none. */
  readonly choice: ReadonlyArray<Command>
  /** True if the page's answer is still to be noted on the row that waits; false where the row has it from before. */
  readonly isNew: boolean
  readonly cookies: ReadonlyArray<CookieChange>
  readonly person: Person | undefined
  readonly consent: Consent | undefined
}

/** A waiting authorization request that a page resumes, with all that the page has read and established. */
export interface AnsweredPage extends PageChanges {
  /** The waiting request, with the person's answer noted on it. */
  readonly interaction: PendingAuthorization
  /** Its handle, as this browser holds it. */
  readonly handle: string
  /** The browser, with the session that the page leaves it with. */
  readonly browser: Browser
  readonly client: Client | undefined
}

/** A waiting authorization request that its person, or the page that asked them, turns down. */
export interface TurnedDown extends AnsweredPage {
  /** The error that the client is told (RFC 6749 §4.1.2.1). */
  readonly turnedDown: Refusal | undefined
}

/** A waiting authorization request, and the handle this browser holds of it. */
export interface Waiting extends Pick<AnsweredPage, "interaction" | "handle"> {
  /** Undefined where the browser came back by itself. */
  readonly page: PageChanges | undefined
}

/** A request that may be the resumption of one that waits. */
export interface Resuming {
  /** The pushed request that it came by (RFC 9126). */
  readonly pushed?: PushedRequest | undefined
  readonly waiting?: Waiting | undefined
}

/** A request that may name the key that its code is redeemed with alone (RFC 9449 §10). */
export interface KeyNaming {
  readonly codeBoundTo?: Confirmation | undefined
}

/** A request that may be answered to its client. */
export interface Trusted {
  readonly callback: Callback
}

/** The parts that an answer to the client needs. */
export type Answerable = Trusted & Resuming & { readonly now: number }

/** The person whom an `id_token_hint` names. */
export interface Hint {
  readonly subject: string
}

/** The session of the browser, live or not, and what was read of its person. */
export interface Visitor {
  readonly session: Session
  readonly person: Person | undefined
  readonly consent: Consent | undefined
  /** The person as the client knows them. */
  readonly sub: string
  /** True if the person's subject is a client_id too. */
  readonly subjectIsClient: boolean
}

/** A request of a known client, before anything is read beside it. */
export type Asking = ClientRequest & Resuming & { readonly browser: Browser }

/** All that the tables look at beside the request. */
export interface Loaded {
  readonly settings: Settings
  readonly now: number
  /** Undefined when there is no hint, or none of ours. */
  readonly hint: Hint | undefined
  /** True if all tokens of the client are to be bound to what a token request proves. */
  readonly mustBeBound: boolean
  /** The authorization details that are asked for. */
  readonly details: DetailsAsked
  /** The reason the client is not known to be of its sector. */
  readonly sectorFault: SectorFault | undefined
  readonly visitor: Visitor | undefined
}
