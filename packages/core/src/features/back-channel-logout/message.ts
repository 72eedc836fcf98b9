import type { Json, JsonObject, Locator, OutboxMessage } from "../../model/index.ts"

/** The kind of the outbox's messages that carry logout tokens. */
export const logoutMessage = "back-channel-logout.token"

/** The kind of the outbox's messages that wait for the end of a session. */
export const sessionMessage = "back-channel-logout.session"

/** A client that is to be told of a sign-out. */
export interface ToldLogout {
  /** The client. */
  readonly clientId: string
  /** The person, as the provider knows them. */
  readonly subject: string
  /** The person, as the client knows them. */
  readonly sub: string
  /** The session, as the client knows it; undefined where the person is signed out everywhere. */
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

/** Reads the client and the person that a message is about. */
export const toldLogout = ({ payload: { client_id, subject, sub, sid } }: Pick<OutboxMessage, "payload">): ToldLogout => ({
  clientId: text(client_id),
  subject: text(subject),
  sub: text(sub),
  sid: sid === undefined ? undefined : text(sid),
})

/** A session whose end is looked for. */
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
