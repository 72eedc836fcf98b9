import type { Client, Person, Session } from "../model/index.ts"
import { offlineAccess } from "../model/index.ts"
import { type Objection, pass, rule, table } from "./rule.ts"

/** What tells whether somebody is signed in. */
export interface SessionSeen {
  readonly now: number
  readonly session: Session | undefined
  readonly person: Person | undefined
}

/** Reports whether a session still stands: not ended, not run out. */
export const isLive = (session: Session | undefined, now: number): session is Session =>
  session !== undefined && session.endedAt === undefined && now < session.expiresAt

/** Judges whether somebody is signed in whom the provider's own pages may show their home. */
export const sessionRules = table<unknown, SessionSeen, Objection>("session", [
  rule("session.live", "OpenID Connect Core §3.1.2.3", (_, s) =>
    isLive(s.session, s.now) ? pass : { reason: s.session === undefined ? "no session" : "the session has ended" },
  ),
  rule("session.person-active", "OpenID Connect Core §3.1.2.3", (_, s) =>
    s.person?.active === true
      ? pass
      : { reason: s.person === undefined ? "the session's person is gone" : "the session's person is disabled" },
  ),
])

/** Reports whether a grant made in a session ends when its person signs out (client metadata `revoke_on_logout`). */
export const endsWithSession = ({ revokeOnLogout }: Client, scope: ReadonlyArray<string>): boolean =>
  revokeOnLogout === "all" || (revokeOnLogout === "online" && !scope.includes(offlineAccess))
