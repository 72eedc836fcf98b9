import * as Effect from "effect/Effect"
import { type Command, type Session, distinct } from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import { mapped, onward, steps } from "../ports/steps.ts"
import { isLive } from "../rules/session.ts"
import type { Inquiry } from "./request.ts"
import { type EndingBy, continuedBy } from "./sessionParts.ts"
import { replacedEnd, sessionEnd, sessionEndBy } from "./signOut.ts"

/**
 * Ends the browser's session of another person than the one who signs in, because nobody could sign out of it anymore (OpenID Connect
 * Back-Channel Logout §2).
 */
export const leaving = (
  session: Session | undefined,
  { subject }: Pick<Session, "subject">,
  inquiry: Inquiry,
): Effect.Effect<ReadonlyArray<Command>, PortFailed> =>
  session === undefined || session.subject === subject ? Effect.succeed([]) : sessionEnd(session, inquiry)

const lasts = (session: Session, now: number): boolean => isLive(session, now)

/** Returns the session itself, or the live one that replaced it when its person signed in again in the same browser. */
export const lastingOf = (session: Session | undefined, { ports, now }: Inquiry): Effect.Effect<Session | undefined, PortFailed> =>
  session === undefined || lasts(session, now)
    ? Effect.succeed(session)
    : mapped(ports.tokens.sessionsOf(session.subject), (all) => continuedBy(session.locator, all, now) ?? session)

/**
 * Ends the leftovers of ended sessions: their grants and, if a live session continues an ended one because its person signed in again in
 * the same browser, its clients' own sessions. A sign-out has already notified the clients of its session.
 */
export const leftoversEnd = steps(function* (found: ReadonlyArray<Session>, by: EndingBy) {
  const { ports, now } = by.means
  const live = found.filter((session) => lasts(session, now))
  // The end of one that lasts is that of those in whose place it is.
  const over = found.filter((session) => !lasts(session, now) && continuedBy(session.locator, live, now) === undefined)
  const people = distinct(over.map(({ subject }) => subject))
  const lasting = (yield* Effect.all(
    people.map((subject) => ports.tokens.sessionsOf(subject)),
    { concurrency: 8 },
  )).flat()
  const ends = yield* Effect.all(
    over.map((session) => replacedEnd(session, continuedBy(session.locator, lasting, now) !== undefined, by)),
    { concurrency: 8 },
  )
  return ends.flat()
})

/** Ends sessions, whether or not they are live. */
export const allEnd = (found: ReadonlyArray<Session>, by: EndingBy): Effect.Effect<ReadonlyArray<Command>, PortFailed> =>
  onward(leftoversEnd(found, by), (left) =>
    mapped(
      Effect.all(
        found.filter((session) => lasts(session, by.means.now)).map((session) => sessionEndBy(session, by)),
        { concurrency: 8 },
      ),
      (ends) => [...left, ...ends.flat()],
    ),
  )
