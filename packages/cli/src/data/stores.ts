import type { Duplex } from "node:stream"
import {
  AlreadyExists,
  type AuditOptions,
  DatabaseRefused,
  NotFound,
  type Stores,
  type StoresOptions,
  StoreUnavailable,
} from "@postern/stores"
import { rowKindsOf } from "@postern/core"
import type { Awaitable } from "@postern/core/ports"
import * as Redacted from "effect/Redacted"
import { type Database, shownDatabase } from "../config/database.ts"
import type { Setup } from "../config/setup.ts"
import { failed } from "../failure.ts"
import { encryptionOf } from "./encryption.ts"
import { type DataPlace, dataPlace, type Whereabouts } from "./place.ts"
import { upgrading } from "./upgrading.ts"

/** The codes of a disk without space, of SQLite and PostgreSQL (Appendix A). */
const full: ReadonlyArray<string> = ["SQLITE_FULL", "53100"]

/** The remedies for other failures, by the code of SQLite or PostgreSQL. */
const remedies: Readonly<Record<string, string>> = {
  "25006": "the server is read-only, as a standby is: name the one that takes writes, and try again",
  "3D000": "the database is gone: make it with createdb, and restore its dump",
  "42501": "this user lacks a right to it: make the user the owner of the schema postern, and try again",
  "42P01": "tables are missing: restore a dump, or start the provider, which makes them anew",
  "53300": "the server has no connection left for this user: stop a server of Postern, or raise max_connections or the user's own limit",
  "55P03": "another transaction keeps it locked: end that, which pg_stat_activity shows, or try again later",
  "57014": "it took too long: end the transaction that keeps it locked, which pg_stat_activity shows, or try again later",
  "57P03": "the server is starting or stopping: try again in a moment",
  DAMAGED_ROW: "a row cannot be read: restore the last backup",
  REPLACED: "its file was moved or replaced: stop every process that has it open, and put it back or restore a backup",
  SQLITE_BUSY: "another process keeps the database locked: try again when it is done",
}

/** Translates an error of the stores for the terminal. Returns other errors unchanged. `database` is where the database is. */
export const storeFailure = (error: unknown, database = "the database"): unknown => {
  if (error instanceof DatabaseRefused) return failed(error.message)
  if (error instanceof AlreadyExists || error instanceof NotFound || error instanceof RangeError) return failed(error.message)
  if (error instanceof StoreUnavailable && full.includes(error.code))
    return failed(error.message, `nothing was changed: the disk of ${database} is full; free some space and try again`)
  if (error instanceof StoreUnavailable)
    return failed(
      error.message,
      error.uncertain
        ? "whether it was done is not known: look, and try again"
        : `nothing was changed; ${remedies[error.code] ?? "try again"}`,
    )
  return error
}

/**
 * Runs a write of a command that makes several. If the store cannot do it, the failure says what was `done` before, if anything was. The
 * operator completes it by running the command again.
 */
export const completing = async <A>(done: string | undefined, run: () => Awaitable<A>): Promise<A> => {
  try {
    return await run()
  } catch (error) {
    if (done === undefined || !(error instanceof StoreUnavailable)) throw error
    const remedy = full.includes(error.code) ? "the disk of the database is full: free some space and run" : "run"
    throw failed(error.message, `${done}; ${remedy} the same command again, which completes it`)
  }
}

/** The failure of a command of several writes that was interrupted when this was `done`. Running it again completes it. */
export const interrupted = (done: string) => failed(`interrupted: ${done}`, "run the same command again, which completes it")

/** Options with which a command opens a database. */
export interface OpenOptions extends StoresOptions {
  /** True if a missing database is created, the default; otherwise it is refused. */
  readonly made?: boolean
  /** True if a database of PostgreSQL is only looked at: neither its schema nor anything else is changed. Defaults to false. */
  readonly unchanged?: boolean
  /** True if a provider serves from the database, rather than a short-lived command. Defaults to false. */
  readonly serves?: boolean
  /** Set if several processes of a server use one SQLite database, to which only one writes: see `SqliteOptions.writing`. */
  readonly writing?: "shared" | Duplex | undefined
}

/** Returns the options of stored audit events. Those of the log are not the stores'. */
export const keptAudit = ({ audit: { log: _log, ...kept } }: Pick<Setup, "audit">): AuditOptions => kept

/** Opens all stores of a database. */
export const openStores = async (
  database: Database,
  { made = true, serves = false, unchanged = false, writing, ...options }: OpenOptions,
): Promise<Stores> => {
  try {
    if (database._tag === "Postgres") {
      const { postgresStores } = await import("@postern/adapter-postgres")
      return await postgresStores(Redacted.value(database.url), { ...options, made, unchanged })
    }
    const { databaseExists, sqliteStores } = await import("@postern/adapter-sqlite")
    if (!made && !databaseExists(database.file))
      throw failed(`there is no database at ${database.file}`, "start the provider once, or name its folder with --data DIR")
    const progress = upgrading(() => performance.now())
    return sqliteStores(database.file, { ...options, progress, thread: serves, ...(writing !== undefined && { writing }) })
  } catch (error) {
    // Whoever looks without changing anything tells of an older schema as it is.
    if (unchanged && error instanceof DatabaseRefused && error.reason === "older") throw error
    throw storeFailure(error)
  }
}

/**
 * Opens the stores of a command's database, calls `use`, and closes them. A missing database is created only if the command adds something.
 */
export const withStores = async <A>(
  whereabouts: Whereabouts,
  adds: boolean,
  use: (stores: Stores, place: DataPlace) => Promise<A> | A,
): Promise<A> => {
  const place = await dataPlace(whereabouts)
  const { setup } = place
  const stores = await openStores(place.database, {
    made: adds,
    ...(setup === undefined
      ? {}
      : { lifetimes: setup.lifetimes, audit: keptAudit(setup), encryption: encryptionOf(setup), kinds: rowKindsOf(setup) }),
  })
  try {
    return await use(stores, place)
  } catch (error) {
    throw storeFailure(error, shownDatabase(place.database))
  } finally {
    await stores.close()
  }
}
