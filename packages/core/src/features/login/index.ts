import * as Effect from "effect/Effect"
import type {
  Client,
  Decision,
  Interaction,
  LoginProblem,
  Page,
  Person,
  Refusal,
  Seconds,
  Secret,
  Verification,
} from "../../model/index.ts"
import { refuse, secretOf } from "../../model/index.ts"
import { browserRules } from "../../rules/browser.ts"
import { type GuessSeen, budgetRule } from "../../rules/budget.ts"
import { clientFace, personFace } from "../../rules/faces.ts"
import { interactionRules } from "../../rules/interaction.ts"
import { toPage } from "../../rules/page.ts"
import { askedProvider, offeredProviders, sessionSource } from "../../rules/provider.ts"
import { type Objection, held, judge, pass, rule, table } from "../../rules/rule.ts"
import { type SessionSeen, isLive, sessionTable } from "../../rules/session.ts"
import { sessionTenant } from "../../rules/tenant.ts"
import { accountOf } from "../../settle/account.ts"
import { askedBy } from "../../settle/asked.ts"
import { passwordBudgets } from "../../settle/budgets.ts"
import { resumeSignedIn } from "../authorize/index.ts"
import { loadBrowser, loadInteraction } from "../../settle/browser.ts"
import { knownCookie, knownDevice } from "../../settle/knownDevice.ts"
import { type Inquiry, once } from "../../settle/request.ts"
import { judging, reserve, rightGuess } from "../../settle/reserve.ts"
import { type SignInSeen, againOf, anotherAccountOf, resumeOf } from "../../settle/signIn.ts"
import { begin, failedBefore } from "../../settle/upstream.ts"
import { type Message, type Params, isForm, paramsOf, readParams } from "../../wire/index.ts"
import type { Endpoint } from "../../settle/endpoint.ts"

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

/** The most of a username that the form is filled with again, in characters. */
const longestShown = 256

