import { registeredClient } from "@postern/core/registered"
import type { Lifetimes } from "@postern/core/model"
import type { ClientRegistry } from "@postern/stores"
import {
  clientRegistry,
  type ClientRow,
  type ClientStoreOptions,
  type CountedClientRows,
  countedClientCache,
  mayBeUnsigned,
} from "@postern/stores/rows"
import type { Database, Statements } from "./database.ts"
import { TakenBack } from "./failure.ts"
import { inParts, type Table } from "./table.ts"

/** Options of a client store. */
export interface KyselyClientOptions extends ClientStoreOptions {
  /** Default lifetimes, for clients whose metadata states none. */
  readonly lifetimes: Lifetimes
}

/** Creates the store of registered clients. */
export const clientsOn = (
  database: Database,
  table: Table<ClientRow>,
  counts: string,
  { lifetimes, ...options }: KyselyClientOptions,
): ClientRegistry => {
  const rows = clientRowsOn(database, table, counts, () => cache.forget())
  const cache = countedClientCache(rows, (row) => registeredClient(row.metadata, lifetimes))
  return clientRegistry(rows, cache, options)
}

const clientRowsOn = (database: Database, table: Table<ClientRow>, counts: string, changed: () => void): CountedClientRows => {
  const { speech } = database
  const selected = `SELECT ${table.selected()} FROM ${table.name}`
  const replaced = ["metadata", "secret_hash", "secret_sealed", "updated_at"]
  const read = database.alone("read a client")
  const any = async (where: string): Promise<boolean> =>
    (await read.rows(`SELECT 1 AS "found" FROM ${table.name} WHERE ${where} LIMIT 1`)).length > 0

  /** Runs a change and increments the revision in the same transaction, which serializes changes of clients. */
  const change = async <A>(operation: string, run: (statements: Statements, careful: boolean) => Promise<A>): Promise<A> => {
    try {
      return await database.transact(operation, async (statements, careful) => {
        await statements.change(`UPDATE ${counts} SET "value" = "value" + 1 WHERE "name" = 'clients'`)
        return run(statements, careful)
      })
    } finally {
      changed()
    }
  }
  const foundAmong = async (statements: Statements, ids: ReadonlyArray<string>): Promise<ReadonlySet<string>> => {
    const found = new Set<string>()
    for (const part of inParts(ids)) {
      const where = `"client_id" IN (${part.map(() => "?").join(", ")})`
      for (const { client_id: id } of await statements.rows(`SELECT "client_id" FROM ${table.name} WHERE ${where}${speech.locked}`, part))
        found.add(speech.read(String(id)))
    }
    return found
  }
  const removeAll = async (statements: Statements, ids: ReadonlyArray<string>): Promise<number> => {
    let count = 0
    for (const part of inParts(ids))
      count += await statements.change(`DELETE FROM ${table.name} WHERE "client_id" IN (${part.map(() => "?").join(", ")})`, part)
    return count
  }
  const writeAll = async (statements: Statements, written: ReadonlyArray<ClientRow>, columns: ReadonlyArray<string>) => {
    const there = await foundAmong(
      statements,
      written.map(({ clientId }) => clientId),
    )
    const fresh = written.filter(({ clientId }) => !there.has(clientId))
    if (fresh.length > 0) await table.insert(statements, fresh)
    for (const row of written) {
      if (!there.has(row.clientId)) continue
      const values = table.write(row)
      const given = columns.map((column) => values[table.columns.indexOf(column)] ?? null)
      const sets = columns.map((column) => `"${column}" = ?`).join(", ")
      await statements.change(`UPDATE ${table.name} SET ${sets} WHERE "client_id" = ?`, [...given, row.clientId])
    }
    return there
  }

  return {
    find: async (clientId) => {
      const [found] = await read.rows(`${selected} WHERE "client_id" = ?`, [clientId])
      return found && table.read(found)
    },
    all: async () => {
      const found = await database.alone("list clients").rows(`${selected} ORDER BY "client_id"`)
      return found.flatMap((each) => table.read(each) ?? [])
    },
    revision: async () => Number((await read.rows(`SELECT "value" FROM ${counts} WHERE "name" = 'clients'`))[0]?.["value"]),
    anySlow: () => any(`"secret_hash" LIKE '$argon2%'`),
    anyUnsigned: () => any(mayBeUnsigned),
    insert: (row) =>
      change("add a client", async (statements, careful) => {
        if (careful) throw new TakenBack("taken back", { cause: false })
        await table.insert(statements, [row])
        return true
      }),
    put: (row) => change("replace a client", async (statements) => (await writeAll(statements, [row], replaced)).has(row.clientId)),
    rehash: async (clientId, before, after) => {
      await change("renew a secret's hash", (statements) =>
        statements.change(`UPDATE ${table.name} SET "secret_hash" = ? WHERE "client_id" = ? AND "secret_hash" = ?`, [
          after,
          clientId,
          before,
        ]),
      )
    },
    remove: (clientIds) => change("remove a client", (statements) => removeAll(statements, clientIds)),
    agree: async (written, removed) => {
      await change("write declared clients", async (statements) => {
        await removeAll(statements, removed)
        return writeAll(statements, written, [...replaced, "origin"])
      })
    },
  }
}
