import { type Instant, type RowKind, rowKinds } from "@postern/core/model"
import { inSeconds, kindFault, type MemberKinds, memberFaults, refuseFaults, rowKindsFault } from "@postern/core/options"
import { DatabaseRefused, type Invalidated, type Kept } from "@postern/stores"
import { spendable } from "@postern/stores/rows"
import { type Database, connect } from "../database/connect.ts"
import { openDatabase } from "../schema/open.ts"
import { shownUrl } from "../database/place.ts"
import { isRestored, mark } from "../schema/mark.ts"

/** Options of invalidating a restored database. */
export interface InvalidateOptions {
  /** The rows that stay valid. */
  readonly kept?: Kept
  /** The kinds of rows that the database keeps. Defaults to those of core. */
  readonly kinds?: ReadonlyArray<RowKind>
  /** Skips the checks that no provider is connected and that the database was restored from a dump. */
  readonly force?: boolean
  /** Changes the database first, such as by adding signing keys. */
  readonly also?: (database: Database) => Promise<void>
  /** Returns the current time in whole seconds since 1970. Defaults to the system clock. */
  readonly now?: () => Instant
}

const optionKinds: MemberKinds<InvalidateOptions> = {
  kept: "object?",
  kinds: "own?",
  force: "boolean?",
  also: "function?",
  now: "function?",
}

const keptKinds: MemberKinds<Kept> = { sessions: "boolean?", consents: "boolean?" }

/** The maximum duration in milliseconds. It is long because every live row may have to be written. */
const patience = 3_600_000

/**
 * Invalidates every row of a restored database that may have been spent, rotated or revoked after the copy was taken. The copy does not
 * know which rows those are, so all of them end. The same statement marks the database as the one to serve. Codes, devices and pending
 * requests are always deleted, because they live for minutes only. Unless forced, rejects with `DatabaseRefused` while a provider is
 * connected, and for a database that is not recognized as restored. A copy of the server's files is not recognized.
 */
export const invalidateRestored = async (url: string, options: InvalidateOptions = {}): Promise<Invalidated> => {
  refuseFaults("invalidateRestored", kindFault("url", url, "text"), memberFaults(options, optionKinds))
  const { kept = { sessions: false, consents: false }, force = false, also, kinds = rowKinds } = options
  refuseFaults("invalidateRestored", memberFaults(kept, keptKinds, "kept."), rowKindsFault(kinds))
  const now = inSeconds("invalidateRestored", options.now ?? systemClock)
  const opened = await openDatabase(url, { made: false, restored: true, connections: 1, kinds })
  try {
    if (!force) await refuseUnlessAlone(shownUrl(url), opened)
    await also?.(opened)
  } finally {
    await opened.close()
  }
  const database = await connect(url, { connections: 1, patience })
  try {
    const { rows } = await database.write("invalidate a restored database", statementOf(kinds), [
      now(),
      kept.sessions,
      kept.sessions || kept.consents,
    ])
    return countsOf(String(rows[0]?.[0]))
  } finally {
    await database.close()
  }
}

const systemClock = (): Instant => Math.floor(Date.now() / 1000)

const countsOf = (array: string): Invalidated => {
  const counts = array.slice(1, -1).split(",").map(Number)
  const [refreshTokens = 0, grants = 0, referenceTokens = 0, sessions = 0, consents = 0, codes = 0, devices = 0, interactions = 0] = counts
  return { grants, refreshTokens, referenceTokens, sessions, consents, codes, devices, interactions }
}

/** Lists the changes, which run in one statement and therefore in one transaction. $1 is now, $2 keeps sessions, $3 keeps consents. */
const changes: ReadonlyArray<readonly [name: string, change: string]> = [
  ["grants", "UPDATE postern.grants SET revoked_at = $1 WHERE NOT $2::boolean AND revoked_at IS NULL"],
  ["access_tokens", "UPDATE postern.access_tokens SET revoked_at = $1 WHERE NOT $2::boolean AND revoked_at IS NULL AND expires_at > $1"],
  ["sessions", "UPDATE postern.sessions SET ended_at = $1 WHERE NOT $2::boolean AND ended_at IS NULL"],
  ["consents", "DELETE FROM postern.consents WHERE NOT $3::boolean"],
  ["codes", "DELETE FROM postern.codes"],
  ["devices", "DELETE FROM postern.devices"],
  ["interactions", "DELETE FROM postern.interactions"],
]

/**
 * Counts the live refresh tokens before the changes. All parts of a statement read the rows as they were before it, whatever their order.
 */
const liveRefreshTokens = `SELECT count(*) FROM postern.refresh_tokens t JOIN postern.grants g ON g.id = t.grant_id
  WHERE NOT $2::boolean AND t.rotated_at IS NULL AND t.expires_at > $1 AND g.revoked_at IS NULL`

const statementOf = (kinds: ReadonlyArray<RowKind>): string => `WITH ${[
  ...changes,
  ...spendable(kinds).map((name) => [name, `DELETE FROM postern.${name}`] as const),
]
  .map(([name, change]) => `changed_${name} AS (${change} RETURNING 1)`)
  .join(", ")}, marked AS (${mark})
  SELECT ARRAY[(${liveRefreshTokens}), ${changes.map(([name]) => `(SELECT count(*) FROM changed_${name})`).join(", ")}]::text`

const refuseUnlessAlone = async (place: string, database: Database): Promise<void> => {
  if (!(await isRestored(database)))
    throw new DatabaseRefused(
      place,
      "inaccessible",
      "it does not look restored from a dump; --force ends its sessions and tokens all the same, as a copy of the server's files needs",
    )
  const others = await database.read(
    "look who is connected",
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'postern' AND pid <> pg_backend_pid()",
  )
  if (others.length > 0) throw new DatabaseRefused(place, "locked", "a provider is connected to it; stop every one first, and do this then")
}
