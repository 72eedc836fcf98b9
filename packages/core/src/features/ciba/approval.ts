import type { Client, ClientFace, ConsentDetail, ConsentScope, Form, Instant, PersonFace, Session } from "../../model/index.ts"
import { pageKind } from "../../model/index.ts"
import { type Grantable, grantable } from "../../rules/grantable.ts"
import { type AllowForm, allowedOrDenied } from "../../rules/ownForm.ts"
import type { PageRefusal } from "../../rules/page.ts"
import { type Objection, pass, prove, table } from "../../rules/rule.ts"
import { type SignedInSeen, signedInAsAsked } from "../../rules/signedIn.ts"
import type { AuthenticationRequest } from "./rows.ts"

/** The page on which a person answers a request. */
export interface Approval {
  /** The form of the answer: `decision` is `allow` or `deny`. */
  readonly form: Form
  /** The client that made the request. */
  readonly client: ClientFace
  /** The person who is signed in. */
  readonly person: PersonFace
  /** The text that the person compares with the one that the client shows; undefined if the client sent none. */
  readonly bindingMessage: string | undefined
  /** The scopes that the client would be granted. */
  readonly scopes: ReadonlyArray<ConsentScope>
  /** The authorization details that the client would be granted (RFC 9396 §2); undefined if it requests none. */
  readonly details?: ReadonlyArray<ConsentDetail> | undefined
  /** The time of the request. */
  readonly askedAt: Instant
  /** The address at which another account can be used. */
  readonly another: string
}

/** The kind of the page on which a person answers a request. */
export const approval = pageKind<Approval>("ciba")

/** The page that a person sees after an answer, or if no request waits for them. */
export interface Answered {
  /** The answer; `none` if no request waits. */
  readonly outcome: "approved" | "denied" | "none"
  /** The client that made the request. */
  readonly client: ClientFace | undefined
  /** The address of the next waiting request; undefined if there is none. */
  readonly next: string | undefined
}

/** The kind of the page after an answer. */
export const answered = pageKind<Answered>("ciba-done")

/** Judges whether the person wants to answer with the account that is signed in. */
export const accountRules = table<{ readonly another: boolean }, Objection>("approval/account").rule(
  "approval.same-account",
  "CIBA Core §8",
  ({ another }) => (another ? { reason: "the person wants to use another account" } : pass),
)

interface WaitingSeen {
  readonly now: Instant
  readonly session: Session
  readonly request: AuthenticationRequest | undefined
  readonly client: Client | undefined
  /** True if all tokens of the client are to be bound. */
  readonly mustBeBound: boolean
}

/** Judges whether a request waits for this person. Another person's request is treated as if it did not exist. */
export const waitingRules = table<WaitingSeen, Objection>("approval/request")
  .establish("approval.request-own", "CIBA Core §8", ({ request, session }) =>
    request === undefined || request.subject !== session.subject
      ? { reason: request === undefined ? "no request waits" : "the request is for another person" }
      : prove({ request }),
  )
  .rule("approval.request-undecided", "CIBA Core §8", ({ request: { state } }) =>
    state === "pending" ? pass : { reason: `the request is ${state}` },
  )
  .rule("approval.request-fresh", "CIBA Core §7.3", ({ request, now }) =>
    now < request.expiresAt ? pass : { reason: "the request has expired" },
  )
  .establish("approval.client", "CIBA Core §8", ({ client }) =>
    client === undefined || client.disabled ? { reason: "the client is gone or disabled" } : prove({ client }),
  )
  .rule("approval.push-unbound", "CIBA Core §5, RFC 9449 §5.2, RFC 8705 §3.4", ({ request: { delivery }, mustBeBound }) =>
    delivery === "push" && mustBeBound
      ? { reason: "its tokens would be pushed, and nobody proves a key for them: the client's tokens must be bound since it asked" }
      : pass,
  )

/** Judges whether the person has signed in as the client requires (CIBA Core §7.1). */
export const signedInRules = table<SignedInSeen, Objection>("approval/signed-in").through(signedInAsAsked("approval", "CIBA Core §7.1"))

/** Judges the answer, which is accepted only from the provider's own form, shown to this person (CIBA Core §8, §14). */
export const answerRules = table<AllowForm & Grantable, PageRefusal>("approval/answer")
  .through(allowedOrDenied("approval", { csrf: "RFC 6749 §10.12", decision: "CIBA Core §8" }))
  .through(grantable("approval"))

/** Judges whether a client may be given tokens of the person who approves the request on an embedder's page. */
export const grantableRules = table<Grantable, PageRefusal>("approval/grantable").through(grantable("approval"))