/** How a sign-in form must look before any password is checked. */
const formRules = table<LoginForm, { readonly csrf: string; readonly client: Client | undefined }, LoginRefusal>("login/form", [
  rule("login.form", "RFC 6749 appendix B", (q) =>
    q.isForm ? pass : refuseLogin("form_stale", 400, "another Content-Type than a form's"),
  ),
  rule("login.csrf", "RFC 6749 §10.12", (q, s) =>
    q.csrf === s.csrf ? pass : refuseLogin("form_stale", 400, q.csrf === undefined ? "no CSRF token" : "a CSRF token of another browser"),
  ),
  rule("login.local-allowed", "specification §1", (_, s) =>
    s.client?.allowLocalLogin === false ? refuseLogin("local_forbidden", 400, "the client does not allow a password of ours") : pass,
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

const throttled = (wait: Seconds, reason: string): LoginRefusal => refuseLogin("throttled", 429, reason, wait)

/** Judges whether another password may be judged. */
const attemptRules = table<GuessSeen, LoginRefusal>("login/attempts")
  .include(budgetRule("login.device-attempts", "NIST SP 800-63B §3.2.2", "device", throttled))
  .include(budgetRule("login.account-attempts", "NIST SP 800-63B §3.2.2", "account", throttled))
  .include(budgetRule("login.address-attempts", "NIST SP 800-63B §3.2.2", "address", throttled))

/** What the authenticator said. */
const verificationRules = table<unknown, Verification, LoginRefusal>("login/verification", [
  rule("login.throttled", "NIST SP 800-63B §3.2.2", (_, s) => (s._tag === "Throttled" ? throttled(s.retryAfter, s.reason) : pass)),
  rule("login.verified", "OpenID Connect Core §3.1.2.3", (_, s) =>
    s._tag === "Rejected" ? refuseLogin("credentials", 400, s.reason) : pass,
  ),
  rule("login.person-active", "OpenID Connect Core §3.1.2.3", (_, s) =>
    s._tag === "Verified" && !s.person.active ? refuseLogin("credentials", 400, "the person is disabled") : pass,
  ),
])

interface AlreadySeen extends SessionSeen {
  readonly interaction: Interaction | undefined
  readonly client: Client | undefined
  /** The tenant that the waiting request asks for. */
  readonly tenant: string | undefined
  /** True if somebody else wants to sign in than who is signed in. */
  readonly another: boolean
}

/** Judges whether a person who comes to sign in has done so meanwhile, in another tab say. */
const alreadyRules = sessionTable<AlreadySeen>("login/already")
  .rule("login.since", "OpenID Connect Core §3.1.2.3", ({ interaction, session }) =>
    interaction === undefined || session.authTime > interaction.createdAt ? pass : { reason: "signed in before this request was made" },
  )
  .include(sessionSource("login.source"))
  .rule("login.same-account", "OpenID Connect Core §3.1.2.1", ({ another }) =>
    another ? { reason: "the person wants to use another account" } : pass,
  )
  .include(sessionTenant("login"))

/** Judges whether the browser is sent to another provider without a page between. Once that has failed the person chooses. */
const forwardRules = table<unknown, Interaction | undefined, Objection>("login/forward", [
  rule("login.forward-untried", "specification §2.1 acr_values", (_, interaction) =>
    interaction === undefined || failedBefore(interaction) === undefined
      ? pass
      : { reason: "a sign-in at another provider failed before: the person chooses" },
  ),
])

/** The tables of this endpoint, for the rule reference. */
export const loginTables = [alreadyRules, forwardRules, formRules, attemptRules, verificationRules] as const

interface LoginSeen extends SignInSeen {
  readonly client: Client | undefined
  /** True if somebody else wants to sign in than who is signed in. */
  readonly another: boolean
}

const sentPassword = (text: string | undefined): Secret | undefined => (text === undefined ? undefined : secretOf(text))

/** Problems that a sign-in page is got again for, by a redirect that names them. */
const told: ReadonlyArray<LoginProblem> = ["form_stale", "upstream_denied", "upstream_failed", "upstream_stale", "upstream_rejected"]

const toldProblem = (params: Params): LoginRefusal | undefined => {
  const problem = told.find((each) => each === params.one("problem"))
  return problem === undefined ? undefined : refuseLogin(problem, 400, "sent back here")
}

interface Shown {
  readonly username: string | undefined
  readonly refusal: LoginRefusal | undefined
  /** The provider that the refusal is about. */
  readonly about: string | undefined
}

const showForm = Effect.fnUntraced(function* (s: LoginSeen, { username, refusal, about }: Shown, inquiry: Inquiry) {
  const { ports } = inquiry
  const { client, settings } = s
  const person: Person | undefined =
    !s.another && isLive(s.browser.session, s.now) ? yield* ports.authenticator.find(s.browser.session.subject) : undefined
  const hint = paramsOf(s.interaction?.params ?? []).one("login_hint")
  const hidden = [["csrf", s.browser.csrf] as const, ...(s.handle === undefined ? [] : ([["interaction", s.handle]] as const))]
  const page: Page = {
    _tag: "Login",
    form: { action: "/login", hidden },
    client: client === undefined ? undefined : clientFace(client),
    username: (username ?? hint ?? person?.username ?? "").slice(0, longestShown),
    local: client?.allowLocalLogin ?? true,
    providers: offeredProviders({ settings, client }).map(({ name, displayName }) => ({
      name,
      displayName,
      form: { action: "/login/upstream", hidden: [...hidden, ["provider", name], ...(s.another ? ([["another", "1"]] as const) : [])] },
    })),
    problem: refusal?.problem,
    problemProvider: settings.identityProviders.find(({ name }) => name === about)?.displayName,
    retryAfter: refusal?.retryAfter,
    person: person === undefined ? undefined : personFace(person),
    another: person === undefined ? undefined : anotherAccountOf(s.handle),
    tenant: inquiry.about.tenant,
  }
  return { _tag: "Show", page, status: refusal?.status ?? 200, cookies: s.browser.cookies, commands: [] } satisfies Decision as Decision
})

/** The only provider there is a way in by, for a client that wants no password of ours. */
const onlyWay = ({ settings, client }: LoginSeen): string | undefined => {
  const offered = client === undefined || client.allowLocalLogin ? [] : offeredProviders({ settings, client })
  return offered.length === 1 ? offered[0]?.name : undefined
}

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
    if (message.method === "POST" && judge(trace, browserRules, { browser }) !== undefined)
      return { _tag: "Go", to: againOf(handle, "form_stale"), cookies: [], commands: [] } satisfies Decision as Decision
    inquiry.about.clientId = interaction?.clientId
    inquiry.about.uiLocales = paramsOf(interaction?.params ?? []).one("ui_locales")
    if (handle !== undefined) {
      const gone = judge(trace, interactionRules, { now, interaction, browser })
      if (gone !== undefined) return toPage(gone)
    }
    const client = interaction === undefined ? undefined : yield* ports.clients.find(interaction.clientId)
    const asked = askedBy(interaction, client, inquiry)
    const { settings } = ports
    const another = params.one("another") !== undefined
    const seen: LoginSeen = { settings, now, browser, interaction, handle, client, another }
    if (message.method !== "POST") {
      // A person who signed in meanwhile, in another tab say, need not do it again.
      const { session } = browser
      const person = session === undefined ? undefined : yield* ports.authenticator.find(session.subject)
      const needed = judge(trace, alreadyRules, { another, now, session, person, interaction, client, tenant: asked.tenant })
      if (needed === undefined)
        return { _tag: "Go", to: resumeOf(handle, interaction), cookies: browser.cookies, commands: [] } satisfies Decision as Decision
      const provider = askedProvider(asked, { settings, client }, trace) ?? onlyWay(seen)
      if (provider !== undefined && judge(trace, forwardRules, undefined, interaction) === undefined)
        return yield* begin(provider, seen, inquiry)
      return yield* showForm(seen, { username: undefined, refusal: toldProblem(params), about: params.one("idp") }, inquiry)
    }
    const q: LoginForm = {
      isForm: isForm(message.headers["content-type"]),
      csrf: params.one("csrf"),
      username: params.one("username"),
      password: sentPassword(params.one("password")),
    }
    const shown = (refusal: LoginRefusal) => showForm(seen, { username: q.username, refusal, about: undefined }, inquiry)
    const unfit = judge(trace, formRules, q, { csrf: browser.csrf, client })
    if (unfit !== undefined) return yield* shown(unfit)
    const [username, typed] = [held(q.username), held(q.password)]
    inquiry.about.account = yield* accountOf(username, inquiry)
    const device = yield* knownDevice(message, username, inquiry)
    const over = yield* reserve(attemptRules, yield* passwordBudgets(username, device, inquiry), inquiry)
    if (over !== undefined) return yield* shown(over)
    const credentials = { username, password: typed, tenant: asked.tenant, acrValues: asked.contexts, address: message.address }
    const verification = yield* once(inquiry, "verification", () => judging(ports.authenticator.verify(credentials), inquiry))
    const refusal = judge(trace, verificationRules, undefined, verification)
    if (refusal !== undefined) return yield* shown(refusal)
    if (verification._tag !== "Verified") return yield* Effect.die(new Error("a sign-in passed that was not verified"))
    const { person, amr, acr } = verification
    inquiry.about.subject = person.subject
    const known = { ...browser, cookies: [...browser.cookies, yield* knownCookie(message, username, inquiry)] }
    const who = { person, amr, acr, idp: undefined, tenant: asked.tenant, authTime: now }
    return yield* judging(resumeSignedIn({ ...seen, browser: known }, who, inquiry, rightGuess(inquiry)), inquiry)
  }),
}
