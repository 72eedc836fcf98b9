import type { SigningKeyStore } from "@postern/core/jose"
import { kinds } from "@postern/stores/rows"
import type { Database } from "./database/connect.ts"
import { Violated } from "./database/failure.ts"
import { tableOf } from "./tokens/table.ts"

/** Keeps signing keys in a database. Private keys are stored as given, so the caller must seal them with a key-encryption key. */
export const postgresSigningKeyStore = (database: Database): SigningKeyStore => {
  const keys = tableOf(database, kinds.signingKeys)
  return {
    list: () => keys.list("list signing keys", `SELECT ${keys.selected} FROM ${keys.name} ORDER BY active_at, kid`),
    add: async (added, seen) => {
      try {
        const committed = await database.transact("add signing keys", [
          // This update locks a row, so that concurrent additions run one at a time and each sees the keys added before it.
          { sql: "UPDATE postern.revisions SET value = value + 1 WHERE name = 'signing_keys'" },
          {
            sql: `SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM ${keys.name} WHERE kid <> ALL($1::text[]))
              AND (SELECT count(*) FROM ${keys.name}) = cardinality($1::text[])`,
            params: [[...seen]],
            guards: true,
          },
          {
            sql: `INSERT INTO ${keys.name} SELECT * FROM jsonb_populate_recordset(NULL::${keys.name}, $1::text::jsonb)`,
            params: [JSON.stringify(added.map(keys.write))],
          },
        ])
        return committed ? "Committed" : "Conflict"
      } catch (error) {
        if (error instanceof Violated) return "Conflict"
        throw error
      }
    },
    remove: async (kids) => {
      if (kids.length > 0) await database.write("remove signing keys", `DELETE FROM ${keys.name} WHERE kid = ANY($1::text[])`, [[...kids]])
    },
  }
}
