import type { Instant, Person, Session } from "../model/index.ts"
import { answeredAgain } from "./interaction.ts"
import { type Objection, pass, prove, table } from "./rule.ts"
import { isLive } from "./session.ts"

/** A sign-in for a request, and the session of an earlier one for the same request. */
interface SignInSent {
  readonly now: Instant
  readonly who: Pick<Session, "amr" | "acr" | "idp" | "tenant" | "authTime"> & { readonly person: Person }
  /** The earlier session; undefined if its secret is not this browser's. */
  readonly before: Session | undefined
}

const isWithin = (one: Instant, other: Instant): boolean => Math.abs(one - other) <= answeredAgain

/**
 * Checks whether a sign-in was already submitted. Its person then keeps that session, and no second one is created (OpenID Connect Core
 * §3.1.2.3).
 */
export const sameSignInRules = table<SignInSent, Objection>("sign-in/sent-again")
  .establish("sign-in.session-before", "OpenID Connect Core §3.1.2.3", ({ before, now }) =>
    isLive(before, now) && isWithin(before.createdAt, now)
      ? prove({ before })
      : { reason: "the session of the sign-in before has ended, or was made longer ago" },
  )
  .rule("sign-in.same", "OpenID Connect Core §3.1.2.3", ({ before, who: { person, amr, acr, idp, tenant, authTime } }) =>
    before.subject === person.subject &&
    before.amr.join() === amr.join() &&
    before.acr === acr &&
    before.idp === idp &&
    before.tenant === tenant &&
    isWithin(before.authTime, authTime)
      ? pass
      : { reason: "another person signs in, or in another way" },
  )
