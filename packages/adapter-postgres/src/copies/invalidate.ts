import { type RowKind, rowKinds } from "@postern/core/model"
import { inSeconds, kindFault, type MemberKinds, memberFaults, refuseFaults, rowKindsFault } from "@postern/core/options"
import { DatabaseRefused, type Invalidated, type Kept } from "@postern/stores"
import {
  endings,
  invalidatedOf,
  keptKinds,
  liveRefreshTokens,
  type RestoredOptions,
  restoredKinds,
  systemClock,
} from "@postern/stores/rows"
import { type Database, connect } from "../database/connect.ts"
import { openDatabase } from "../schema/open.ts"
import { shownUrl } from "../database/place.ts"
import { isRestored, mark } from "../schema/mark.ts"
import { inQuery } from "../tokens/dialect.ts"

/** Options of invalidating a restored database. */
export interface InvalidateOptions extends RestoredOptions<Database> {
  /** Skips the checks that no provider is connected and that the database was restored from a dump. */
  readonly force?: boolean
}

const optionKinds: MemberKinds<InvalidateOptions> = { ...restoredKinds, force: "boolean?" }

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
    const at = now()
    const { sql, names, tables } = statementOf(kinds, kept)
    const { rows } = await database.write(
      "invalidate a restored database",
      sql,
      names.map(() => at),
    )
    const counts = String(rows[0]?.[0]).slice(1, -1).split(",").map(Number)
    return invalidatedOf(Object.fromEntries(tables.map((table, place) => [table, counts[place]])))
  } finally {
    await database.close()
  }
}

/** A statement that ends rows, the names of the values that it binds, and the tables that it counts, in order. */
interface Statement {
  readonly sql: string
  readonly names: ReadonlyArray<string>
  readonly tables: ReadonlyArray<string>
}

/**
 * Makes the statement, which runs all changes in one transaction. Its parts read the rows as they were before it, whatever their order, so
 * refresh tokens are counted by the grants that it revokes.
 */
const statementOf = (kinds: ReadonlyArray<RowKind>, kept: Kept): Statement => {
  const names: Array<string> = []
  const dialect = inQuery(names)
  const ended = endings(() => ({ dialect }), kinds, kept)
  const live = kept.sessions ? [] : [["refresh_tokens", liveRefreshTokens(dialect.named, dialect.given("at", "integer"))] as const]
  const counts = [...live, ...ended.map(({ table }) => [table, `SELECT count(*) FROM changed_${table}`] as const)]
  const changes = [...ended.map(({ table, change }) => `changed_${table} AS (${change} RETURNING 1)`), `marked AS (${mark})`]
  return {
    sql: `WITH ${changes.join(", ")} SELECT ARRAY[${counts.map(([, count]) => `(${count})`).join(", ")}]::text`,
    names,
    tables: counts.map(([table]) => table),
  }
}

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
