import { kindFault, partFaults, refuseFaults } from "@postern/core/options"
import type { Lifetimes } from "@postern/core/model"
import { registeredClient } from "@postern/core/registered"
import type { ClientRegistry } from "@postern/stores"
import { clientRegistry, type ClientStoreOptions, countedClientCache } from "@postern/stores/rows"
import type { Database } from "../database/connect.ts"
import { clientRows } from "./clientRows.ts"

/** Options of the client store. */
export interface PostgresClientStoreOptions extends ClientStoreOptions {
  /** The default lifetimes of a client's tokens and codes, used if its metadata states none. */
  readonly lifetimes: Lifetimes
}

/** Stores registered clients in a PostgreSQL database. */
export const postgresClientStore = (database: Database, given: PostgresClientStoreOptions): ClientRegistry => {
  refuseFaults(
    "postgresClientStore",
    partFaults("database", database, { write: "function" }, "Database"),
    kindFault("options", given, "object"),
  )
  const { lifetimes, ...options } = given
  const rows = clientRows(database, () => cache.forget())
  const cache = countedClientCache(rows, (row) => registeredClient(row.metadata, lifetimes))
  return clientRegistry(rows, cache, options)
}
