import {
  type Handle,
  type IdentityProvider,
  type LoginProblem,
  type PendingUpstream,
  type Seconds,
  type Verification,
  type WaitingRequest,
  finishUpstream,
  noteAnswer,
  readHandle,
  writeHandle,
} from "../../model/index.ts"
import type { UpstreamOutcome } from "../../ports/index.ts"
import { mapped, onward, together } from "../../ports/steps.ts"
import { type PageRefusal, invalidPage } from "../../rules/page.ts"
import { type Objection, pass, prove, table } from "../../rules/rule.ts"
import { accountOfIdentity } from "../../settle/account.ts"
import { loadInteraction } from "../../settle/browser.ts"
import { attempted, claimed, redeeming } from "../../settle/claim.ts"
import { type Endpoint, endpoint } from "../../settle/endpoint.ts"
import { go, page } from "../../settle/pages.ts"
import { type Inquiry, once, sealSecret } from "../../settle/request.ts"
import { sentOn } from "../../settle/sentOn.ts"
import { againOf } from "../../settle/signIn.ts"
import { waitingForSignIn } from "../../settle/signInPage.ts"
import { afterFailure, callbackPath, callbackPaths, derived } from "../../settle/upstream.ts"
import type { Params } from "../../wire/index.ts"
import { type MoreOfSignIn, resumeSignedIn } from "../authorize/index.ts"
import { toldAgain } from "./toldAgain.ts"

/** A response of another provider, and the attempt that its `state` names. */
interface AnswerSeen {
  readonly params: Params
  readonly provider: string
  readonly state: Handle | undefined
  readonly attempt: PendingUpstream
}

/** Judges whether a response belongs to an attempt of this provider, after the waiting request's own rules. */
const answerRules = table<AnswerSeen, PageRefusal>("upstream/answer")
  .rule("upstream.parameters-once", "RFC 6749 §3.1", ({ params }) =>
    params.repeated.length === 0
      ? pass
      : invalidPage("request_invalid", "A parameter is sent more than once.", "sent more than once by the other provider"),
  )
  .establish("upstream.provider", "RFC 9700 §4.4.2.2", ({ attempt, provider, state }) =>
    state !== undefined && attempt.provider === provider
      ? prove({ state })
      : invalidPage(
          "request_invalid",
          "The answer is not one that was waited for.",
          "it came to the callback of another provider than the browser was sent to",
        ),
  )

/** The reason that a person returns to the sign-in page without being signed in. */
interface UpstreamObjection extends Objection {
  readonly problem: LoginProblem
}

/** The seconds by which the clocks of two providers may differ. */
const skew: Seconds = 30

/** Judges the other provider's response. */
const outcomeRules = table<{ readonly outcome: UpstreamOutcome; readonly attempt: PendingUpstream }, UpstreamObjection>("upstream/outcome")
  .establish("upstream.identified", "OpenID Connect Core §3.1.2.6, §3.1.3.7", ({ outcome }) =>
    outcome._tag === "Declined"
      ? { problem: outcome.denied ? "upstream_denied" : "upstream_failed", reason: outcome.reason }
      : prove({ identity: outcome.identity }),
  )
  .rule("upstream.fresh", "OpenID Connect Core §3.1.2.1, §3.1.3.7", ({ attempt, identity: { authTime } }) => {
    const { maxAge } = attempt
    if (maxAge === undefined) return pass
    if (authTime === undefined)
      return { problem: "upstream_stale", reason: "a fresh sign-in was asked for, and it does not say when it was" }
    return authTime >= attempt.createdAt - maxAge - skew
      ? pass
      : { problem: "upstream_stale", reason: `signed in there ${attempt.createdAt - authTime} s before, max_age was ${maxAge} s` }
  })

/** Judges whether the person that the other provider authenticated may sign in here. */
const admissionRules = table<{ readonly verification: Verification }, UpstreamObjection>("upstream/admission")
  .establish("upstream.admitted", "OpenID Connect Core §5.7", ({ verification }) =>
    verification._tag === "Verified" ? prove({ verified: verification }) : { problem: "upstream_rejected", reason: verification.reason },
  )
  .rule("upstream.person-active", "OpenID Connect Core §3.1.2.3", ({ verified }) =>
    verified.person.active ? pass : { problem: "upstream_rejected", reason: "the person is disabled" },
  )

