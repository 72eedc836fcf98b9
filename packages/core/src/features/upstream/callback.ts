import * as Effect from "effect/Effect"
import {
  type Command,
  type Decision,
  type Handle,
  type IdentityProvider,
  type Instant,
  type Interaction,
  type LoginProblem,
  type Seconds,
  type UpstreamIdentity,
  type Verification,
  replaceInteraction,
} from "../../model/index.ts"
import { readHandle, writeHandle } from "../../model/index.ts"
import type { UpstreamOutcome } from "../../ports/index.ts"
import { interactionRules } from "../../rules/interaction.ts"
import { type PageRefusal, refusePage, toPage } from "../../rules/page.ts"
import { type Objection, held, judge, pass, rule, table } from "../../rules/rule.ts"
import { accountOfIdentity } from "../../settle/account.ts"
import { askedBy } from "../../settle/asked.ts"
import { resumeSignedIn } from "../authorize/index.ts"
import { loadBrowser, loadInteraction } from "../../settle/browser.ts"
import { type Inquiry, findBy, once, sealSecret } from "../../settle/request.ts"
import { againOf } from "../../settle/signIn.ts"
import { afterFailure, callbackPath, derived } from "../../settle/upstream.ts"
import { type Params, paramsOf, readParams } from "../../wire/index.ts"
import type { Endpoint } from "../../settle/endpoint.ts"
import { sendOn } from "../../settle/sendOn.ts"

/** Why a person comes back to the sign-in page instead of signed in. */
interface UpstreamObjection extends Objection {
  readonly problem: LoginProblem
}

interface AnswerSeen {
  readonly provider: string
  readonly attempt: Interaction | undefined
}

interface OutcomeSeen {
  readonly outcome: UpstreamOutcome
  readonly attempt: Interaction
}

const attemptOf = ({ attempt }: AnswerSeen): Params => paramsOf(held(attempt).params)

/** Judges whether an answer belongs to an attempt of ours: after the waiting request's own rules. */
const answerRules = table<Params, AnswerSeen, PageRefusal>("upstream/answer", [
  rule("upstream.parameters-once", "RFC 6749 §3.1", (q) =>
    q.repeated.length === 0
      ? pass
      : refusePage(
          "request_invalid",
          400,
          "invalid_request",
          "A parameter is sent more than once.",
          "sent more than once by the other provider",
        ),
  ),
  rule("upstream.provider", "RFC 9700 §4.4.2.2", (_, s) =>
    attemptOf(s).one("idp") === s.provider
      ? pass
      : refusePage(
          "request_invalid",
          400,
          "invalid_request",
          "The answer is not one that was waited for.",
          "it came to the callback of another provider than the browser was sent to",
        ),
  ),
  rule("upstream.unused", "RFC 9700 §4.7.1", (_, s) =>
    held(s.attempt).finishedAt === undefined
      ? pass
      : refusePage(
          "interaction_finished",
          400,
          "invalid_request",
          "The sign-in is already finished.",
          "a second answer with the same state",
        ),
  ),
])

/** By how much the clocks of two providers may differ. */
const skew: Seconds = 30

const identityOf = ({ outcome }: OutcomeSeen): UpstreamIdentity => {
  if (outcome._tag !== "Identified") throw new Error("a sign-in went on that the other provider declined")
  return outcome.identity
}

/** What the other provider said. */
const outcomeRules = table<unknown, OutcomeSeen, UpstreamObjection>("upstream/outcome", [
  rule("upstream.identified", "OpenID Connect Core §3.1.2.6, §3.1.3.7", (_, { outcome }) =>
    outcome._tag === "Declined" ? { problem: outcome.denied ? "upstream_denied" : "upstream_failed", reason: outcome.reason } : pass,
  ),
  rule("upstream.fresh", "OpenID Connect Core §3.1.2.1, §3.1.3.7", (_, s) => {
    const maxAge = paramsOf(s.attempt.params).one("max_age")
    const { authTime } = identityOf(s)
    if (maxAge === undefined) return pass
    if (authTime === undefined)
      return { problem: "upstream_stale", reason: "a fresh sign-in was asked for, and it does not say when it was" }
    return authTime >= s.attempt.createdAt - Number(maxAge) - skew
      ? pass
      : { problem: "upstream_stale", reason: `signed in there ${s.attempt.createdAt - authTime} s before, max_age was ${maxAge} s` }
  }),
])

