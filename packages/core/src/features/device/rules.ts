import type { Client, Device, DeviceProblem, Person, Seconds, Session } from "../../model/index.ts"
import { type GuessSeen, budgetRule } from "../../rules/budget.ts"
import { type PageRefusal, refusePage, retryLater } from "../../rules/page.ts"
import { type Objection, held, pass, rule, table } from "../../rules/rule.ts"
import { type SectorFault, sectorRefusal } from "../../rules/sector.ts"
import type { Browser } from "../../settle/browser.ts"

/** What the page was asked. */
export interface DevicePageRequest {
  /** What was typed; undefined when nothing was. */
  readonly typed: string | undefined
  readonly code: string | undefined
  readonly isForm: boolean
  readonly csrf: string | undefined
  readonly decision: string | undefined
  /** True if somebody else wants to sign in than who is signed in. */
  readonly another: boolean
}

/** All that its tables look at. */
export interface DevicePageSeen {
  readonly now: number
  readonly browser: Browser
  readonly device: Device | undefined
  readonly client: Client | undefined
  readonly session: Session | undefined
  readonly person: Person | undefined
  /** The person as the device's client knows them. */
  readonly sub: string | undefined
  /** Why the client is not known to be of its sector. */
  readonly sectorFault: SectorFault | undefined
  /** True if the person's subject is a client_id too. */
  readonly subjectIsClient: boolean
}

/** A code that leads nowhere: the form is shown again. */
export interface CodeObjection extends Objection {
  readonly problem: DeviceProblem
}

const stale = (reason: string): PageRefusal => refusePage("form_stale", 400, "invalid_request", "The form is no longer valid.", reason)
const tooMany = (wait: Seconds, reason: string): PageRefusal =>
  retryLater(refusePage("too_many_attempts", 429, "access_denied", "Too many codes were tried.", reason), wait)

/** A page's own request: what a picture or a script of another site asks for is not looked at, nor counted against anybody. */
export const openRules = table<{ readonly fetchDest: string | undefined }, undefined, PageRefusal>("device/open", [
  rule("device-page.opened", "RFC 8628 §5.1, Fetch Metadata §2.1", (q) =>
    q.fetchDest === undefined || q.fetchDest === "document"
      ? pass
      : refusePage("request_invalid", 400, "invalid_request", "The page must be opened by a person.", "fetched by a page, not opened"),
  ),
])

/** Judges whether this browser, from this address, may try another code. */
export const attemptRules = table<GuessSeen, PageRefusal>("device/attempts")
  .include(budgetRule("device-page.attempts", "RFC 8628 §5.1", "browser", tooMany))
  .include(budgetRule("device-page.address-attempts", "RFC 8628 §5.1", "address", tooMany))

/** Judges whether the code that was typed is one that waits. */
export const codeRules = table<DevicePageRequest, DevicePageSeen, CodeObjection>("device/code", [
  rule("device-page.code-typed", "RFC 8628 §3.3", (q) => (q.typed === undefined ? { problem: "none", reason: "no code yet" } : pass)),
  rule("device-page.code-known", "RFC 8628 §3.3", (_, s) =>
    s.device === undefined || s.client === undefined || s.client.disabled
      ? { problem: "unknown", reason: "no device waits with this code" }
      : pass,
  ),
  rule("device-page.code-fresh", "RFC 8628 §3.3", (_, s) =>
    s.now < held(s.device).expiresAt ? pass : { problem: "expired", reason: "the code has expired" },
  ),
  rule("device-page.code-undecided", "RFC 8628 §3.3", (_, s) =>
    held(s.device).state === "pending" ? pass : { problem: "used", reason: `the device is ${held(s.device).state}` },
  ),
])

/** Judges whether the device is for the person who is signed in. */
export const accountRules = table<DevicePageRequest, DevicePageSeen, Objection>("device/account", [
  rule("device-page.same-account", "RFC 8628 §3.3", (q) => (q.another ? { reason: "the person wants to use another account" } : pass)),
])

/** What was answered: only by a form of ours, shown to this person (RFC 8628 §5.4). */
export const answerRules = table<DevicePageRequest, DevicePageSeen, PageRefusal>("device/answer", [
  rule("device-page.form", "RFC 6749 appendix B", (q) => (q.isForm ? pass : stale("another Content-Type than a form's"))),
  rule("device-page.csrf", "RFC 8628 §5.4, RFC 6749 §10.12", (q, s) =>
    q.csrf === s.browser.sessionCsrf ? pass : stale(q.csrf === undefined ? "no CSRF token" : "a CSRF token of another browser or session"),
  ),
  rule("device-page.decision", "RFC 8628 §3.3", (q) =>
    q.decision === "allow" || q.decision === "deny" ? pass : stale("neither allow nor deny"),
  ),
  rule("device-page.sector", "OpenID Connect Core §8.1, OpenID Connect Dynamic Client Registration §5", (_, s) => {
    if (s.sectorFault === undefined) return pass
    const { error, description, reason } = sectorRefusal(s.sectorFault)
    return s.sectorFault.unavailable
      ? refusePage("unavailable", 503, error, description, reason)
      : refusePage("request_invalid", 400, error, description, reason)
  }),
  rule("device-page.apart-from-clients", "RFC 9700 §4.15", (_, s) =>
    s.subjectIsClient
      ? refusePage(
          "failed",
          500,
          "server_error",
          "The provider cannot issue tokens for this person.",
          "the person's subject is also a client_id",
        )
      : pass,
  ),
])

/** The tables of this endpoint, for the rule reference. */
export const devicePageTables = [openRules, attemptRules, codeRules, accountRules, answerRules] as const
