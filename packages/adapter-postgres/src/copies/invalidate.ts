import { type Instant, type RowKind, rowKinds } from "@postern/core/model"
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
  /** The kinds of row that the database keeps; those of core when left out. */
  readonly kinds?: ReadonlyArray<RowKind>
  /** Does it while other processes are connected, and to a database that is not seen to be a restored one. */
  readonly force?: boolean
  /** Changes the database before, such as by adding signing keys. */
  readonly also?: (database: Database) => Promise<void>
  /** Whole seconds since 1970; the clock of the system when left out. */
  readonly now?: () => Instant
}

/** Milliseconds that it may take: every live row may have to be written. */
const patience = 3_600_000

/**
 * Makes sure that nothing spent, rotated or revoked after a copy was taken comes back to life with it, as far as the copy cannot know what
 * that was: all of it ends, in one statement, and from then on the database is served. Codes, devices and waiting requests go in any case:
 * they live for minutes. Rejects with `DatabaseRefused` while a provider is connected, and, unless forced, for a database that is not seen
 * to be restored: copies of the server's files look like it.
 */
export const invalidateRestored = async (url: string, options: InvalidateOptions = {}): Promise<Invalidated> => {
  const { kept = { sessions: false, consents: false }, force = false, also, kinds = rowKinds, now = systemClock } = options
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

/** Each change in one statement, and so in one transaction; $1 is now, $2 keeps sessions, $3 consents. */
const changes: ReadonlyArray<readonly [name: string, change: string]> = [
  ["grants", "UPDATE postern.grants SET revoked_at = $1 WHERE NOT $2::boolean AND revoked_at IS NULL"],
  ["access_tokens", "UPDATE postern.access_tokens SET revoked_at = $1 WHERE NOT $2::boolean AND revoked_at IS NULL AND expires_at > $1"],
  ["sessions", "UPDATE postern.sessions SET ended_at = $1 WHERE NOT $2::boolean AND ended_at IS NULL"],
  ["consents", "DELETE FROM postern.consents WHERE NOT $3::boolean"],
  ["codes", "DELETE FROM postern.codes"],
  ["devices", "DELETE FROM postern.devices"],
  ["interactions", "DELETE FROM postern.interactions"],
]

/** All parts of a statement read the rows as they were before it, in whatever order they stand. */
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
