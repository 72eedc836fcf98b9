import { partFaults, refuseFaults } from "@postern/core/options"
import type { Stored } from "@postern/stores/sql"
import { type Answer, codeOf, type Statement } from "./database.ts"
import { type CloudflareOptions, type CloudflareStores, optionFaults, storesOn } from "./stores.ts"

/** A D1 statement with its values: `D1PreparedStatement` of Cloudflare's types. */
export interface D1Prepared {
  /** Returns the rows, each as its values. */
  readonly raw: () => Promise<ReadonlyArray<ReadonlyArray<unknown>>>
}

/** A D1 database as bound to a Worker: `D1Database` of Cloudflare's types. */
export interface D1Like {
  /** Prepares a statement. */
  readonly prepare: (sql: string) => { readonly bind: (...values: Array<Stored>) => D1Prepared }
  /** Runs statements in one transaction. */
  // Method syntax keeps the parameter bivariant, because D1's own type accepts only statements that it prepared.
  batch(statements: Array<D1Prepared>): Promise<ReadonlyArray<{ readonly results: ReadonlyArray<unknown> }>>
  /** Distinguishes the database from a session of `withSession`, which may read stale rows from a replica. */
  readonly withSession: (...constraint: Array<never>) => unknown
}

/**
 * Stores Postern's rows in a D1 database. Creates missing tables from the descriptions of rows. Rejects with `DatabaseRefused` for an
 * unsuitable database. Each read is one query and each commit one batch, at the database's primary.
 */
export const d1Stores = async (database: D1Like, options: CloudflareOptions = {}): Promise<CloudflareStores> => {
  refuseFaults("d1Stores", partFaults("database", database, databaseKinds, "D1Database"), optionFaults(options))
  return storesOn(async (statements) => answered(database, statements), "D1", options, "d1Stores")
}

const databaseKinds = { prepare: "function", batch: "function" } as const

const answered = async (database: D1Like, statements: ReadonlyArray<Statement>): Promise<Answer> => {
  const prepared = statements.map(({ sql, values }) => database.prepare(sql).bind(...values))
  const [only] = prepared
  try {
    if (only !== undefined && prepared.length === 1) return { rows: [(await only.raw()) as ReadonlyArray<ReadonlyArray<Stored>>] }
    const results = await database.batch(prepared)
    // Each row has its columns in order, with unique names.
    return { rows: results.map((result) => result.results.map((row) => Object.values(row as Readonly<Record<string, Stored>>))) }
  } catch (error) {
    const failed = codeOf(error)
    if (failed === undefined) throw error
    return { failed }
  }
}
