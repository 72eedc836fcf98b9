import {
  type Client,
  type Instant,
  type OutboxMessage,
  type Session,
  awaitMessage,
  endClientGrants,
  expireSession,
  followMessage,
} from "../../model/index.ts"
import { type Objection, judge, pass, table, tracing } from "../../rules/rule.ts"
import { isLive } from "../../rules/session.ts"
import { type Undelivered, changedBefore } from "../../settle/outbox.ts"
import { continuedBy } from "../../settle/sessionParts.ts"
import type { DeliveryMeans } from "../feature.ts"
import { logoutsFor } from "./ending.ts"
import { endedSession } from "./message.ts"
import { onExpiry } from "./metadata.ts"

/** A session whose end is looked for. */
interface ExpirySeen {
  readonly now: Instant
  /** Undefined where it was swept. */
  readonly session: Session | undefined
  /** The session that lasts in its place, since its person signed in again in the same browser. */
  readonly successor: Session | undefined
}

/** The session lasts, until a moment. */
interface Lasting extends Objection {
  readonly until: Instant
}

/** Judges whether a session has run out. One in whose place another lasts has not: their person is signed in in that browser. */
export const expiryRules = table<ExpirySeen, Lasting>("back-channel-logout/expiry").rule(
  "back-channel-logout.session-over",
  "OpenID Connect Back-Channel Logout §2.5",
  ({ session, successor, now }) => {
    if (successor !== undefined) return { reason: "another session lasts in its place", until: successor.expiresAt }
    return session !== undefined && now < session.expiresAt ? { reason: "the session lasts", until: session.expiresAt } : pass
  },
)

/** A client of a session that ran out. */
interface ExpiredSeen {
  readonly client: Client
  /** The policy of the provider, as it is now, for clients that state none. */
  readonly isTold: boolean
}

/** Judges whether a client is told that a session ran out. */
export const expiredRules = table<ExpiredSeen, Objection>("back-channel-logout/expired").rule(
  "back-channel-logout.on-expiry",
  "OpenID Connect Back-Channel Logout §2.2, §2.5",
  ({ client, isTold }) => ((onExpiry.of(client) ?? isTold) ? pass : { reason: `the client does not have ${onExpiry.name}` }),
)

/**
 * Looks for the end of a session. Where it has come, one commit writes the logout tokens, ends what ends with the session at the clients that are told, and removes this
 * message: so it is done once, whoever else looks, and also where the session has been swept.
 */
export const deliverExpiry = async (message: OutboxMessage, means: DeliveryMeans): Promise<Undelivered | void> => {
  const { tokens, now, rulesOff, audit, telling, settings } = means
  if (tokens === undefined || telling === undefined) return { _tag: "Failed", failure: "the deliveries were given no token store" }
  const { session: locator, subject } = endedSession(message)
  const session = await tokens.findSession(locator)
  const successor = isLive(session, now) ? undefined : continuedBy(locator, await tokens.sessionsOf(subject), now)
  const lasting = judge(tracing(rulesOff), expiryRules, { session, successor, now })
  if (lasting !== undefined) {
    await changedBefore(tokens, [awaitMessage(message.locator, lasting.until)])
    return undefined
  }
  const ended = { sessions: [{ locator, subject }], isEverywhere: false }
  const isTold = onExpiry.of(settings) ?? false
  const logouts = await telling((each) =>
    logoutsFor(ended, each, (client) => judge(tracing(rulesOff), expiredRules, { client, isTold }) === undefined),
  )
  const committed = await changedBefore(tokens, [
    followMessage(message.locator),
    ...(session === undefined || session.endedAt !== undefined ? [] : [expireSession(session, now)]),
    ...logouts.flatMap(({ clientId, commands }) => [endClientGrants(locator, clientId, now), ...commands]),
  ])
  if (committed === "Conflict") return { _tag: "Failed", failure: "the session was changed meanwhile" }
  if (logouts.length > 0) audit.record(() => [{ event: "session_expired", at: now, subject, sessionId: locator }])
  return undefined
}
