import type { SigningKey, SigningKeyStore } from "@postern/core/jose"
import type { RowKind } from "@postern/core/model"
import { after } from "@postern/core/ports"
import { columnsOf, identifier, readRow, writeRow } from "@postern/stores/sql"
import type { Database, Statement } from "./database.ts"

/** Stores signing keys. Private keys are stored as given, so seal them with a key-encryption key. */
export const signingKeysOn = (database: Database, kind: RowKind<SigningKey>): SigningKeyStore => {
  const table = identifier(kind.name)
  const columns = columnsOf(kind).map(identifier)
  const [read, write] = [readRow(kind), writeRow(kind)]
  const insert = `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`
  const all: Statement = { sql: `SELECT ${columns.join(", ")} FROM ${table} ORDER BY "active_at", "kid"`, values: [] }
  return {
    list: async () => after(database.ask("list signing keys", [all]), ([rows = []]) => rows.map(read)),
    add: async (added, seen) => {
      const kids = [...new Set(seen)]
      const others = `(SELECT count(*) FROM ${table}) <> ? OR (SELECT count(*) FROM ${table} WHERE "kid" IN (SELECT value FROM json_each(?))) <> ?`
      const unseen = database.unless(others, [kids.length, JSON.stringify(kids), kids.length])
      return database.commit("add signing keys", [unseen, ...added.map((key) => ({ sql: insert, values: write(key) }))])
    },
    remove: async (kids) => {
      if (kids.length === 0) return
      const sql = `DELETE FROM ${table} WHERE "kid" IN (SELECT value FROM json_each(?))`
      await database.ask("remove signing keys", [{ sql, values: [JSON.stringify(kids)] }])
    },
  }
}
