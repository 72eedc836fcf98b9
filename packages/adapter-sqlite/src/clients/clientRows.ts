import type { ClientMetadata, Instant } from "@postern/core/model"
import type { Database } from "better-sqlite3"
import type { KeptSecret } from "./sealedSecrets.ts"
import { type Stored, integer, json, optional, tableOf, text, word } from "../tokens/table.ts"

/** Who registered a client or a person: the configuration file, or the command line. */
export type Origin = "config" | "command"

/** A client as it is stored. The metadata holds no secret. */
export interface ClientRow extends KeptSecret {
  readonly clientId: string
  readonly metadata: ClientMetadata
  readonly origin: Origin
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** Reads and changes stored clients. Every change counts up the clients' revision, which is how other processes notice it. */
export interface ClientRows {
  readonly find: (clientId: string) => ClientRow | undefined
  readonly all: () => ReadonlyArray<ClientRow>
  /** False when the client exists. */
  readonly insert: (row: ClientRow) => boolean
  /** Inserts or replaces, keeping when the row was made and who made it; whether there was one. */
  readonly put: (row: ClientRow) => boolean
  /** How many were removed. */
  readonly remove: (clientIds: ReadonlyArray<string>) => number
  /** Writes what a configuration file declares and removes what it no longer does, together. */
  readonly agree: (written: ReadonlyArray<ClientRow>, removed: ReadonlyArray<string>) => void
}

/** Prepares the statements on clients; `changed` is called after each change. */
export const clientRows = (database: Database, changed: () => void): ClientRows => {
  const table = tableOf<ClientRow>(
    database,
    "clients",
    {
      clientId: text,
      metadata: json<ClientMetadata>(),
      secretHash: optional(text),
      secretSealed: optional(text),
      origin: word<Origin>(),
      createdAt: integer,
      updatedAt: integer,
    },
    ["clientId"],
  )
  const all = database.prepare<[], Array<Stored>>(`SELECT ${table.selected} FROM clients ORDER BY client_id`).raw()
  const replace = database.prepare(
    "UPDATE clients SET metadata = ?, secret_hash = ?, secret_sealed = ?, origin = ?, updated_at = ? WHERE client_id = ?",
  )
  const remove = database.prepare("DELETE FROM clients WHERE client_id = ?")
  const countUp = database.prepare("UPDATE revisions SET value = value + 1 WHERE name = 'clients'")

  const write = (row: ClientRow, by: Origin | undefined): boolean => {
    const stored = table.find(row.clientId)
    if (stored === undefined) return !table.insert(row)
    const { metadata, secretHash = null, secretSealed = null, updatedAt } = row
    replace.run(JSON.stringify(metadata), secretHash, secretSealed, by ?? stored.origin, updatedAt, row.clientId)
    return true
  }
  const changing = <A extends ReadonlyArray<unknown>, B>(change: (...given: A) => B): ((...given: A) => B) => {
    const transaction = database.transaction((given: A): B => {
      countUp.run()
      return change(...given)
    })
    return (...given) => {
      const result = transaction.immediate(given)
      changed()
      return result
    }
  }
  const removeAll = (clientIds: ReadonlyArray<string>): number => clientIds.reduce((sum, clientId) => sum + remove.run(clientId).changes, 0)

  return {
    find: (clientId) => table.find(clientId),
    all: () => all.all().map(table.read),
    insert: changing((row: ClientRow) => table.insert(row)),
    put: changing((row: ClientRow) => write(row, undefined)),
    remove: changing(removeAll),
    agree: changing((written: ReadonlyArray<ClientRow>, removed: ReadonlyArray<string>) => {
      removeAll(removed)
      for (const row of written) write(row, "config")
    }),
  }
}
