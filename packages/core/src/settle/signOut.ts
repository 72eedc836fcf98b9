import * as Effect from "effect/Effect"
import { type Command, type CookieChange, type Person, type Session, signOut } from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import { mapped } from "../ports/steps.ts"
import { isLive } from "../rules/session.ts"
import type { Browser } from "./browser.ts"
import { personOf } from "./pages.ts"
import type { EndedSessions, EndingMeans, SessionEnding } from "./inquiry.ts"
import type { Inquiry } from "./request.ts"

/** A session that can be ended, and its person. */
export interface SignedInHere {
  readonly session: Session
  readonly person: Person
}

/** Finds the session of a browser with its person. One who was removed while signed in can still sign out. */
export const signedInHere = (browser: Browser, inquiry: Inquiry): Effect.Effect<SignedInHere | undefined, PortFailed> => {
  const { session } = browser
  if (session === undefined) return Effect.succeed(undefined)
  const { subject } = session
  const gone: Person = { subject, username: subject, active: false, claims: {} }
  return mapped(personOf(browser, inquiry), (person = gone) => ({ session, person }))
}

/** The changes of a sign-out. */
interface SigningOut {
  readonly cookies: ReadonlyArray<CookieChange>
  readonly commands: ReadonlyArray<Command>
}

/** Signs the person of a browser out. A session that was not presented is not removed: another site can post here too, but without our cookies. */
export const signingOut = ({ session }: Browser, inquiry: Inquiry): Effect.Effect<SigningOut, PortFailed> =>
  session === undefined
    ? Effect.succeed({ cookies: [], commands: [] })
    : mapped(sessionEnd(session, inquiry), (commands) => ({ cookies: [{ name: "session", value: undefined }], commands }))

/** Ends a session: with the grants that end with it, and with all that features have to say of it. */
export const sessionEnd = (session: Session, inquiry: Inquiry): Effect.Effect<ReadonlyArray<Command>, PortFailed> =>
  sessionsEnd({ subject: session.subject, sessions: [session], isEverywhere: false }, inquiry.parts.sessionEndings, inquiry)

/** Ends sessions of a person. One that had ended tells nobody again. */
export const sessionsEnd = (
  ended: EndedSessions,
  endings: ReadonlyArray<SessionEnding>,
  means: EndingMeans,
): Effect.Effect<ReadonlyArray<Command>, PortFailed> => {
  const { now } = means
  const ends = ended.sessions.flatMap(({ locator }) => signOut(locator, now))
  const live = ended.sessions.filter((session) => isLive(session, now))
  if (endings.length === 0 || live.length === 0) return Effect.succeed(ends)
  const told = endings
    .map((each) => each({ ...ended, sessions: live }, means))
    .map((each) => (Effect.isEffect(each) ? each : Effect.succeed(each)))
  return mapped(Effect.all(told, { concurrency: "unbounded" }), (more) => [...ends, ...more.flat()])
}
