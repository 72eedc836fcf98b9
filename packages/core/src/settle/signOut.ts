import * as Effect from "effect/Effect"
import {
  type Command,
  type CookieChange,
  type Decision,
  type Person,
  type Session,
  endSessionGrants,
  requireSession,
  signOut,
} from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import { effectOf, mapped, together } from "../ports/steps.ts"
import { isLive } from "../rules/session.ts"
import type { Browser } from "./browser.ts"
import { personOf, show } from "./pages.ts"
import type { EndedSessions, EndingBy, EndingMeans, SessionEnding } from "./sessionParts.ts"
import type { Inquiry } from "./request.ts"
import { withParams } from "../wire/index.ts"

/** A live session and its person. */
export interface SignedInHere {
  readonly session: Session
  readonly person: Person
}

/** Finds the session of a browser and its person. A person who was deleted while signed in can still sign out. */
export const signedInHere = (browser: Browser, inquiry: Inquiry): Effect.Effect<SignedInHere | undefined, PortFailed> => {
  const { session } = browser
  if (session === undefined) return Effect.succeed(undefined)
  const { subject } = session
  const gone: Person = { subject, username: subject, active: false, claims: {} }
  return mapped(personOf(browser, inquiry), (person = gone) => ({ session, person }))
}

/** The changes of a sign-out. */
export interface SigningOut {
  readonly cookies: ReadonlyArray<CookieChange>
  readonly commands: ReadonlyArray<Command>
  /** The URLs at which clients end their own sessions of the browser, in frames. */
  readonly frames: ReadonlyArray<string>
}

/**
 * Signs the person of a browser out. A session whose cookie was not sent is not ended: another site can post here too, but without our
 * cookies.
 */
export const signingOut = ({ session }: Browser, inquiry: Inquiry): Effect.Effect<SigningOut, PortFailed> =>
  session === undefined
    ? Effect.succeed({ cookies: [], commands: [], frames: [] })
    : mapped(together({ commands: sessionEnd(session, inquiry), frames: framesOf(session, inquiry) }), (ended) => {
        inquiry.headers.push(...inquiry.parts.sessionTellings.flatMap((each) => each.signedOut(inquiry)))
        return { ...ended, cookies: [{ name: "session", value: undefined }] }
      })

const framesOf = (session: Session, inquiry: Inquiry): Effect.Effect<ReadonlyArray<string>, PortFailed> => {
  const { sessionFrames } = inquiry.parts
  if (sessionFrames.length === 0 || !isLive(session, inquiry.now)) return Effect.succeed([])
  const means = asKnown(inquiry)
  return mapped(Effect.all(sessionFrames.map((each) => each(session, means))), (all) => all.flat())
}

/**
 * Shows that the person is signed out, or redirects to a client that may receive the browser. If clients have frames, a page with them
 * comes first.
 */
export const signedOut = ({ frames, cookies, commands }: SigningOut, onward?: Pick<Leave, "to" | "params">): Decision => {
  if (frames.length > 0) {
    const to = onward && (onward.params.length === 0 ? onward.to : withParams(onward.to, "?", onward.params))
    return show({ _tag: "SigningOut", frames, onward: to }, cookies, commands)
  }
  return onward === undefined ? show({ _tag: "SignedOut" }, cookies, commands) : { _tag: "Leave", ...onward, cookies, commands }
}

type Leave = Extract<Decision, { readonly _tag: "Leave" }>

/**
 * Ends a session with the grants that end with it and the commands of features. Of concurrent requests, only one succeeds, so that nobody
 * is notified twice.
 */
export const sessionEnd = (session: Session, inquiry: Inquiry): Effect.Effect<ReadonlyArray<Command>, PortFailed> =>
  sessionEndBy(session, endingBy(inquiry))

/** Ends a session with ports that need not be those of a request. */
export const sessionEndBy = (session: Session, { endings, means }: EndingBy): Effect.Effect<ReadonlyArray<Command>, PortFailed> =>
  mapped(sessionsEnd({ subject: session.subject, sessions: [session], isEverywhere: false }, endings, means), (ends) =>
    isLive(session, means.now) ? [requireSession(session.locator), ...ends] : ends,
  )

/** Returns the features of a request's provider that handle the end of sessions, with the ports of the request. */
export const endingBy = (inquiry: Inquiry): EndingBy => ({ endings: inquiry.parts.sessionEndings, means: asKnown(inquiry) })

/**
 * Returns the ports for ending sessions in a request. Clients are loaded from stored copies, because a slow or missing host must not keep a
 * person signed in.
 */
const asKnown = ({ ports, millis, now }: Inquiry): EndingMeans => ({ ports: { ...ports, clients: ports.knownClients }, millis, now })

/** Ends sessions of a person. A session that has already ended notifies nobody again. */
export const sessionsEnd = (
  ended: EndedSessions,
  endings: ReadonlyArray<SessionEnding>,
  means: EndingMeans,
): Effect.Effect<ReadonlyArray<Command>, PortFailed> => {
  const { now } = means
  const ends = ended.sessions.flatMap(({ locator, subject, replaced = [] }) => [
    ...signOut(locator, now, subject),
    ...replaced.map((each) => endSessionGrants(each, now)),
  ])
  const live = ended.sessions.filter((session) => isLive(session, now))
  if (endings.length === 0 || live.length === 0) return Effect.succeed(ends)
  return mapped(toldOf({ ...ended, sessions: live }, endings, means), (more) => [...ends, ...more])
}

const toldOf = (
  ended: EndedSessions,
  endings: ReadonlyArray<SessionEnding>,
  means: EndingMeans,
): Effect.Effect<ReadonlyArray<Command>, PortFailed> => {
  const told = endings.map((each) => effectOf(each(ended, means)))
  return mapped(Effect.all(told, { concurrency: "unbounded" }), (more) => more.flat())
}

/**
 * Ends the leftovers of a session that another sign-in has replaced: revokes its grants, and notifies its clients if they have not been
 * notified.
 */
export const replacedEnd = (
  session: Session,
  isTold: boolean,
  { endings, means }: EndingBy,
): Effect.Effect<ReadonlyArray<Command>, PortFailed> => {
  const ends = [endSessionGrants(session.locator, means.now)]
  if (!isTold) return Effect.succeed(ends)
  const ended = { subject: session.subject, sessions: [{ ...session, replaced: undefined }], isEverywhere: false }
  return mapped(toldOf(ended, endings, means), (more) => [...ends, ...more])
}
