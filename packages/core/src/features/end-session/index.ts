import * as Effect from "effect/Effect"
import { type Client, type Decision, type Form, type Page, type Person, type Session, type Trouble, signOut } from "../../model/index.ts"
import { personFace } from "../../rules/faces.ts"
import { shownNames } from "../../rules/form.ts"
import { keptLength, longestKept, longestRequest } from "../../rules/length.ts"
import { isForeign } from "../../rules/ownForm.ts"
import { type PageRefusal, refusePage, toPage } from "../../rules/page.ts"
import { type Objection, held, judge, pass, rule, table } from "../../rules/rule.ts"
import { isLive } from "../../rules/session.ts"
import { type Browser, loadBrowser } from "../../settle/browser.ts"
import { loadIdToken } from "../../settle/idToken.ts"
import type { Inquiry } from "../../settle/request.ts"
import { sidFor, subjectFor } from "../../settle/subject.ts"
import { type Message, type Params, isForm, readParams } from "../../wire/index.ts"
import type { Endpoint } from "../../settle/endpoint.ts"
import { sendOn } from "../../settle/sendOn.ts"

interface EndSessionRequest {
  readonly params: Params
  /** Its length as it was sent, in characters. */
  readonly length: number
  readonly isForm: boolean
  readonly idTokenHint: string | undefined
  readonly clientId: string | undefined
  readonly redirectUri: string | undefined
  readonly state: string | undefined
  /** Sent by our own page, when the person said yes. */
  readonly csrf: string | undefined
  /** The request's origin as the browser states it (`Sec-Fetch-Site`). */
  readonly fetchSite: string | undefined
}

/** An ID token of ours, whenever it expired (RP-Initiated Logout §4). */
interface Hint {
  readonly subject: string
  readonly clientId: string
  /** The session as that client knows it. */
  readonly sid: string | undefined
}

interface EndSessionSeen {
  readonly now: number
  readonly browser: Browser
  readonly session: Session | undefined
  readonly person: Person | undefined
  /** The session's person as the client knows them. */
  readonly sub: string | undefined
  /** The session as the client knows it. */
  readonly sid: string | undefined
  readonly hint: Hint | undefined
  /** The client named by the hint, or by client_id. */
  readonly client: Client | undefined
}

const invalid = (description: string, reason?: string, trouble: Trouble = "request_invalid"): PageRefusal =>
  refusePage(trouble, 400, "invalid_request", description, reason)

/** What is asked, and where the browser may go afterwards (RP-Initiated Logout §2, §3). */
const requestRules = table<EndSessionRequest, EndSessionSeen, PageRefusal>("end-session", [
  rule("end-session.form", "RP-Initiated Logout §2", (q) =>
    q.isForm ? pass : invalid("The body must be application/x-www-form-urlencoded."),
  ),
  rule("end-session.parameters-once", "RFC 6749 §3.1", (q) =>
    q.params.repeated.length === 0
      ? pass
      : invalid("A parameter is sent more than once.", `sent more than once: ${shownNames(q.params.repeated)}`),
  ),
  rule("end-session.length", "RFC 9110 §4.1, §17.5", (q) =>
    q.length <= longestRequest && (q.state === undefined || keptLength([["state", q.state]]) <= longestKept)
      ? pass
      : invalid(
          "The request is too long.",
          `longer than ${longestRequest} characters, or with a state of more than ${longestKept} as a URL has it`,
        ),
  ),
  rule("end-session.hint", "RP-Initiated Logout §2, §4", (q, s) =>
    q.idTokenHint === undefined || s.hint !== undefined
      ? pass
      : invalid(
          "The id_token_hint is not an ID token of this provider.",
          "not signed by a key of this provider that is still published, or no ID token",
          "logout_hint_invalid",
        ),
  ),
  rule("end-session.client-agrees", "RP-Initiated Logout §2", (q, s) =>
    q.clientId === undefined || s.hint === undefined || s.hint.clientId === q.clientId
      ? pass
      : invalid("The id_token_hint is not the client's.", "client_id and id_token_hint name different clients", "logout_hint_foreign"),
  ),
  rule("end-session.redirect-uri-client", "RP-Initiated Logout §3", (q, s) =>
    q.redirectUri === undefined || s.client !== undefined
      ? pass
      : invalid(
          "The post_logout_redirect_uri belongs to no known client.",
          "neither id_token_hint nor client_id names a client whose URI it could be",
          "logout_redirect_uri_invalid",
        ),
  ),
  rule("end-session.redirect-uri-registered", "RP-Initiated Logout §3.1", (q, s) =>
    q.redirectUri === undefined || held(s.client).postLogoutRedirectUris.includes(q.redirectUri)
      ? pass
      : invalid(
          "The post_logout_redirect_uri is not registered for this client.",
          "equal to none of the client's post_logout_redirect_uris",
          "logout_redirect_uri_invalid",
        ),
  ),
])

