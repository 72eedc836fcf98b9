import { type Instant, type Locator, happening, insertion, latestFirst, oneWay, putting, rowKind } from "../../model/index.ts"
import type { SessionUse, UpstreamSignIn } from "../../settle/sessionParts.ts"

/** A session here that came of a sign-in at another provider, as that provider knows it. */
export interface UpstreamSession {
  /** The session here. */
  readonly session: Locator
  /** The name that the other provider is configured under. */
  readonly provider: string
  /** Its issuer identifier. */
  readonly issuer: string
  /** The `sub` of the person there. */
  readonly theirSubject: string
  /** The `sid` of the session there, where it named one. */
  readonly theirSid?: string | undefined
  /** The time it was made. */
  readonly createdAt: Instant
  /** The earliest time the row may be swept: the end of the session. */
  readonly keepUntil: Instant
}

/** Sessions that came of sign-ins at other providers, which may end them (OpenID Connect Back-Channel Logout §2.1). */
export const upstreamSessions = rowKind<UpstreamSession>(
  "upstream_logout_sessions",
  {
    session: "text",
    provider: "text",
    issuer: "text",
    theirSubject: "text",
    theirSid: "text?",
    createdAt: "integer",
    keepUntil: "integer",
  },
  {
    called: "a session of a sign-in at another provider",
    key: ["session"],
    keptUntil: "keepUntil",
    events: {
      SaveUpstreamSession: insertion,
      KeepUpstreamSession: { ...oneWay([], [["keepUntil", "max", ":keepUntil"]]), otherwise: "nothing" },
    },
    lists: {
      ofSid: latestFirst("session", ["provider", "equal", ":provider"], ["theirSid", "equal", ":theirSid"]),
      ofSubject: latestFirst("session", ["provider", "equal", ":provider"], ["theirSubject", "equal", ":theirSubject"]),
    },
  },
)

/** Remembers which sign-in at another provider a session came of. */
export const remembered: UpstreamSignIn = ({ provider, issuer, subject, sid }, session) => [
  putting(upstreamSessions, "SaveUpstreamSession", {
    session: session.locator,
    provider,
    issuer,
    theirSubject: subject,
    theirSid: sid,
    createdAt: session.createdAt,
    keepUntil: session.keepUntil,
  }),
]

/** Remembers it for as long as the session lasts. */
export const keptWithSession: SessionUse = (_client, { locator, idp, expiresAt }, { isProlonged }) =>
  idp === undefined || !isProlonged ? [] : [happening(upstreamSessions, "KeepUpstreamSession", { session: locator, keepUntil: expiresAt })]
