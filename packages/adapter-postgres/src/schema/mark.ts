import type { Database } from "../database/connect.ts"

/**
 * The SQL of the number that distinguishes a restored copy from its original: the OID of `postern.revisions`, which the table itself also
 * stores. A table created by pg_restore has another OID. A copy of the server's files keeps the OID and cannot be detected.
 */
const ownNumber = "'postern.revisions'::regclass::oid::bigint"

/** Stores that number, which marks the database as the one to serve. */
export const mark = `INSERT INTO postern.revisions (name, value) VALUES ('table', ${ownNumber}) ON CONFLICT (name) DO UPDATE SET value = excluded.value`

/** Reports whether a database was restored from a dump and not invalidated since. */
export const isRestored = async (database: Database): Promise<boolean> => {
  const rows = await database.read("tell a restored copy", `SELECT 1 FROM postern.revisions WHERE name = 'table' AND value <> ${ownNumber}`)
  return rows.length > 0
}
