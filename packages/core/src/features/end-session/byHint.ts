import * as Effect from "effect/Effect"
import { type Client, type Session, flagMember } from "../../model/index.ts"
import type { PortFailed } from "../../ports/index.ts"
import { mapped, onward, together } from "../../ports/steps.ts"
import { type Objection, pass, prove, table } from "../../rules/rule.ts"
import { isLive } from "../../rules/session.ts"
import { grantOfJti } from "../../rules/tokens.ts"
import type { Inquiry } from "../../settle/request.ts"
import { lastingOf } from "../../settle/replaced.ts"
import { sidFor } from "../../settle/subject.ts"

/** An ID token of this provider, expired or not (RP-Initiated Logout §4). */
export interface Hint {
  readonly subject: string
  readonly clientId: string
  /** The `sid` of the session for that client. */
  readonly sid: string | undefined
  readonly jti: string
}

/** Allows a request without the session's cookie to end the session that its `id_token_hint` names (RP-Initiated Logout §2). */
export const endsByHint = flagMember(
  "end_session_by_hint",
  "Lets a request without the session's cookie, as a server of the client sends it, end the session that its id_token_hint names. Whoever holds such an ID token can then sign its user out. Default: false.",
)

/** The session in which an ID token was issued, or the live one that replaced it when its person signed in again in the same browser. */
export interface NamedSession {
  readonly session: Session
  /** The `sid` of the session for the client today. */
  readonly sid: string | undefined
}

/**
 * Finds the session in which an ID token was issued, through the grant at the beginning of its `jti`. Nothing is looked up for a client
 * that may not end sessions this way.
 */
export const sessionOfHint = (
  hint: Hint | undefined,
  client: Client | undefined,
  inquiry: Inquiry,
): Effect.Effect<NamedSession | undefined, PortFailed> => {
  const { tokens } = inquiry.ports
  const grantId = grantOfJti(hint?.jti ?? "")
  if (client === undefined || grantId === undefined || !endsByHint.of(client)) return Effect.succeed(undefined)
  return onward(tokens.findGrant(grantId), (grant) => {
    const locator = grant?.sessionId
    if (locator === undefined) return Effect.succeed(undefined)
    const lasting = onward(tokens.findSession(locator), (session) => lastingOf(session, inquiry))
    return mapped(together({ session: lasting, sid: sidFor(client, locator, inquiry) }), ({ session, sid }) =>
      session === undefined ? undefined : { session, sid },
    )
  })
}

interface ByHintSeen {
  readonly now: number
  readonly hint: Hint | undefined
  readonly client: Client | undefined
  readonly named: NamedSession | undefined
}

/** Judges whether a request from a browser without a session ends the session that its hint names. */
export const byHintRules = table<ByHintSeen, Objection>("end-session/by-hint")
  .rule("end-session.hint-allowed", "RP-Initiated Logout §2, §6", ({ client }) =>
    client !== undefined && !client.disabled && endsByHint.of(client)
      ? pass
      : { reason: `the client does not have ${endsByHint.name}; nothing to end` },
  )
  .establish("end-session.hint-session", "RP-Initiated Logout §2, §4", ({ named, now }) =>
    named !== undefined && isLive(named.session, now)
      ? prove({ named })
      : { reason: "the session that the id_token_hint names has ended, or is not known any more" },
  )
  .rule("end-session.hint-sid", "RP-Initiated Logout §2, Back-Channel Logout §2.1", ({ hint, named }) =>
    hint?.sid !== undefined && hint.sid === named.sid ? pass : { reason: "the id_token_hint does not name its session by sid" },
  )
