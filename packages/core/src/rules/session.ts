import type { Client, Person, Seconds, Session, Settings, WaitingRequest } from "../model/index.ts"
import { offlineAccess } from "../model/index.ts"
import { type Objection, prove, table } from "./rule.ts"

/** The session of a browser, and its person. */
export interface SessionSeen {
  readonly now: number
  readonly session: Session | undefined
  readonly person: Person | undefined
}

/** Reports whether a session is live: neither ended nor expired. */
export const isLive = (session: Session | undefined, now: number): session is Session =>
  session !== undefined && session.endedAt === undefined && now < session.expiresAt

/**
 * Reports whether a session comes from a sign-in for a waiting request, or from a later one. A forced sign-in counts once, and only then.
 */
export const signedInFor = (
  waiting: Pick<WaitingRequest, "signedInAt" | "subject" | "createdAt"> | undefined,
  session: Pick<Session, "subject" | "authTime">,
): boolean => {
  if (waiting === undefined) return false
  const { signedInAt, subject, createdAt } = waiting
  return (signedInAt !== undefined && subject === session.subject && session.authTime >= signedInAt) || session.authTime > createdAt
}

const day = 86_400

/**
 * Returns the time for which the sign-in to a client is remembered: thirty days, which is longer than a returning browser stays signed in
 * without another authorization request, which is remembered again. If sessions last longer, it is a day more than a session, so that it is
 * still known when the session ends.
 */
export const signedInMemory = ({ sessionLifetime }: Pick<Settings, "sessionLifetime">): Seconds => Math.max(30 * day, sessionLifetime + day)

/** Begins a table with the rules of a live session. */
export const sessionTable = <Seen extends SessionSeen>(name: string) =>
  table<Seen, Objection>(name)
    .establish("session.live", "OpenID Connect Core §3.1.2.3", ({ session, now }) =>
      isLive(session, now) ? prove({ session }) : { reason: session === undefined ? "no session" : "the session has ended" },
    )
    .establish("session.person-active", "OpenID Connect Core §3.1.2.3", ({ person }) =>
      person?.active === true
        ? prove({ person })
        : { reason: person === undefined ? "the session's person is gone" : "the session's person is disabled" },
    )

/** Checks that somebody is signed in to whom the provider's own pages may be shown. */
export const sessionRules = sessionTable<SessionSeen>("session")

/** Reports whether a grant made in a session ends when its person signs out (client metadata `revoke_on_logout`). */
export const endsWithSession = ({ revokeOnLogout }: Client, scope: ReadonlyArray<string>): boolean =>
  revokeOnLogout === "all" || (revokeOnLogout === "online" && !scope.includes(offlineAccess))
