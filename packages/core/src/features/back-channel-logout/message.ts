import type { Json, JsonObject, Locator, OutboxMessage } from "../../model/index.ts"

/** The kind of the outbox's messages that carry logout tokens. */
export const logoutMessage = "back-channel-logout.token"

/** The kind of the outbox's messages that wait for the end of a session. */
export const sessionMessage = "back-channel-logout.session"

/** A client that must be notified of a sign-out. */
export interface ToldLogout {
  /** The client. */
  readonly clientId: string
  /** The person's subject at the provider. */
  readonly subject: string
  /** The person's `sub` for the client. */
  readonly sub: string
  /** The `sid` of the session for the client; undefined if the person is signed out everywhere. */
  readonly sid: string | undefined
}

const text = (value: Json | undefined): string => (typeof value === "string" ? value : "")

/** Writes the content of a message. */
export const logoutContent = ({ clientId, subject, sub, sid }: ToldLogout): JsonObject => ({
  client_id: clientId,
  subject,
  sub,
  ...(sid === undefined ? {} : { sid }),
})

/** Reads the client and the person from a message. */
export const toldLogout = ({ payload: { client_id, subject, sub, sid } }: Pick<OutboxMessage, "payload">): ToldLogout => ({
  clientId: text(client_id),
  subject: text(subject),
  sub: text(sub),
  sid: sid === undefined ? undefined : text(sid),
})

/** A session that is checked for its end. */
export interface EndedSession {
  /** The session. */
  readonly session: Locator
  /** Its person. */
  readonly subject: string
}

/** Writes the content of a message that waits for the end of a session. */
export const endedSessionContent = ({ session, subject }: EndedSession): JsonObject => ({ session, subject })

/** Reads the session that a message waits for. */
export const endedSession = ({ payload: { session, subject } }: Pick<OutboxMessage, "payload">): EndedSession => ({
  session: text(session),
  subject: text(subject),
})
