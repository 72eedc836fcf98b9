import * as Effect from "effect/Effect"
import {
  type Client,
  type Command,
  type Consent,
  type Decision,
  type Interaction,
  type Person,
  type Session,
  requireConsent,
  requireSession,
  saveConsent,
} from "../../model/index.ts"
import { scopeWords } from "../../model/index.ts"
import { claimWords, readClaimsRequest } from "../../rules/claims.ts"
import { clientFace, personFace, scopeFaces } from "../../rules/faces.ts"
import { interactionRules } from "../../rules/interaction.ts"
import { type PageRefusal, refusePage, toPage } from "../../rules/page.ts"
import { uriParts } from "../../rules/redirectUri.ts"
import { held, judge, pass, rule, table } from "../../rules/rule.ts"
import { sessionRules } from "../../rules/session.ts"
import { sessionTenantRules } from "../../rules/tenant.ts"
import { askedBy } from "../../settle/asked.ts"
import { resumeAuthorization } from "../authorize/index.ts"
import { type Browser, loadBrowser, loadInteraction } from "../../settle/browser.ts"
import type { Inquiry } from "../../settle/request.ts"
import { anotherAccountOf } from "../../settle/signIn.ts"
import { isForm, paramsOf, readParams, writeParams } from "../../wire/index.ts"
import type { Endpoint } from "../../settle/endpoint.ts"

interface ConsentForm {
  readonly isForm: boolean
  readonly csrf: string | undefined
  readonly decision: string | undefined
  readonly ticked: ReadonlyArray<string>
}

interface ConsentSeen {
  readonly now: number
  readonly client: Client | undefined
  readonly session: Session | undefined
  readonly person: Person | undefined
  readonly browser: Browser
  readonly interaction: Interaction
  readonly previous: Consent | undefined
}

const gone = (reason: string): PageRefusal =>
  refusePage("interaction_expired", 400, "invalid_request", "The sign-in is no longer waiting.", reason)
const stale = (reason: string): PageRefusal => refusePage("form_stale", 400, "invalid_request", "The form is no longer valid.", reason)

/** Who is asked, and for whom. */
const askRules = table<unknown, ConsentSeen, PageRefusal>("consent", [
  rule("consent.client", "OpenID Connect Core §3.1.2.4", (_, s) =>
    s.client === undefined || s.client.disabled ? gone("the client is gone or disabled") : pass,
  ),
])

/** What was answered. */
const answerRules = table<ConsentForm, ConsentSeen, PageRefusal>("consent/answer", [
  rule("consent.form", "RFC 6749 appendix B", (q) => (q.isForm ? pass : stale("another Content-Type than a form's"))),
  rule("consent.csrf", "RFC 6749 §10.12", (q, s) =>
    q.csrf === s.browser.sessionCsrf ? pass : stale(q.csrf === undefined ? "no CSRF token" : "a CSRF token of another browser or session"),
  ),
  rule("consent.decision", "OpenID Connect Core §3.1.2.4", (q) =>
    q.decision === "allow" || q.decision === "deny" ? pass : stale("neither allow nor deny"),
  ),
])

/** The tables of this endpoint, for the rule reference. */
export const consentTables = [askRules, answerRules] as const

const resumeOf = (handle: string): string => `/connect/authorize/resume?${writeParams([["interaction", handle]])}`

/** Everything asked for that the client may have: scopes, and claims by name. */
const requestedScope = ({ interaction, client }: ConsentSeen, { ports }: Inquiry): ReadonlyArray<string> => {
  const params = paramsOf(interaction.params)
  const scope = scopeWords(params.one("scope") ?? "").filter((name) => held(client).scope.includes(name))
  return [...scope, ...claimWords(ports.settings.catalogue, held(client), scope, readClaimsRequest(params.one("claims")))]
}

/** Where the browser goes afterwards, as far as a person should know it. */
const destination = (interaction: Interaction): string => {
  const parts = uriParts(paramsOf(interaction.params).one("redirect_uri") ?? "")
  if (parts === undefined || parts.host === "") return `${parts?.scheme ?? ""}:`
  return `${parts.scheme}://${parts.host}${parts.port === undefined ? "" : `:${parts.port}`}`
}

const show = (s: ConsentSeen, handle: string, inquiry: Inquiry): Decision => ({
  _tag: "Show",
  status: 200,
  cookies: s.browser.cookies,
  commands: [],
  page: {
    _tag: "Consent",
    form: {
      action: "/consent",
      hidden: [
        ["csrf", s.browser.sessionCsrf],
        ["interaction", handle],
      ],
    },
    client: clientFace(held(s.client)),
    person: personFace(held(s.person)),
    scopes: scopeFaces(inquiry.ports.settings.catalogue, requestedScope(s, inquiry)),
    destination: destination(s.interaction),
    another: anotherAccountOf(handle),
  },
})

