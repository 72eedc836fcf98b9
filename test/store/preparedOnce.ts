import { type SqliteTokenStore, sqliteTokenStore } from "@postern/adapter-sqlite"
import type { Database, Statement } from "better-sqlite3"

/**
 * Makes stores on one database, each of which knows nothing of its rows yet. All are given the statements that the first one prepared, in their order: preparing them is most
 * of what a store costs.
 */
export const storesOn = (database: Database): (() => SqliteTokenStore) => {
  const prepare = database.prepare.bind(database)
  const prepared: Array<Statement<Array<unknown>>> = []
  return () => {
    let at = 0
    // The parameters and rows that a caller names are those of the statement of the same text.
    database.prepare = ((sql: string) => {
      const known = prepared[at]
      const statement = known?.source === sql ? known : prepare(sql)
      prepared[at++] = statement
      return statement
    }) as typeof database.prepare
    try {
      return sqliteTokenStore(database)
    } finally {
      database.prepare = prepare
    }
  }
}
