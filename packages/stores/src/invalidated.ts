import { type Instant, type RowKind, rowKinds } from "@postern/core/model"
import type { MemberKinds } from "@postern/core/options"
import { compiledEvent, type Dialect } from "./rows/statements.ts"
import { kindsOfFeatures } from "./rows/tables.ts"

/** The parts of a restored copy that remain valid. */
export interface Kept {
  /** Sessions, grants with their tokens, and consents. Only valid if nothing was written after the copy was taken. */
  readonly sessions: boolean
  /** Only consents. */
  readonly consents: boolean
}

/** Options of invalidating a restored database. */
export interface RestoredOptions<Database> {
  /** The rows that stay valid. */
  readonly kept?: Kept
  /** The kinds of rows that the database keeps. Defaults to those of core. */
  readonly kinds?: ReadonlyArray<RowKind>
  /** Changes the database before it is served, such as by adding signing keys. */
  readonly also?: (database: Database) => Promise<void>
  /** Returns the current time in whole seconds since 1970. Defaults to the system clock. */
  readonly now?: () => Instant
}

/** The kinds of the members of {@link RestoredOptions}. */
export const restoredKinds: MemberKinds<RestoredOptions<unknown>> = { kept: "object?", kinds: "own?", also: "function?", now: "function?" }

/** The kinds of the members of {@link Kept}. */
export const keptKinds: MemberKinds<Kept> = { sessions: "boolean?", consents: "boolean?" }

/** The number of rows of each kind that were invalidated. Grants, sessions and tokens that were invalid before do not count. */
export interface Invalidated {
  /** Revoked grants. */
  readonly grants: number
  /** Invalidated refresh tokens. */
  readonly refreshTokens: number
  /** Invalidated reference access tokens. */
  readonly referenceTokens: number
  /** Ended sessions. */
  readonly sessions: number
  /** Removed consents. */
  readonly consents: number
  /** Invalidated authorization codes. */
  readonly codes: number
  /** Ended device authorizations. */
  readonly devices: number
  /** Ended interactions. */
  readonly interactions: number
}

/** The end of the rows of one table in a restored copy. */
export interface Ended<Made> {
  /** The name of the table. */
  readonly table: string
  /** The statement. Its only value is `at`, the time of the restore. */
  readonly change: string
  /** The dialect that the statement was compiled in, with the values that it binds. */
  readonly made: Made
}

/** Compiles the end of each kind of row that a restored copy does not keep, those of core included. Each has a dialect of its own. */
export const endings = <Made extends { readonly dialect: Dialect }>(
  make: (kind: RowKind) => Made,
  kinds: ReadonlyArray<RowKind>,
  { sessions, consents }: Kept,
): ReadonlyArray<Ended<Made>> =>
  [...rowKinds, ...kindsOfFeatures(kinds)].flatMap((kind) => {
    const { restored } = kind
    if (restored === undefined) return []
    if (restored !== "removed" && (sessions || (consents && restored.isConsent === true))) return []
    const { when, change } = restored === "removed" ? { when: [], change: "remove" as const } : restored
    const made = make(kind)
    const compiled = compiledEvent(made.dialect, kind, { by: {}, ways: [{ when, change }] })
    return "change" in compiled ? [{ table: kind.name, change: compiled.change, made }] : []
  })

/**
 * Counts the refresh tokens that end with their grants. They are counted before the grants are revoked, because a token is not changed
 * itself. `at` is the expression for the time of the restore.
 */
export const liveRefreshTokens = (named: Dialect["named"], at: string): string =>
  `SELECT count(*) FROM ${named("refresh_tokens")} AS t JOIN ${named("grants")} AS g ON g.id = t.grant_id
   WHERE t.rotated_at IS NULL AND t.expires_at > ${at} AND g.revoked_at IS NULL`

/** Names the counts of the rows that ended in each table. */
export const invalidatedOf = (counts: Readonly<Record<string, number | undefined>>): Invalidated => ({
  grants: counts["grants"] ?? 0,
  refreshTokens: counts["refresh_tokens"] ?? 0,
  referenceTokens: counts["access_tokens"] ?? 0,
  sessions: counts["sessions"] ?? 0,
  consents: counts["consents"] ?? 0,
  codes: counts["codes"] ?? 0,
  devices: counts["devices"] ?? 0,
  interactions: counts["interactions"] ?? 0,
})