/** The handle of the request that waits for an attempt. Its secret is decrypted with the secret of the state. */
const waitingOf = ({ waiting }: PendingUpstream, state: Handle, { ports }: Inquiry) =>
  waiting &&
  mapped(sealSecret(ports, waiting.sealed, state.secret), (secret) => writeHandle({ kind: "i", locator: waiting.locator, secret }))

interface Waited {
  readonly provider: string
  readonly attempt: PendingUpstream
  readonly handle: string | undefined
  readonly interaction: WaitingRequest | undefined
  readonly now: number
}

/** Redirects the person to the sign-in page, and records on the request that the provider failed. */
const back = ({ problem }: UpstreamObjection, { provider, attempt, handle, interaction, now }: Waited) =>
  go(
    againOf(handle, problem, provider),
    [],
    [
      finishUpstream(attempt, now, { outcome: "refused", problem }),
      ...(interaction === undefined || interaction.finishedAt !== undefined ? [] : [noteAnswer(afterFailure(interaction, provider))]),
    ],
  )

/** The endpoint to which another provider redirects the browser, by query or by form (OAuth 2.0 Form Post Response Mode §2). */
export const upstreamCallback = ({ name: provider }: IdentityProvider): Endpoint => {
  const path = callbackPath(provider)
  return endpoint(
    { name: "login-callback", path, countedAs: callbackPaths, methods: ["GET", "POST"], audience: "people", cors: false },
    page
      .through(sentOn(path))
      .read(({ params }) => ({ provider, state: readHandle("u", params.one("state")) }))
      .through(attempted)
      .judge(answerRules)
      .read(({ attempt, state }, inquiry) =>
        onward(together({ handle: waitingOf(attempt, state, inquiry) }), ({ handle }) =>
          together({ handle, interaction: loadInteraction(handle, inquiry) }),
        ),
      )
      .through(waitingForSignIn)
      .through(claimed)
      .through(toldAgain)
      .read(({ browser, attempt, state, params, settings }, inquiry) => {
        const secrets = together({
          nonce: derived("nonce", browser.secret, state.secret, inquiry),
          codeVerifier: derived("verifier", browser.secret, state.secret, inquiry),
        })
        const answer = { provider, redirectUri: settings.issuer + path, params: params.pairs, state: writeHandle(state) }
        const { identityProviders } = inquiry.ports
        return mapped(
          onward(secrets, (own) =>
            once(inquiry, "upstream", () => redeeming(identityProviders.finish({ ...answer, ...own }), attempt, inquiry)),
          ),
          (outcome) => ({ outcome }),
        )
      })
      .read(({ outcome }, inquiry) =>
        outcome._tag === "Declined" ? {} : mapped(accountOfIdentity(outcome.identity, inquiry), (account) => ({ about: { account } })),
      )
      .judge(outcomeRules, back)
      .read(({ identity, tenant, attempt }, inquiry) =>
        mapped(
          once(inquiry, "verification", () => redeeming(inquiry.ports.authenticator.admit(identity, tenant), attempt, inquiry)),
          (verification) => ({ verification }),
        ),
      )
      .judge(admissionRules, back)
      .read(({ verified }) => ({ about: { subject: verified.person.subject } }))
      .decide((seen, inquiry) => {
        const { verified, identity, tenant, attempt, handle, state, now } = seen
        const { person, amr, acr } = verified
        const authTime = Math.min(identity.authTime ?? now, now)
        const who = { person, amr, acr, idp: provider, tenant, authTime }
        const more: MoreOfSignIn = (session, sealed) => [
          finishUpstream(attempt, now, { outcome: "signed in", session: sealed }),
          ...inquiry.parts.upstreamSignIns.flatMap((remember) => remember(identity, session)),
        ]
        return resumeSignedIn(seen, who, inquiry, more, handle ?? writeHandle(state))
      }),
  )
}
