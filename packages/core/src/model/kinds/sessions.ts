import { type Command, happening, putting } from "../command.ts"
import type { Locator } from "../handle.ts"
import type { Session } from "../rows.ts"
import { type Condition, insertedAs, oneWay, rowKind } from "../rowKind.ts"
import type { Instant } from "../time.ts"
import { endSessionGrants } from "./grants.ts"

const lasting: ReadonlyArray<Condition<"endedAt">> = [["endedAt", "unset"]]
const ended = [["endedAt", "set", ":at"]] as const
const ending = oneWay(lasting, ended, { otherwise: "nothing", moves: { lasting: "ended" } })

/** Sessions: sign-ins of people, each in one browser. */
export const sessions = rowKind<Session>(
  "sessions",
  {
    locator: "text",
    digest: "text",
    subject: "text",
    authTime: "integer",
    amr: "json",
    acr: "text?",
    idp: "text?",
    tenant: "text?",
    agent: "text",
    address: "text?",
    replaced: "json?",
    createdAt: "integer",
    seenAt: "integer",
    expiresAt: "integer",
    endedAt: "integer?",
    keepUntil: "integer",
  },
  {
    called: "a session",
    key: ["locator"],
    ordered: true,
    keptUntil: "keepUntil",
    restored: { when: lasting, change: ended },
    events: {
      SaveSession: insertedAs("lasting"),
      RequireSession: oneWay(lasting, "nothing", { moves: { lasting: "lasting" } }),
      TouchSession: oneWay(
        lasting,
        [
          ["seenAt", "set", ":seenAt"],
          ["expiresAt", "set", ":expiresAt"],
          ["keepUntil", "set", ":keepUntil"],
        ],
        { moves: { lasting: "lasting" } },
      ),
      EndSession: ending,
      SignOut: ending,
      // A session that was extended since its expiry was read does not end.
      ExpireSession: oneWay([...lasting, ["expiresAt", "equal", ":expiresAt"]], ended, {
        moves: { lasting: "ended" },
      }),
    },
    lists: { sessions: { all: [["subject", "equal", ":subject"], ...lasting], order: [["locator", "down"]] } },
    states: { lasting: [], ended: [["endedAt", "set"]] },
  },
)

/** Saves a new session. */
export const saveSession = (session: Session): Command => putting(sessions, "SaveSession", session)

/** Requires that a session has not ended. */
export const requireSession = (locator: Locator): Command => happening(sessions, "RequireSession", { locator })

/** Extends a session that has not ended. */
export const touchSession = (
  locator: Locator,
  { seenAt, expiresAt, keepUntil }: Pick<Session, "seenAt" | "expiresAt" | "keepUntil">,
): Command => happening(sessions, "TouchSession", { locator, seenAt, expiresAt, keepUntil })

/** Ends a session that another sign-in of its person replaces. */
export const endSession = (locator: Locator, at: Instant): Command => happening(sessions, "EndSession", { locator, at })

/** Ends a session that was read as expired; a conflict if it was extended since or has ended. */
export const expireSession = ({ locator, expiresAt }: Pick<Session, "locator" | "expiresAt">, at: Instant): Command =>
  happening(sessions, "ExpireSession", { locator, expiresAt, at })

/** Signs a person out: ends the session and the grants that end with it. The subject is for audit events. */
export const signOut = (locator: Locator, at: Instant, subject?: string): ReadonlyArray<Command> => [
  happening(sessions, "SignOut", { locator, at, ...(subject === undefined ? {} : { subject }) }),
  endSessionGrants(locator, at),
]