/** The answer: remembered for the client, and noted on the request that waits. */
const answer = (q: ConsentForm, s: ConsentSeen, inquiry: Inquiry) => {
  const { catalogue } = inquiry.ports.settings
  const { interaction, now } = s
  const subject = held(s.session).subject
  const { clientId, lifetimes } = held(s.client)
  const requested = requestedScope(s, inquiry)
  const allowed = requested.filter(
    (name) => q.ticked.includes(name) || catalogue.identity.get(name)?.required === true || catalogue.resource.get(name)?.required === true,
  )
  const denied = q.decision === "deny"
  const noted: Interaction = {
    ...interaction,
    subject,
    denied,
    consented: denied ? undefined : allowed,
  }
  const stillGood = s.previous !== undefined && (s.previous.expiresAt === 0 || now < s.previous.expiresAt) ? s.previous : undefined
  const carried = (stillGood?.scope ?? []).filter((name) => !requested.includes(name))
  const consent: Consent = {
    subject,
    clientId,
    scope: [...carried, ...allowed],
    grantedAt: now,
    // What is carried over keeps its end: a consent is not made longer by another.
    expiresAt: carried.length > 0 && stillGood !== undefined ? stillGood.expiresAt : lifetimes.consent === 0 ? 0 : now + lifetimes.consent,
  }
  const commands: ReadonlyArray<Command> = [requireSession(held(s.session).locator), ...(denied ? [] : save(consent, s.previous))]
  return { interaction: noted, consent: denied ? s.previous : consent, commands }
}

/** A consent takes the place of just the one that it carries on: another of the same second has another scope. */
const save = (consent: Consent, previous: Consent | undefined): ReadonlyArray<Command> => [
  ...(previous === undefined ? [] : [requireConsent(previous)]),
  saveConsent(consent, previous?.grantedAt),
]

/** The page that asks a person what a client may have, and what the answer comes to (OpenID Connect Core §3.1.2.4). */
export const consent: Endpoint = {
  name: "consent",
  path: "/consent",
  methods: ["GET", "POST"],
  audience: "people",
  cors: false,
  attempt: Effect.fnUntraced(function* (message, inquiry) {
    const { ports, now, trace } = inquiry
    const params = readParams(message.method === "POST" ? message.body : message.query)
    const browser = yield* loadBrowser(message, inquiry)
    const handle = params.one("interaction")
    const interaction = yield* loadInteraction(handle, inquiry)
    const lost = judge(trace, interactionRules, { now, interaction, browser })
    if (lost !== undefined) return toPage(lost)
    const { clientId } = held(interaction)
    const { session } = browser
    const seen: ConsentSeen = {
      now,
      client: yield* ports.clients.find(clientId),
      session,
      person: session === undefined ? undefined : yield* ports.authenticator.find(session.subject),
      browser,
      interaction: held(interaction),
      previous: session === undefined ? undefined : yield* ports.tokens.findConsent(session.subject, clientId),
    }
    inquiry.about.clientId = clientId
    inquiry.about.uiLocales = paramsOf(seen.interaction.params).one("ui_locales")
    inquiry.about.subject = session?.subject
    const { tenant } = askedBy(seen.interaction, seen.client, inquiry)
    const unfit = judge(trace, askRules, undefined, seen)
    if (unfit !== undefined) return toPage(unfit)
    // The request that waits leads to sign-in again.
    if (
      judge(trace, sessionRules, { now, session, person: seen.person }) !== undefined ||
      judge(trace, sessionTenantRules, { tenant, session: held(session), person: seen.person }) !== undefined
    )
      return { _tag: "Go", to: resumeOf(held(handle)), cookies: browser.cookies, commands: [] } satisfies Decision as Decision
    if (message.method !== "POST") return show(seen, held(handle), inquiry)
    const q: ConsentForm = {
      isForm: isForm(message.headers["content-type"]),
      csrf: params.one("csrf"),
      decision: params.one("decision"),
      ticked: params.all("scope"),
    }
    const refusal = judge(trace, answerRules, q, seen)
    if (refusal !== undefined) return toPage(refusal)
    const { client, person } = seen
    return yield* resumeAuthorization({ ...answer(q, seen, inquiry), handle: held(handle), browser, client, person, cookies: [] }, inquiry)
  }),
}
