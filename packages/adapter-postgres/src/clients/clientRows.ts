import { type ClientRow, type CountedClientRows, kinds, mayBeUnsigned, parameter } from "@postern/stores/rows"
import type { Database } from "../database/connect.ts"
import { tableOf } from "../tokens/table.ts"

/** The prefix of a change that increments the revision in the same statement and therefore in the same transaction. */
const counting = "WITH counted AS (UPDATE postern.revisions SET value = value + 1 WHERE name = 'clients')"

/** Prepares the statements on clients and calls `changed` after each change. */
export const clientRows = (database: Database, changed: () => void): CountedClientRows => {
  const table = tableOf(database, kinds.clients)
  const given = `SELECT * FROM jsonb_populate_recordset(NULL::${table.name}, $1::text::jsonb)`
  /** Assigns every column except those that record a client's origin and creation. */
  const replaced = kindMembers.map((column) => `${column} = excluded.${column}`).join(", ")

  const change = async (operation: string, sql: string, rows: ReadonlyArray<ClientRow>, ids: ReadonlyArray<string>) => {
    const params = [JSON.stringify(rows.map(table.write)), ids.map(parameter)]
    try {
      return await database.write(
        operation,
        `${counting}, given AS (${given}), gone AS (SELECT unnest($2::text[]) AS client_id) ${sql}`,
        params,
      )
    } finally {
      changed()
    }
  }

  return {
    find: table.lookup("read a client"),
    all: () => table.list("list clients", `SELECT ${table.selected} FROM ${table.name} ORDER BY client_id`),
    revision: async () => {
      const [[value] = []] = await database.read("read a client", "SELECT value FROM postern.revisions WHERE name = 'clients'")
      return Number(value)
    },
    insert: async (row) =>
      (await change("add a client", `INSERT INTO ${table.name} SELECT * FROM given ON CONFLICT DO NOTHING`, [row], [])).count === 1,
    put: async (row) => {
      const { rows } = await change(
        "replace a client",
        // xmax is 0 in an inserted row.
        `INSERT INTO ${table.name} SELECT * FROM given ON CONFLICT (client_id) DO UPDATE SET ${replaced} RETURNING xmax = 0`,
        [row],
        [],
      )
      return rows[0]?.[0] === false
    },
    rehash: async (clientId, before, after) => {
      try {
        await database.write(
          "renew a secret's hash",
          `${counting} UPDATE ${table.name} SET secret_hash = $1 WHERE client_id = $2 AND secret_hash = $3`,
          [after, clientId, before].map(parameter),
        )
      } finally {
        changed()
      }
    },
    anySlow: async () =>
      (await database.read("read a client", `SELECT 1 FROM ${table.name} WHERE secret_hash LIKE '$argon2%' LIMIT 1`)).length > 0,
    anyUnsigned: async () =>
      (await database.read("read a client", `SELECT 1 FROM ${table.name} WHERE ${mayBeUnsigned} LIMIT 1`)).length > 0,
    remove: async (clientIds) =>
      (await change("remove a client", `DELETE FROM ${table.name} WHERE client_id IN (SELECT client_id FROM gone)`, [], clientIds)).count,
    agree: async (written, removed) => {
      await change(
        "write declared clients",
        `, removed AS (DELETE FROM ${table.name} WHERE client_id IN (SELECT client_id FROM gone))
        INSERT INTO ${table.name} SELECT * FROM given ORDER BY client_id
        ON CONFLICT (client_id) DO UPDATE SET ${replaced}, origin = 'config'`,
        written,
        removed,
      )
    },
  }
}

const kindMembers = ["metadata", "secret_hash", "secret_sealed", "updated_at"]
