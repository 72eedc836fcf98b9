import * as Effect from "effect/Effect"
import type {
  Command,
  Decision,
  FreshHandle,
  Interaction,
  LoginProblem,
  Page,
  Person,
  Refusal,
  Seconds,
  Secret,
  Session,
  Settings,
  Verification,
} from "../../model/index.ts"
import { refuse, secretOf } from "../../model/index.ts"
import { acrWord } from "../../rules/acr.ts"
import { browserRules } from "../../rules/browser.ts"
import { clientFace, personFace } from "../../rules/faces.ts"
import { interactionRules } from "../../rules/interaction.ts"
import { toPage } from "../../rules/page.ts"
import { type Objection, held, judge, pass, rule, table } from "../../rules/rule.ts"
import { type SessionSeen, isLive, sessionRules } from "../../rules/session.ts"
import { type Browser, loadBrowser, loadInteraction } from "../../settle/browser.ts"
import { type Inquiry, freshHandle } from "../../settle/request.ts"
import { type Message, isForm, paramsOf, readParams, writeParams } from "../../wire/index.ts"
import type { Endpoint } from "../endpoint.ts"

/** A sign-in that did not work: the form is shown again, with words for the person. */
interface LoginRefusal extends Refusal {
  readonly problem: LoginProblem
  readonly status: number
}

interface LoginForm {
  readonly isForm: boolean
  readonly csrf: string | undefined
  readonly username: string | undefined
  readonly password: Secret | undefined
}

const refuseLogin = (problem: LoginProblem, status: number, reason: string, retryAfter?: Seconds): LoginRefusal => ({
  ...refuse("access_denied", "The sign-in did not work.", reason),
  problem,
  status,
  retryAfter,
})

/** The longest password that is looked at; hashing longer ones would be work for nothing. */
const longestPassword = 1024

/** How a sign-in form must look before any password is checked. */
const formRules = table<LoginForm, { readonly csrf: string }, LoginRefusal>("login/form", [
  rule("login.form", "RFC 6749 appendix B", (q) =>
    q.isForm ? pass : refuseLogin("form_stale", 400, "another Content-Type than a form's"),
  ),
  rule("login.csrf", "RFC 6749 §10.12", (q, s) =>
    q.csrf === s.csrf ? pass : refuseLogin("form_stale", 400, q.csrf === undefined ? "no CSRF token" : "a CSRF token of another browser"),
  ),
  rule("login.username-present", "OpenID Connect Core §3.1.2.3", (q) =>
    q.username === undefined ? refuseLogin("credentials", 400, "no username") : pass,
  ),
  rule("login.password-present", "OpenID Connect Core §3.1.2.3", (q) =>
    q.password === undefined ? refuseLogin("credentials", 400, "no password") : pass,
  ),
  rule("login.password-length", "NIST SP 800-63B §3.1.1.2", (q) =>
    held(q.password).reveal().length <= longestPassword
      ? pass
      : refuseLogin("credentials", 400, `a password longer than ${longestPassword} characters`),
  ),
])

/** What the authenticator said. */
const verificationRules = table<unknown, Verification, LoginRefusal>("login/verification", [
  rule("login.throttled", "RFC 9700 §4.7", (_, s) =>
    s._tag === "Throttled" ? refuseLogin("throttled", 429, s.reason, s.retryAfter) : pass,
  ),
  rule("login.verified", "OpenID Connect Core §3.1.2.3", (_, s) =>
    s._tag === "Rejected" ? refuseLogin("credentials", 400, s.reason) : pass,
  ),
  rule("login.person-active", "OpenID Connect Core §3.1.2.3", (_, s) =>
    s._tag === "Verified" && !s.person.active ? refuseLogin("credentials", 400, "the person is disabled") : pass,
  ),
])

/** Whether a person who comes to sign in has done so meanwhile, in another tab say. */
const alreadyRules = table<unknown, SessionSeen & { readonly interaction: Interaction | undefined }, Objection>("login/already", [
  ...sessionRules.rules,
  rule("login.since", "OpenID Connect Core §3.1.2.3", (_, s) =>
    s.interaction === undefined || held(s.session).authTime > s.interaction.createdAt
      ? pass
      : { reason: "signed in before this request was made" },
  ),
])

/** The tables of this endpoint, for the rule reference. */
export const loginTables = [alreadyRules, formRules, verificationRules] as const

interface LoginSeen {
  readonly settings: Settings
  readonly now: number
  readonly browser: Browser
  readonly interaction: Interaction | undefined
  readonly handle: string | undefined
  readonly sessionHandle: FreshHandle
}

/** Where a sign-in form is got again after a POST that came without cookies. */
const againOf = (handle: string | undefined): string =>
  `/login?${writeParams([["problem", "form_stale"], ...(handle === undefined ? [] : ([["interaction", handle]] as const))])}`

const sentPassword = (text: string | undefined): Secret | undefined => (text === undefined ? undefined : secretOf(text))

/** Where the request that waited goes on: an authorization request, or a device's code. */
const resumeOf = (handle: string | undefined, interaction: Interaction | undefined): string => {
  const userCode = paramsOf(interaction?.params ?? []).one("user_code")
  if (userCode !== undefined) return `/device?${writeParams([["user_code", userCode]])}`
  return handle === undefined ? "/" : `/connect/authorize/resume?${writeParams([["interaction", handle]])}`
}

const tenantOf = (interaction: Interaction | undefined): string | undefined =>
  acrWord(paramsOf(interaction?.params ?? []).one("acr_values"), "tenant:")

