import type * as Effect from "effect/Effect"
import type { Client, Command, Locator, Seconds, Session, Settings, UpstreamIdentity } from "../model/index.ts"
import type { PortFailed, Ports } from "../ports/index.ts"
import { isLive } from "../rules/session.ts"

/** The identifier and the person of a session, whose row may be gone. */
export type SessionName = Pick<Session, "locator" | "subject">

/** Returns a session and those it replaced. Clients see them as one sign-in of the person in a browser, which ends as a whole. */
export const namesOf = ({ locator, subject, replaced = [] }: SessionName & Pick<Session, "replaced">): ReadonlyArray<SessionName> => [
  { locator, subject },
  ...replaced.map((each) => ({ locator: each, subject })),
]

/** Finds the live session of a person that replaced another. */
export const continuedBy = (locator: Locator, sessions: ReadonlyArray<Session>, now: number): Session | undefined =>
  sessions.find((session) => session.replaced?.includes(locator) === true && isLive(session, now))

/** Sessions of one person that end together. */
export interface EndedSessions {
  /** The person. */
  readonly subject: string
  /** The sessions, all of which were live. */
  readonly sessions: ReadonlyArray<Session>
  /** True if the person is signed out everywhere, and not only of these sessions. */
  readonly isEverywhere: boolean
}

/** The ports for notifying the clients that the end of a session concerns. */
export interface TellingMeans {
  readonly ports: Pick<Ports, "tokens" | "digest" | "entropy"> & {
    readonly clients: Pick<Ports["clients"], "find">
    readonly settings: Pick<Settings, "pairwiseSalt" | "rulesOff">
  }
  /** The time of the end, in milliseconds. */
  readonly millis: number
  /** The time of the end, in whole seconds. */
  readonly now: number
}

/** The ports with which a feature finds the clients that the end of a session concerns, in a request or an operator's command. */
export interface EndingMeans extends TellingMeans {
  readonly ports: Pick<Ports, "tokens" | "digest" | "entropy" | "settings"> & { readonly clients: Pick<Ports["clients"], "find"> }
}

/** The features that handle the end of sessions, and the ports they use. */
export interface EndingBy {
  /** Their functions. */
  readonly endings: ReadonlyArray<SessionEnding>
  /** The ports and the time. */
  readonly means: EndingMeans
}

/** A session from which a client is signed in to, with its `expiresAt` after the same commit. */
export type UsedSession = Pick<Session, "locator" | "subject" | "idp" | "expiresAt">

/** Returns the commands of a feature for the use of a session for a client, in a commit that requires that the session is live. */
export type SessionUse = (
  client: Client,
  session: UsedSession,
  means: {
    readonly settings: Settings
    readonly now: number
    /** True if the same commit extends the session. */
    readonly isProlonged: boolean
  },
) => ReadonlyArray<Command>

/** Returns the commands of a feature for a sign-in at another provider. */
export type UpstreamSignIn = (identity: UpstreamIdentity, session: Session) => ReadonlyArray<Command>

/** Returns the commands of a feature for the end of sessions, such as messages that notify others. */
export type SessionEnding = (
  ended: EndedSessions,
  means: EndingMeans,
) => Effect.Effect<ReadonlyArray<Command>, PortFailed> | ReadonlyArray<Command>

/**
 * Returns the URLs that the page after a sign-out loads in hidden frames of the person's browser, so that clients end their own sessions
 * there.
 */
export type SessionFrames = (session: Session, means: EndingMeans) => Effect.Effect<ReadonlyArray<string>, PortFailed>

/**
 * Returns the minimum number of seconds for which a grant of a session is kept because the end of the session concerns its client; 0 for a
 * client that it does not concern.
 */
export type SessionMemory = (client: Client, settings: Pick<Settings, "sessionLifetime">) => Seconds