/** Judges whether the person it vouches for may sign in here. */
const admissionRules = table<unknown, Verification, UpstreamObjection>("upstream/admission", [
  rule("upstream.admitted", "OpenID Connect Core §5.7", (_, s) =>
    s._tag === "Verified" ? pass : { problem: "upstream_rejected", reason: s.reason },
  ),
  rule("upstream.person-active", "OpenID Connect Core §3.1.2.3", (_, s) =>
    s._tag === "Verified" && !s.person.active ? { problem: "upstream_rejected", reason: "the person is disabled" } : pass,
  ),
])

/** The tables of this endpoint, for the rule reference. */
export const callbackTables = [answerRules, outcomeRules, admissionRules] as const

/** The handle of the request that waits for an attempt: its secret is opened with the state's. */
const waitingOf = Effect.fnUntraced(function* (attempt: Interaction, state: Handle, { ports }: Inquiry) {
  const params = paramsOf(attempt.params)
  const locator = params.one("waiting")
  const sealed = params.one("sealed")
  if (locator === undefined || sealed === undefined) return undefined
  return writeHandle({ kind: "i", locator, secret: yield* sealSecret(ports, sealed, state.secret) })
})

/** Marks an attempt as answered: a second answer is refused. */
const finished = (attempt: Interaction, at: Instant): Command =>
  replaceInteraction({ ...attempt, finishedAt: at, version: attempt.version + 1 })

/** Where another provider sends the browser back to, by query or by form (OAuth 2.0 Form Post Response Mode §2). */
export const upstreamCallback = ({ name: provider }: IdentityProvider): Endpoint => ({
  name: "login-callback",
  path: callbackPath(provider),
  methods: ["GET", "POST"],
  audience: "people",
  cors: false,
  attempt: Effect.fnUntraced(function* (message, inquiry) {
    const { ports, now, trace, about } = inquiry
    const { settings } = ports
    const posted = message.method === "POST"
    const params = readParams(posted ? message.body : message.query)
    const browser = yield* loadBrowser(message, inquiry)
    const elsewhere = sendOn(callbackPath(provider), message, browser, inquiry)
    if (elsewhere !== undefined) return elsewhere
    const state = readHandle("u", params.one("state"))
    const found = yield* findBy(ports, state, ports.tokens.findInteraction, (row) => row.digest)
    const foreign =
      judge(trace, interactionRules, { now, interaction: found, browser }) ??
      judge(trace, answerRules, params, { provider, attempt: found })
    if (foreign !== undefined) return toPage(foreign)
    const attempt = held(found)
    const handle = yield* waitingOf(attempt, held(state), inquiry)
    const interaction = yield* loadInteraction(handle, inquiry)
    about.clientId = interaction?.clientId
    about.uiLocales = paramsOf(interaction?.params ?? []).one("ui_locales")
    const gone = handle === undefined ? undefined : judge(trace, interactionRules, { now, interaction, browser })
    if (gone !== undefined) return toPage(gone)
    const client = interaction === undefined ? undefined : yield* ports.clients.find(interaction.clientId)
    const asked = askedBy(interaction, client, inquiry)
    const nonce = yield* derived("nonce", browser.secret, held(state).secret, inquiry)
    const codeVerifier = yield* derived("verifier", browser.secret, held(state).secret, inquiry)
    const redirectUri = settings.issuer + callbackPath(provider)
    const outcome = yield* once(inquiry, "upstream", () =>
      ports.identityProviders.finish({
        provider,
        redirectUri,
        params: params.pairs,
        state: held(params.one("state")),
        nonce,
        codeVerifier,
      }),
    )
    if (outcome._tag === "Identified") about.account = yield* accountOfIdentity(outcome.identity, inquiry)
    const back = ({ problem }: UpstreamObjection): Decision => ({
      _tag: "Go",
      to: againOf(handle, problem, provider),
      cookies: [],
      commands: [finished(attempt, now), ...(interaction === undefined ? [] : [replaceInteraction(afterFailure(interaction, provider))])],
    })
    const declined = judge(trace, outcomeRules, undefined, { outcome, attempt })
    if (declined !== undefined) return back(declined)
    const identity = identityOf({ outcome, attempt })
    const verification = yield* once(inquiry, "verification", () => ports.authenticator.admit(identity, asked.tenant))
    const rejected = judge(trace, admissionRules, undefined, verification)
    if (rejected !== undefined) return back(rejected)
    if (verification._tag !== "Verified") return yield* Effect.die(new Error("a sign-in passed that was not admitted"))
    const { person, amr, acr } = verification
    about.subject = person.subject
    return yield* resumeSignedIn(
      { settings, now, browser, interaction, handle, client },
      { person, amr, acr, idp: provider, tenant: asked.tenant, authTime: Math.min(identity.authTime ?? now, now) },
      inquiry,
      [finished(attempt, now)],
    )
  }),
})
