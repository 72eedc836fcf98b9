import type * as Effect from "effect/Effect"
import type { Client, Command, Locator, Seconds, Session, Settings, UpstreamIdentity } from "../model/index.ts"
import type { PortFailed, Ports } from "../ports/index.ts"
import { isLive } from "../rules/session.ts"

/** A session by its name, and its person: the row itself may be gone. */
export type SessionName = Pick<Session, "locator" | "subject">

/** A session, and those in whose place it is: to their clients it is one sign-in of the person in a browser, which ends as a whole. */
export const namesOf = ({ locator, subject, replaced = [] }: SessionName & Pick<Session, "replaced">): ReadonlyArray<SessionName> => [
  { locator, subject },
  ...replaced.map((each) => ({ locator: each, subject })),
]

/** The session among a person's that lasts in the place of another. */
export const continuedBy = (locator: Locator, sessions: ReadonlyArray<Session>, now: number): Session | undefined =>
  sessions.find((session) => session.replaced?.includes(locator) === true && isLive(session, now))

/** Sessions of one person that end together. */
export interface EndedSessions {
  /** The person. */
  readonly subject: string
  /** The sessions, each of which lasted until now. */
  readonly sessions: ReadonlyArray<Session>
  /** True where the person is signed out everywhere, and not of these sessions alone. */
  readonly isEverywhere: boolean
}

/** The means by which those are told whom the end of a session concerns. */
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

/** The means by which a feature finds out whom the end of a session concerns: of a request, or of an operator's command. */
export interface EndingMeans extends TellingMeans {
  readonly ports: Pick<Ports, "tokens" | "digest" | "entropy" | "settings"> & { readonly clients: Pick<Ports["clients"], "find"> }
}

/** The features that have something to say of the end of sessions, and the means they do it by. */
export interface EndingBy {
  /** Their commands. */
  readonly endings: ReadonlyArray<SessionEnding>
  /** The means. */
  readonly means: EndingMeans
}

/** A session as a client is signed in to from it: `expiresAt` as the same commit leaves it. */
export type UsedSession = Pick<Session, "locator" | "subject" | "idp" | "expiresAt">

/** The commands of a feature that go with the use of a session for a client, in a commit that requires that the session lasts. */
export type SessionUse = (
  client: Client,
  session: UsedSession,
  means: {
    readonly settings: Settings
    readonly now: number
    /** True if the same commit prolongs the session. */
    readonly isProlonged: boolean
  },
) => ReadonlyArray<Command>

/** The commands of a feature that go with a sign-in at another provider. */
export type UpstreamSignIn = (identity: UpstreamIdentity, session: Session) => ReadonlyArray<Command>

/** The commands of a feature that go with the end of sessions, such as messages that tell others of it. */
export type SessionEnding = (
  ended: EndedSessions,
  means: EndingMeans,
) => Effect.Effect<ReadonlyArray<Command>, PortFailed> | ReadonlyArray<Command>

/** The addresses that the page after a sign-out shows in hidden frames of the person's browser, so that clients end their own sessions there. */
export type SessionFrames = (session: Session, means: EndingMeans) => Effect.Effect<ReadonlyArray<string>, PortFailed>

/** Seconds for which a grant that came of a session is kept at least, since the end of the session concerns its client; 0 for a client that it does not concern. */
export type SessionMemory = (client: Client, settings: Pick<Settings, "sessionLifetime">) => Seconds
