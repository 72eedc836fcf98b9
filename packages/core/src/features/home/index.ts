import * as Effect from "effect/Effect"
import {
  type Command,
  type ConsentFace,
  type Decision,
  type Page,
  type Person,
  type Session,
  removeConsent,
  requireSession,
  revokeGrants,
  signOut,
} from "../../model/index.ts"
import { offlineAccess } from "../../model/index.ts"
import { clientFace, personFace, scopeFaces } from "../../rules/faces.ts"
import { type PageRefusal, refusePage, toPage } from "../../rules/page.ts"
import { held, judge, pass, rule, table } from "../../rules/rule.ts"
import { isLive, sessionRules } from "../../rules/session.ts"
import { type Browser, loadBrowser } from "../../settle/browser.ts"
import type { Inquiry } from "../../settle/request.ts"
import { anotherAccountOf } from "../../settle/signIn.ts"
import { type Message, type Params, isForm, readParams } from "../../wire/index.ts"
import type { Endpoint } from "../../settle/endpoint.ts"

const notices = ["session_ended", "consent_withdrawn"] as const

const consentFaces = Effect.fnUntraced(function* (subject: string, { ports, now }: Inquiry) {
  const faces: Array<ConsentFace> = []
  for (const { clientId, scope, grantedAt, expiresAt } of yield* ports.tokens.consentsOf(subject)) {
    const client = yield* ports.clients.find(clientId)
    if (client === undefined || (expiresAt !== 0 && expiresAt <= now)) continue
    faces.push({ client: clientFace(client), scopes: scopeFaces(ports.settings.catalogue, scope), grantedAt })
  }
  // A client that need not ask for consent may hold a grant all the same; it can be withdrawn here too.
  for (const { clientId, scope, createdAt, keepUntil } of yield* ports.tokens.grantsOf(subject)) {
    if (keepUntil <= now || !scope.includes(offlineAccess) || faces.some(({ client }) => client.clientId === clientId)) continue
    const client = yield* ports.clients.find(clientId)
    if (client !== undefined)
      faces.push({ client: clientFace(client), scopes: scopeFaces(ports.settings.catalogue, scope), grantedAt: createdAt })
  }
  return faces
})

const homePage = Effect.fnUntraced(function* (person: Person, browser: Browser, params: Params, inquiry: Inquiry) {
  const sessions = (yield* inquiry.ports.tokens.sessionsOf(person.subject)).filter((session) => isLive(session, inquiry.now))
  const form = (action: string) => ({ action, hidden: [["csrf", browser.sessionCsrf]] as const })
  return {
    _tag: "Home",
    person: personFace(person),
    sessions: sessions.map(({ locator, agent, address, authTime, seenAt }) => ({
      id: locator,
      agent,
      address,
      signedInAt: authTime,
      seenAt,
      current: locator === browser.session?.locator,
    })),
    consents: yield* consentFaces(person.subject, inquiry),
    endSession: form("/sessions/end"),
    withdrawConsent: form("/consents/withdraw"),
    logout: form("/logout"),
    another: anotherAccountOf(undefined),
    notice: notices.find((notice) => notice === params.one("notice")),
  } satisfies Page as Page
})

/** The home of a person who is signed in: their sessions, and what they have let clients have. */
export const home: Endpoint = {
  name: "home",
  path: "/",
  methods: ["GET"],
  audience: "people",
  cors: false,
  attempt: Effect.fnUntraced(function* (message, inquiry) {
    const browser = yield* loadBrowser(message, inquiry)
    const { session } = browser
    const person = session === undefined ? undefined : yield* inquiry.ports.authenticator.find(session.subject)
    inquiry.about.subject = person?.subject
    if (judge(inquiry.trace, sessionRules, { now: inquiry.now, session, person }) !== undefined)
      return { _tag: "Go", to: "/login", cookies: browser.cookies, commands: [] } satisfies Decision as Decision
    const page = yield* homePage(held(person), browser, readParams(message.query), inquiry)
    return { _tag: "Show", page, status: 200, cookies: browser.cookies, commands: [] } satisfies Decision as Decision
  }),
}

interface ActionSeen {
  readonly now: number
  readonly session: Session | undefined
  readonly csrf: string
}

const stale = (reason: string): PageRefusal => refusePage("form_stale", 400, "invalid_request", "The form is no longer valid.", reason)

/** What every form of the home page must show before it changes anything. */
const actionRules = table<{ readonly isForm: boolean; readonly csrf: string | undefined }, ActionSeen, PageRefusal>("home/action", [
  rule("home.form", "RFC 6749 appendix B", (q) => (q.isForm ? pass : stale("another Content-Type than a form's"))),
  rule("home.session", "OpenID Connect Core §3.1.2.3", (_, s) => (isLive(s.session, s.now) ? pass : stale("no session stands"))),
  rule("home.csrf", "RFC 6749 §10.12", (q, s) =>
    q.csrf === s.csrf ? pass : stale(q.csrf === undefined ? "no CSRF token" : "a CSRF token of another browser or session"),
  ),
])

/** The tables of this endpoint, for the rule reference. */
export const homeTables = [actionRules] as const

type Outcome = (session: Session, params: Params, inquiry: Inquiry) => ReturnType<Endpoint["attempt"]>

const action = (name: string, path: string, outcome: Outcome): Endpoint => ({
  name,
  path,
  methods: ["POST"],
  audience: "people",
  cors: false,
  attempt: Effect.fnUntraced(function* (message: Message, inquiry) {
    const browser = yield* loadBrowser(message, inquiry)
    const params = readParams(message.body)
    const q = { isForm: isForm(message.headers["content-type"]), csrf: params.one("csrf") }
    inquiry.about.subject = browser.session?.subject
    const refusal = judge(inquiry.trace, actionRules, q, { now: inquiry.now, session: browser.session, csrf: browser.sessionCsrf })
    if (refusal !== undefined) return toPage(refusal)
    return yield* outcome(held(browser.session), params, inquiry)
  }),
})

const done = (notice: (typeof notices)[number], commands: ReadonlyArray<Command>): Decision => ({
  _tag: "Go",
  to: `/?notice=${notice}`,
  cookies: [],
  commands,
})

/** What is done in a session needs it to stand still. */

/** Ends one of the person's sessions, and revokes what was granted in it. */
export const endSessionOfMine = action("end-session-of-mine", "/sessions/end", (own, params, { ports, now }) => {
  const { subject } = own
  const locator = params.one("session")
  if (locator === undefined) return Effect.succeed(done("session_ended", []))
  return Effect.map(ports.tokens.findSession(locator), (session) => {
    if (session?.subject !== subject) return done("session_ended", [])
    const end = signOut(locator, now)
    return done("session_ended", [
      // In one order, so that of two sessions that end each other neither waits for the other while it is waited for.
      ...(locator < own.locator ? [...end, requireSession(own.locator)] : [requireSession(own.locator), ...end]),
      revokeGrants({ subject, sessionId: locator }, now),
    ])
  })
})

/** Withdraws a consent, and revokes what the client was granted. */
export const withdrawConsent = action("withdraw-consent", "/consents/withdraw", (own, params, { now }) => {
  const { subject } = own
  const clientId = params.one("client_id")
  if (clientId === undefined) return Effect.succeed(done("consent_withdrawn", []))
  return Effect.succeed(
    done("consent_withdrawn", [requireSession(own.locator), removeConsent(subject, clientId), revokeGrants({ subject, clientId }, now)]),
  )
})
