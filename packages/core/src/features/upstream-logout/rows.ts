import { type Instant, type Locator, happening, insertion, latestFirst, oneWay, putting, rowKind } from "../../model/index.ts"
import type { SessionUse, UpstreamSignIn } from "../../settle/sessionParts.ts"

/** A session here that resulted from a sign-in at another provider, with that provider's identifiers. */
export interface UpstreamSession {
  /** The session here. */
  readonly session: Locator
  /** The name under which the other provider is configured. */
  readonly provider: string
  /** Its issuer identifier. */
  readonly issuer: string
  /** The `sub` of the person there. */
  readonly theirSubject: string
  /** The `sid` of the session there, if the provider stated one. */
  readonly theirSid?: string | undefined
  /** The time at which the row was created. */
  readonly createdAt: Instant
  /** The earliest time at which the row may be swept, which is the end of the session. */
  readonly keepUntil: Instant
}

/** Sessions that resulted from sign-ins at other providers, which may end them (OpenID Connect Back-Channel Logout §2.1). */
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

/** Records the sign-in at another provider from which a session resulted. */
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

/** Keeps that record for as long as the session lives. */
export const keptWithSession: SessionUse = (_client, { locator, idp, expiresAt }, { isProlonged }) =>
  idp === undefined || !isProlonged ? [] : [happening(upstreamSessions, "KeepUpstreamSession", { session: locator, keepUntil: expiresAt })]
