import {
  type Client,
  type LoginProblem,
  type Refusal,
  type Seconds,
  type Secret,
  type Verification,
  type WaitingRequest,
  longestSecret,
  refuse,
} from "../../model/index.ts"
import { type GuessSeen, budgetRule } from "../../rules/budget.ts"
import { sessionSource } from "../../rules/provider.ts"
import { type Objection, pass, prove, table } from "../../rules/rule.ts"
import { type SessionSeen, sessionTable } from "../../rules/session.ts"
import { sessionTenant } from "../../rules/tenant.ts"
import { failedBefore } from "../../settle/upstream.ts"

/** A failed sign-in. The form is shown again, with a message for the person. */
export interface LoginRefusal extends Refusal {
  readonly problem: LoginProblem
  readonly status: number
}

const refuseLogin = (problem: LoginProblem, status: number, reason: string, retryAfter?: Seconds): LoginRefusal => ({
  ...refuse("access_denied", "The sign-in did not work.", reason),
  problem,
  status,
  retryAfter,
})

interface AlreadySeen extends SessionSeen {
  readonly interaction: WaitingRequest | undefined
  readonly client: Client | undefined
  /** The tenant that the waiting request requires. */
  readonly tenant: string | undefined
  /** True if a person other than the one who is signed in wants to sign in. */
  readonly another: boolean
}

/** Judges whether a person who comes to sign in has already done so in the meantime, for example in another tab. */
export const alreadyRules = sessionTable<AlreadySeen>("login/already")
  .rule("login.since", "OpenID Connect Core §3.1.2.3", ({ interaction, session }) =>
    interaction === undefined || session.authTime > interaction.createdAt ? pass : { reason: "signed in before this request was made" },
  )
  .include(sessionSource("login.source"))
  .rule("login.same-account", "OpenID Connect Core §3.1.2.1", ({ another }) =>
    another ? { reason: "the person wants to use another account" } : pass,
  )
  .include(sessionTenant("login"))

interface ForwardSeen {
  readonly interaction: WaitingRequest | undefined
  /** The provider that is requested, or the only one at which people can sign in. */
  readonly provider: string | undefined
}

/**
 * Judges whether the browser is redirected to another provider without a page in between. After a failed attempt the person chooses
 * instead.
 */
export const forwardRules = table<ForwardSeen, Objection>("login/forward")
  .present("login.forward-provider", "specification §2.1 acr_values", "provider", () => ({
    reason: "no other provider is asked for, or the only way in",
  }))
  .rule("login.forward-untried", "specification §2.1 acr_values", ({ interaction }) =>
    interaction === undefined || failedBefore(interaction) === undefined
      ? pass
      : { reason: "a sign-in at another provider failed before: the person chooses" },
  )

/** Problems for which the browser is redirected back to the sign-in page, with the problem in the URL. */
const told: ReadonlyArray<LoginProblem> = ["form_stale", "upstream_denied", "upstream_failed", "upstream_stale", "upstream_rejected"]

/** Judges whether the person returns from a failed sign-in. */
export const toldRules = table<{ readonly toldProblem: string | undefined }, LoginRefusal>("login/told").rule(
  "login.told",
  "OpenID Connect Core §3.1.2.3",
  ({ toldProblem }) => {
    const problem = told.find((each) => each === toldProblem)
    return problem === undefined ? pass : refuseLogin(problem, 400, "sent back here")
  },
)

interface LoginForm {
  readonly isForm: boolean
  readonly csrf: string | undefined
  readonly browser: { readonly csrf: string }
  readonly client: Client | undefined
  readonly username: string | undefined
  readonly password: Secret | undefined
}

/** Judges the form of a sign-in before any password is checked. */
export const formRules = table<LoginForm, LoginRefusal>("login/form")
  .rule("login.form", "RFC 6749 appendix B", ({ isForm }) =>
    isForm ? pass : refuseLogin("form_stale", 400, "another Content-Type than a form's"),
  )
  .rule("login.csrf", "RFC 6749 §10.12", ({ csrf, browser }) =>
    csrf === browser.csrf ? pass : refuseLogin("form_stale", 400, csrf === undefined ? "no CSRF token" : "a CSRF token of another browser"),
  )
  .rule("login.local-allowed", "specification §1", ({ client }) =>
    client?.allowLocalLogin === false ? refuseLogin("local_forbidden", 400, "the client does not allow a password of ours") : pass,
  )
  .present("login.username-present", "OpenID Connect Core §3.1.2.3", "username", () => refuseLogin("credentials", 400, "no username"))
  .present("login.password-present", "OpenID Connect Core §3.1.2.3", "password", () => refuseLogin("credentials", 400, "no password"))
  .rule("login.password-length", "NIST SP 800-63B §3.1.1.2", ({ password }) =>
    password.reveal().length <= longestSecret
      ? pass
      : refuseLogin("credentials", 400, `a password longer than ${longestSecret} characters`),
  )

const throttled = (wait: Seconds, reason: string): LoginRefusal => refuseLogin("throttled", 429, reason, wait)

/** Judges whether another password may be judged. */
export const attemptRules = table<GuessSeen, LoginRefusal>("login/attempts")
  .include(budgetRule("login.device-attempts", "NIST SP 800-63B §3.2.2", "device", throttled))
  .include(budgetRule("login.account-attempts", "NIST SP 800-63B §3.2.2", "account", throttled))
  .include(budgetRule("login.address-attempts", "NIST SP 800-63B §3.2.2", "address", throttled))

/** Judges the result of the authenticator. */
export const verificationRules = table<{ readonly verification: Verification }, LoginRefusal>("login/verification")
  .rule("login.throttled", "NIST SP 800-63B §3.2.2", ({ verification }) =>
    verification._tag === "Throttled" ? throttled(verification.retryAfter, verification.reason) : pass,
  )
  .establish("login.verified", "OpenID Connect Core §3.1.2.3", ({ verification }) =>
    verification._tag === "Verified" ? prove({ verified: verification }) : refuseLogin("credentials", 400, verification.reason),
  )
  .rule("login.person-active", "OpenID Connect Core §3.1.2.3", ({ verified }) =>
    verified.person.active ? pass : refuseLogin("credentials", 400, "the person is disabled"),
  )
