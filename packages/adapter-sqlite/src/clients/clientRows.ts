import type { Origin } from "@postern/stores"
import { type ClientRow, type ClientRows, kinds, mayBeUnsigned, type Stored } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"
import { guarded } from "../database/guarded.ts"
import { tableOf } from "../tokens/table.ts"

/** Client rows with synchronous reads. */
export interface SqliteClientRows extends ClientRows {
  readonly find: (clientId: string) => ClientRow | undefined
  /** Reports whether any client's secret is stored as a slow hash. */
  readonly anySlow: () => boolean
  /** Reports whether any client that is not disabled may send unsigned request objects. */
  readonly anyUnsigned: () => boolean
}

/** Prepares the statements on clients and calls `changed` after each change. */
export const clientRows = (database: Database, changed: () => void): SqliteClientRows => {
  const table = tableOf(database, kinds.clients)
  const all = database.prepare<[], Array<Stored>>(`SELECT ${table.selected} FROM clients ORDER BY client_id`).raw()
  const page = database
    .prepare<[string, number], Array<Stored>>(`SELECT ${table.selected} FROM clients WHERE client_id > ? ORDER BY client_id LIMIT ?`)
    .raw()
  const replace = database.prepare(
    "UPDATE clients SET metadata = ?, secret_hash = ?, secret_sealed = ?, origin = ?, updated_at = ? WHERE client_id = ?",
  )
  const rehash = database.prepare("UPDATE clients SET secret_hash = ? WHERE client_id = ? AND secret_hash = ?")
  const anySlow = database.prepare<[], number>("SELECT EXISTS (SELECT 1 FROM clients WHERE secret_hash LIKE '$argon2%')").pluck()
  const anyUnsigned = database.prepare<[], number>(`SELECT EXISTS (SELECT 1 FROM clients WHERE ${mayBeUnsigned})`).pluck()
  const remove = database.prepare("DELETE FROM clients WHERE client_id = ?")
  const countUp = database.prepare("UPDATE revisions SET value = value + 1 WHERE name = 'clients'")

  const write = (row: ClientRow, by: Origin | undefined): boolean => {
    const stored = table.find(row.clientId)
    if (stored === undefined) return !table.insert(row)
    const { metadata, secretHash = null, secretSealed = null, updatedAt } = row
    replace.run(JSON.stringify(metadata), secretHash, secretSealed, by ?? stored.origin, updatedAt, row.clientId)
    return true
  }
  const changing = <A extends ReadonlyArray<unknown>, B>(operation: string, change: (...given: A) => B): ((...given: A) => B) => {
    const transaction = database.transaction((given: A): B => {
      countUp.run()
      return change(...given)
    })
    return (...given) => {
      const result = guarded(operation, () => transaction.immediate(given))
      changed()
      return result
    }
  }
  const removeAll = (clientIds: ReadonlyArray<string>): number => clientIds.reduce((sum, clientId) => sum + remove.run(clientId).changes, 0)

  return {
    find: (clientId) => guarded("read a client", () => table.find(clientId)),
    all: () => guarded("list clients", () => all.all().map(table.read)),
    page: (after, most) => guarded("list clients", () => page.all(after, most).map(table.read)),
    insert: changing("add a client", (row: ClientRow) => table.insert(row)),
    put: changing("replace a client", (row: ClientRow) => write(row, undefined)),
    rehash: changing(
      "renew a secret's hash",
      (clientId: string, before: string, after: string) => void rehash.run(after, clientId, before),
    ),
    anySlow: () => guarded("read a client", () => anySlow.get() === 1),
    anyUnsigned: () => guarded("read a client", () => anyUnsigned.get() === 1),
    remove: changing("remove a client", removeAll),
    agree: changing("write declared clients", (written: ReadonlyArray<ClientRow>, removed: ReadonlyArray<string>) => {
      removeAll(removed)
      for (const row of written) write(row, "config")
    }),
  }
}
