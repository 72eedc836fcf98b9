import type { Database } from "better-sqlite3"

/** Every table whose rows a provider writes while it serves, with the columns that tell one state of a row from another. */
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
  // A message that was delivered since would be delivered once more.
  outbox: "due_at + attempts",
}

/** A database of an older version may lack a table: nothing was written to it. */
const contentOfTable = (database: Database, table: string, moments: string): readonly [number, number] => {
  const isThere = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(table) !== undefined
  if (!isThere) return [0, 0]
  return database.prepare<[], [number, number]>(`SELECT count(*), total(${moments}) FROM ${table}`).raw().get() ?? [0, 0]
}

/** A text that is the same for two databases exactly when neither was written to since one was copied from the other, but for trails. */
export const contentOf = (database: Database): string =>
  Object.entries(written)
    .map(([table, moments]) => {
      const [count, sum] = contentOfTable(database, table, moments)
      return `${table} ${count} ${sum}`
    })
    .join("\n")