/** Judges whether the person must say yes first: anyone could send a browser here (RP-Initiated Logout §2, §6). */
const askRules = table<EndSessionRequest, EndSessionSeen, Objection>("end-session/ask", [
  rule("end-session.asked", "RP-Initiated Logout §2, §6, Fetch Metadata §2.3", (q, s) => {
    if (!isLive(s.session, s.now) || (q.csrf === s.browser.sessionCsrf && !isForeign(q.fetchSite))) return pass
    const theirs = s.hint !== undefined && s.hint.subject === s.sub && (s.hint.sid === undefined || s.hint.sid === s.sid)
    return theirs
      ? pass
      : { reason: s.hint === undefined ? "no id_token_hint says whose wish it is" : "the id_token_hint is of another person or session" }
  }),
])

/** The tables of this endpoint, for the rule reference. */
export const endSessionTables = [requestRules, askRules] as const

const hintOf = Effect.fnUntraced(function* (idTokenHint: string | undefined, inquiry: Inquiry) {
  const claims = yield* loadIdToken(idTokenHint, inquiry)
  const subject = claims?.["sub"]
  const clientId = claims?.["aud"]
  const sid = claims?.["sid"]
  if (typeof subject !== "string" || typeof clientId !== "string") return undefined
  return { subject, clientId, sid: typeof sid === "string" ? sid : undefined } satisfies Hint
})

/** A person who was removed while signed in can still sign out. */
const gone = (subject: string): Person => ({ subject, username: subject, active: false, claims: {} })

/** The parameters that mean something here (RP-Initiated Logout §2), which the page sends again when the person says yes. */
const repeatedByForm: ReadonlySet<string> = new Set([
  "id_token_hint",
  "logout_hint",
  "client_id",
  "post_logout_redirect_uri",
  "state",
  "ui_locales",
])

const ask = ({ params }: EndSessionRequest, { browser, person }: EndSessionSeen): Decision => {
  const form: Form = {
    action: "/connect/endsession",
    hidden: [["csrf", browser.sessionCsrf], ...params.pairs.filter(([name]) => repeatedByForm.has(name))],
  }
  const page: Page = { _tag: "Logout", person: personFace(held(person)), form }
  return { _tag: "Show", page, status: 200, cookies: browser.cookies, commands: [] }
}

/** Ends the session, and sends the browser back where the client may have it (RP-Initiated Logout §3). */
const end = ({ redirectUri, state }: EndSessionRequest, { session, now, client }: EndSessionSeen): Decision => {
  const commands = session === undefined ? [] : signOut(session.locator, now)
  const cookies = session === undefined ? [] : [{ name: "session" as const, value: undefined }]
  if (redirectUri === undefined || client === undefined)
    return { _tag: "Show", page: { _tag: "SignedOut" }, status: 200, cookies, commands }
  return { _tag: "Leave", to: redirectUri, params: state === undefined ? [] : [["state", state]], cookies, commands }
}

const parse = (message: Message): EndSessionRequest => {
  const posted = message.method === "POST"
  const sent = posted ? message.body : message.query
  const params = readParams(sent)
  return {
    params,
    length: sent.length,
    isForm: !posted || isForm(message.headers["content-type"]),
    idTokenHint: params.one("id_token_hint"),
    clientId: params.one("client_id"),
    redirectUri: params.one("post_logout_redirect_uri"),
    state: params.one("state"),
    csrf: posted ? params.one("csrf") : undefined,
    fetchSite: message.headers["sec-fetch-site"],
  }
}

/** The end session endpoint (RP-Initiated Logout §2). */
export const endSession: Endpoint = {
  name: "end-session",
  path: "/connect/endsession",
  methods: ["GET", "POST"],
  audience: "people",
  cors: false,
  attempt: Effect.fnUntraced(function* (message, inquiry) {
    const { ports, now, trace } = inquiry
    const q = parse(message)
    const browser = yield* loadBrowser(message, inquiry)
    const elsewhere = sendOn("/connect/endsession", message, browser, inquiry)
    if (elsewhere !== undefined) return elsewhere
    const hint = yield* hintOf(q.idTokenHint, inquiry)
    const clientId = hint?.clientId ?? q.clientId
    const { session } = browser
    const client = clientId === undefined ? undefined : yield* ports.clients.find(clientId)
    const seen: EndSessionSeen = {
      now,
      browser,
      session,
      person: session === undefined ? undefined : ((yield* ports.authenticator.find(session.subject)) ?? gone(session.subject)),
      sub: client === undefined || session === undefined ? session?.subject : yield* subjectFor(client, session.subject, inquiry),
      sid: client === undefined ? session?.locator : yield* sidFor(client, session?.locator, inquiry),
      hint,
      client,
    }
    inquiry.about.clientId = clientId
    inquiry.about.subject = session?.subject
    inquiry.about.uiLocales = q.params.one("ui_locales")
    const refusal = judge(trace, requestRules, q, seen)
    if (refusal !== undefined) return toPage(refusal)
    return judge(trace, askRules, q, seen) === undefined ? end(q, seen) : ask(q, seen)
  }),
}
