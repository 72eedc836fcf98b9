import type { Lifetimes } from "@postern/core/model"
import { registeredClient } from "@postern/core/registered"
import type { ClientRegistry } from "@postern/stores"
import { clientRegistry, type ClientStoreOptions, countedClientCache } from "@postern/stores/rows"
import type { Database } from "../database/connect.ts"
import { clientRows } from "./clientRows.ts"

/** Parts of a client store. */
export interface PostgresClientStoreOptions extends ClientStoreOptions {
  /** Lifetimes of what a client is given, where its metadata states none. */
  readonly lifetimes: Lifetimes
}

/** Registered clients in a PostgreSQL database. */
export const postgresClientStore = (database: Database, { lifetimes, ...options }: PostgresClientStoreOptions): ClientRegistry => {
  const rows = clientRows(database, () => cache.forget())
  const cache = countedClientCache(rows, (row) => registeredClient(row.metadata, lifetimes))
  return clientRegistry(rows, cache, options)
}
