import { type Command, type Locator, forgetMessage, scheduleMessage } from "../../model/index.ts"
import type { SessionUse } from "../../settle/sessionParts.ts"
import { endedSessionContent, sessionMessage } from "./message.ts"
import { logoutUri, onExpiry } from "./metadata.ts"

/** The message that waits for the end of a session. Its name is made of the session's, so that there is one of them. */
const messageOf = (session: Locator): string => `expiry ${session}`

/** Has the end of a session looked for, where a client of it is to be told of one that runs out. A sign-out before that forgets it. */
export const watched: SessionUse = (client, { locator, subject, expiresAt }, { settings, now }) => {
  if (logoutUri.of(client) === undefined) return []
  if (!(onExpiry.of(client) ?? onExpiry.of(settings) ?? false)) return []
  const content = endedSessionContent({ session: locator, subject })
  return [scheduleMessage(messageOf(locator), sessionMessage, content, now, expiresAt)]
}

/** Forgets to look for the end of a session that a person signs out of: its clients are told of the sign-out. */
export const unwatched = (session: Locator): Command => forgetMessage(messageOf(session))