/** Signs the person in: a new session in place of the old, and the request that waited goes on (OpenID Connect Core §3.1.2.3). */
const signIn = (s: LoginSeen, { person, amr, acr }: Extract<Verification, { _tag: "Verified" }>): Decision => {
  const { now, browser, interaction, sessionHandle, settings } = s
  const expiresAt = now + settings.sessionLifetime
  const session: Session = {
    locator: sessionHandle.locator,
    digest: sessionHandle.digest,
    subject: person.subject,
    authTime: now,
    amr,
    acr,
    idp: undefined,
    agent: browser.agent,
    createdAt: now,
    seenAt: now,
    expiresAt,
    endedAt: undefined,
    keepUntil: expiresAt,
  }
  const before: ReadonlyArray<Command> =
    browser.session === undefined ? [] : [{ _tag: "EndSession", locator: browser.session.locator, at: now, grants: false }]
  const waiting: ReadonlyArray<Command> =
    interaction === undefined
      ? []
      : [
          {
            _tag: "ReplaceInteraction",
            interaction: {
              ...interaction,
              signedInAt: now,
              subject: person.subject,
              consented: undefined,
              denied: false,
              version: interaction.version + 1,
            },
          },
        ]
  return {
    _tag: "Go",
    to: resumeOf(s.handle, interaction),
    cookies: [...browser.cookies, { name: "session", value: sessionHandle.value }],
    commands: [...before, { _tag: "SaveSession", session }, ...waiting],
  }
}

const showForm = Effect.fnUntraced(function* (
  s: LoginSeen,
  username: string | undefined,
  refusal: LoginRefusal | undefined,
  { ports }: Inquiry,
) {
  const client = s.interaction === undefined ? undefined : yield* ports.clients.find(s.interaction.clientId)
  const person: Person | undefined = isLive(s.browser.session, s.now)
    ? yield* ports.authenticator.find(s.browser.session.subject)
    : undefined
  const hint = paramsOf(s.interaction?.params ?? []).one("login_hint")
  const page: Page = {
    _tag: "Login",
    form: {
      action: "/login",
      hidden: [["csrf", s.browser.csrf], ...(s.handle === undefined ? [] : ([["interaction", s.handle]] as const))],
    },
    client: client === undefined ? undefined : clientFace(client),
    username: username ?? hint ?? "",
    problem: refusal?.problem,
    retryAfter: refusal?.retryAfter,
    person: person === undefined ? undefined : personFace(person),
    tenant: tenantOf(s.interaction),
  }
  return { _tag: "Show", page, status: refusal?.status ?? 200, cookies: s.browser.cookies, commands: [] } satisfies Decision as Decision
})

/** The page a person signs in on, and what its form comes to. */
export const login: Endpoint = {
  name: "login",
  path: "/login",
  methods: ["GET", "POST"],
  audience: "people",
  cors: false,
  attempt: Effect.fnUntraced(function* (message: Message, inquiry) {
    const { ports, now, trace } = inquiry
    const params = readParams(message.method === "POST" ? message.body : message.query)
    const browser = yield* loadBrowser(message, inquiry)
    const handle = params.one("interaction")
    const interaction = yield* loadInteraction(handle, inquiry)
    if (message.method === "POST" && judge(trace, browserRules, undefined, browser) !== undefined)
      return { _tag: "Go", to: againOf(handle), cookies: [], commands: [] } satisfies Decision as Decision
    inquiry.about.clientId = interaction?.clientId
    inquiry.about.uiLocales = paramsOf(interaction?.params ?? []).one("ui_locales")
    if (handle !== undefined) {
      const gone = judge(trace, interactionRules, undefined, { now, interaction, browser: browser.digest })
      if (gone !== undefined) return toPage(gone)
    }
    const seen: LoginSeen = { settings: ports.settings, now, browser, interaction, handle, sessionHandle: yield* freshHandle(inquiry, "s") }
    if (message.method !== "POST") {
      // A person who signed in meanwhile, in another tab say, need not do it again.
      const { session } = browser
      const person = session === undefined ? undefined : yield* ports.authenticator.find(session.subject)
      const needed = judge(trace, alreadyRules, undefined, { now, session, person, interaction })
      if (needed === undefined)
        return { _tag: "Go", to: resumeOf(handle, interaction), cookies: browser.cookies, commands: [] } satisfies Decision as Decision
      const stale =
        params.one("problem") === "form_stale" ? refuseLogin("form_stale", 400, "sent back from a POST without cookies") : undefined
      return yield* showForm(seen, undefined, stale, inquiry)
    }
    const q: LoginForm = {
      isForm: isForm(message.headers["content-type"]),
      csrf: params.one("csrf"),
      username: params.one("username"),
      password: sentPassword(params.one("password")),
    }
    const unfit = judge(trace, formRules, q, { csrf: browser.csrf })
    if (unfit !== undefined) return yield* showForm(seen, q.username, unfit, inquiry)
    const verification =
      inquiry.about.verification ??
      (yield* ports.authenticator.verify({
        username: held(q.username),
        password: held(q.password),
        tenant: tenantOf(interaction),
        acrValues: [],
        address: message.address,
      }))
    inquiry.about.verification = verification
    const refusal = judge(trace, verificationRules, undefined, verification)
    if (refusal !== undefined) return yield* showForm(seen, q.username, refusal, inquiry)
    if (verification._tag !== "Verified") return yield* Effect.die(new Error("a sign-in passed that was not verified"))
    inquiry.about.subject = verification.person.subject
    return signIn(seen, verification)
  }),
}
