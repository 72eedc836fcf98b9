import * as Effect from "effect/Effect"
import type { AccessHandle, Client, Consent, FreshHandle, Locator, Person, Session, Settings } from "../../model/index.ts"
import { holdTo, profileOf } from "../../rules/profile.ts"
import type { SectorFault } from "../../rules/sector.ts"
import { isLive } from "../../rules/session.ts"
import type { Browser } from "../../settle/browser.ts"
import { loadIdToken } from "../../settle/idToken.ts"
import { type Inquiry, freshAccess, freshHandle, freshLocator } from "../../settle/request.ts"
import { sectorFaultOf } from "../../settle/sector.ts"
import { sidFor, subjectFor } from "../../settle/subject.ts"
import { type AuthorizeRequest, carriesToken, gives } from "./parse.ts"
import type { Waiting } from "./resume.ts"

/** Whom an `id_token_hint` names. */
export interface Hint {
  readonly subject: string
}

/** All that the authorize tables look at beside the request. */
export interface AuthorizeSeen {
  readonly settings: Settings
  readonly now: number
  readonly client: Client | undefined
  readonly session: Session | undefined
  readonly person: Person | undefined
  readonly consent: Consent | undefined
  /** The waiting request this one is the resumption of. */
  readonly waiting: Waiting | undefined
  /** The provider that `acr_values` ask for, where it may be used. */
  readonly provider: string | undefined
  /** The tenant that `acr_values` ask for. */
  readonly tenant: string | undefined
  /** Undefined when there is no hint, or none of ours. */
  readonly hint: Hint | undefined
  /** True if the person's subject is a client_id too. */
  readonly subjectIsClient: boolean
  readonly browser: Browser
  /** The session's person as the client knows them. */
  readonly sub: string | undefined
  /** Why the client is not known to be of its sector. */
  readonly sectorFault: SectorFault | undefined
  /** The session as the client knows it. */
  readonly sid: string | undefined
  readonly grantId: Locator
  /** Of a response type with a code. */
  readonly codeHandle: FreshHandle | undefined
  /** Of a response type with a token. */
  readonly accessHandle: AccessHandle | undefined
  /** Of a request that does not wait yet. */
  readonly interactionHandle: FreshHandle | undefined
}

const hintOf = Effect.fnUntraced(function* (q: AuthorizeRequest, waiting: Waiting | undefined, inquiry: Inquiry) {
  const kept = waiting?.interaction.hint
  if (kept !== undefined) return { subject: kept } satisfies Hint
  const claims = yield* loadIdToken(q.idTokenHint, inquiry)
  const subject = claims?.["sub"]
  return claims?.["aud"] === q.clientId && typeof subject === "string" ? ({ subject } satisfies Hint) : undefined
})

/** Finds who asks. */
export const loadClient = Effect.fnUntraced(function* (q: AuthorizeRequest, { ports, about, trace }: Inquiry) {
  const client = q.clientId === undefined ? undefined : yield* ports.clients.find(q.clientId)
  about.clientId = client?.clientId
  if (client !== undefined) {
    about.profile = profileOf(client, ports.settings)
    holdTo(about.profile, trace)
  }
  about.uiLocales = q.params.one("ui_locales") ?? ""
  return client
})

const loadPerson = Effect.fnUntraced(function* (client: Client | undefined, session: Session | undefined, { ports }: Inquiry) {
  if (session === undefined) return { person: undefined, consent: undefined }
  return {
    person: yield* ports.authenticator.find(session.subject),
    consent: client === undefined ? undefined : yield* ports.tokens.findConsent(session.subject, client.clientId),
  }
})

/** Reads what the tables need beside the client: session, person, consent. */
export const load = Effect.fnUntraced(function* (
  q: AuthorizeRequest,
  client: Client | undefined,
  waiting: Waiting | undefined,
  browser: Browser,
  inquiry: Inquiry,
  known?: Pick<AuthorizeSeen, "person" | "consent">,
) {
  const { ports, now } = inquiry
  const session = browser.session
  const { person, consent } = known ?? (yield* loadPerson(client, session, inquiry))
  const seen: AuthorizeSeen = {
    settings: ports.settings,
    now,
    client,
    session,
    person,
    consent,
    waiting,
    provider: undefined,
    tenant: undefined,
    hint: yield* hintOf(q, waiting, inquiry),
    subjectIsClient: session !== undefined && (yield* ports.clients.find(session.subject)) !== undefined,
    browser,
    sub: client === undefined || session === undefined ? undefined : yield* subjectFor(client, session.subject, inquiry),
    sectorFault: client === undefined ? undefined : yield* sectorFaultOf(client, inquiry),
    sid: client === undefined ? undefined : yield* sidFor(client, session?.locator, inquiry),
    grantId: freshLocator(inquiry),
    codeHandle: gives(q, "code") ? yield* freshHandle(inquiry, "c") : undefined,
    accessHandle: carriesToken(q) && client !== undefined ? yield* freshAccess(inquiry, client) : undefined,
    interactionHandle: waiting === undefined ? yield* freshHandle(inquiry, "i") : undefined,
  }
  // A request object may say nothing of it; what stands beside it in the query counts for nothing (RFC 9101 §6.3).
  inquiry.about.uiLocales = q.params.one("ui_locales") ?? ""
  inquiry.about.subject = isLive(session, now) ? session.subject : undefined
  return seen
})
