import type { Client, Device, DeviceProblem, Seconds } from "../../model/index.ts"
import { type GuessSeen, budgetRule } from "../../rules/budget.ts"
import { type Grantable, grantable } from "../../rules/grantable.ts"
import { type AllowForm, allowedOrDenied } from "../../rules/ownForm.ts"
import { type PageRefusal, invalidPage, refusePage, retryLater } from "../../rules/page.ts"
import { type Objection, pass, prove, table } from "../../rules/rule.ts"
import { type SignedInSeen, signedInAsAsked } from "../../rules/signedIn.ts"
import type { Asked } from "../../settle/endpoint.ts"

const tooMany = (wait: Seconds, reason: string): PageRefusal =>
  retryLater(refusePage("too_many_attempts", 429, "access_denied", "Too many codes were tried.", reason), wait)

/**
 * Judges whether the browser opened the page itself. A request that another site makes for a picture or a script is neither processed nor
 * counted as a guess.
 */
export const openRules = table<Asked, PageRefusal>("device/open").rule(
  "device-page.opened",
  "RFC 8628 §5.1, Fetch Metadata §2.1",
  ({ message: { headers } }) =>
    headers["sec-fetch-dest"] === undefined || headers["sec-fetch-dest"] === "document"
      ? pass
      : invalidPage("request_invalid", "The page must be opened by a person.", "fetched by a page, not opened"),
)

/** Judges whether this browser, from this address, may try another code. */
export const attemptRules = table<GuessSeen, PageRefusal>("device/attempts")
  .include(budgetRule("device-page.attempts", "RFC 8628 §5.1", "browser", tooMany))
  .include(budgetRule("device-page.address-attempts", "RFC 8628 §5.1", "address", tooMany))

/** A code that leads to no device. The form is shown again. */
export interface CodeObjection extends Objection {
  readonly problem: DeviceProblem
}

interface CodeSeen {
  readonly now: number
  /** The text that the person entered; undefined if there was none. */
  readonly typed: string | undefined
  readonly code: string | undefined
  readonly device: Device | undefined
  readonly client: Client | undefined
}

/** Judges whether the entered code belongs to a waiting device. */
export const codeRules = table<CodeSeen, CodeObjection>("device/code")
  .rule("device-page.code-typed", "RFC 8628 §3.3", ({ typed }) => (typed === undefined ? { problem: "none", reason: "no code yet" } : pass))
  .establish("device-page.code-known", "RFC 8628 §3.3", ({ code, device, client }) =>
    code === undefined || device === undefined || client === undefined || client.disabled
      ? { problem: "unknown", reason: "no device waits with this code" }
      : prove({ code, device, client }),
  )
  .rule("device-page.code-fresh", "RFC 8628 §3.3", ({ now, device }) =>
    now < device.expiresAt ? pass : { problem: "expired", reason: "the code has expired" },
  )
  .rule("device-page.code-undecided", "RFC 8628 §3.3", ({ device: { state } }) =>
    state === "pending" ? pass : { problem: "used", reason: `the device is ${state}` },
  )

/** Judges whether the person answers for the device with the account that is signed in. */
export const accountRules = table<{ readonly another: boolean }, Objection>("device/account").rule(
  "device-page.same-account",
  "RFC 8628 §3.3",
  ({ another }) => (another ? { reason: "the person wants to use another account" } : pass),
)

/** Judges whether the person has signed in as the device's client requires of every authorization. */
export const signedInRules = table<SignedInSeen, Objection>("device/signed-in").through(
  signedInAsAsked("device-page", "OpenID Connect Dynamic Client Registration §2"),
)

/** Judges the answer, which is accepted only from the provider's own form, shown to this person (RFC 8628 §5.4). */
export const answerRules = table<AllowForm & Grantable, PageRefusal>("device/answer")
  .through(allowedOrDenied("device-page", { csrf: "RFC 8628 §5.4, RFC 6749 §10.12", decision: "RFC 8628 §3.3" }))
  .through(grantable("device-page"))

/** Judges whether a device's client may be given tokens of the person who approves it. */
export const grantableRules = table<Grantable, PageRefusal>("device/grantable").through(grantable("device-page"))
