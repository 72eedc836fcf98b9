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

/** A session that is checked for its end. */
interface ExpirySeen {
  readonly now: Instant
  /** Undefined if the session was swept. */
  readonly session: Session | undefined
  /** The live session that replaced it when its person signed in again in the same browser. */
  readonly successor: Session | undefined
}

/** The objection that a session is live until a given time. */
interface Lasting extends Objection {
  readonly until: Instant
}

/**
 * Judges whether a session has expired. A session that a live one replaced has not, because its person is still signed in in that browser.
 */
export const expiryRules = table<ExpirySeen, Lasting>("back-channel-logout/expiry").rule(
  "back-channel-logout.session-over",
  "OpenID Connect Back-Channel Logout §2.5",
  ({ session, successor, now }) => {
    if (successor !== undefined) return { reason: "another session lasts in its place", until: successor.expiresAt }
    return session !== undefined && now < session.expiresAt ? { reason: "the session lasts", until: session.expiresAt } : pass
  },
)

/** A client of an expired session. */
interface ExpiredSeen {
  readonly client: Client
  /** The current policy of the provider, for clients that state none. */
  readonly isTold: boolean
}

/** Judges whether a client is notified of an expired session. */
export const expiredRules = table<ExpiredSeen, Objection>("back-channel-logout/expired").rule(
  "back-channel-logout.on-expiry",
  "OpenID Connect Back-Channel Logout §2.2, §2.5",
  ({ client, isTold }) => ((onExpiry.of(client) ?? isTold) ? pass : { reason: `the client does not have ${onExpiry.name}` }),
)

/**
 * Checks whether a session has ended. If it has, one commit writes the logout tokens, ends the session's grants of the clients that are
 * notified, and removes this message. It is thus done once, even if others check too, and also if the session has been swept.
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
