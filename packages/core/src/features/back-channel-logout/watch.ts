import { type Command, type Locator, forgetMessage, scheduleMessage } from "../../model/index.ts"
import type { SessionUse } from "../../settle/sessionParts.ts"
import { endedSessionContent, sessionMessage } from "./message.ts"
import { logoutUri, onExpiry } from "./metadata.ts"

/**
 * The name of the message that waits for the end of a session. It is derived from the session's locator, so that each session has only one.
 */
const messageOf = (session: Locator): string => `expiry ${session}`

/**
 * Schedules a check for the end of a session if one of its clients must be notified of its expiry. A sign-out before then cancels the
 * check.
 */
export const watched: SessionUse = (client, { locator, subject, expiresAt }, { settings, now }) => {
  if (logoutUri.of(client) === undefined) return []
  if (!(onExpiry.of(client) ?? onExpiry.of(settings) ?? false)) return []
  const content = endedSessionContent({ session: locator, subject })
  return [scheduleMessage(messageOf(locator), sessionMessage, content, now, expiresAt)]
}

/** Cancels the check for the end of a session when its person signs out, because its clients are notified of the sign-out. */
export const unwatched = (session: Locator): Command => forgetMessage(messageOf(session))
