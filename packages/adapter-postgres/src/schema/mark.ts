import type { Database } from "../database/connect.ts"

/**
 * SQL of the number that tells a restored copy from its original: `postern.revisions` holds its own table's number, and a table that
 * pg_restore makes has another. Copies of the server's files keep it, and cannot be told.
 */
const ownNumber = "'postern.revisions'::regclass::oid::bigint"

/** Keeps that number, of a database that is the one to be served. */
export const mark = `INSERT INTO postern.revisions (name, value) VALUES ('table', ${ownNumber}) ON CONFLICT (name) DO UPDATE SET value = excluded.value`

/** Reports whether a database was restored from a dump and not looked after since. */
export const isRestored = async (database: Database): Promise<boolean> => {
  const rows = await database.read("tell a restored copy", `SELECT 1 FROM postern.revisions WHERE name = 'table' AND value <> ${ownNumber}`)
  return rows.length > 0
}
