import type { Database } from "better-sqlite3"

/** Lists every table that a provider writes to while it serves, with the columns that distinguish one state of a row from another. */
const written = {
  grants: "created_at + coalesce(revoked_at, 0)",
  codes: "created_at + coalesce(consumed_at, 0)",
  access_tokens: "created_at + coalesce(revoked_at, 0)",
  refresh_tokens: "created_at + coalesce(rotated_at, 0)",
  sessions: "seen_at + coalesce(ended_at, 0)",
  consents: "granted_at + length(scope)",
  clients: "updated_at",
  users: "updated_at",
  signing_keys: "active_at",
  // A restored database would deliver again a message that was delivered after the copy.
  outbox: "due_at + attempts",
}

/**
 * Returns the row count and the sum of the given columns. A database of an older version may lack the table, which then counts as empty.
 */
const contentOfTable = (database: Database, table: string, moments: string): readonly [number, number] => {
  const isThere = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(table) !== undefined
  if (!isThere) return [0, 0]
  return database.prepare<[], [number, number]>(`SELECT count(*), total(${moments}) FROM ${table}`).raw().get() ?? [0, 0]
}

/**
 * Returns a text that is equal for two databases exactly if neither was written to since one was copied from the other. Trails are not
 * compared.
 */
export const contentOf = (database: Database): string =>
  Object.entries(written)
    .map(([table, moments]) => {
      const [count, sum] = contentOfTable(database, table, moments)
      return `${table} ${count} ${sum}`
    })
    .join("\n")
