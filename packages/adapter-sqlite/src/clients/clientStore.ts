import { refuseDatabase } from "../database/refuseDatabase.ts"
import type { Lifetimes } from "@postern/core/model"
import { registeredClient } from "@postern/core/registered"
import type { ClientRegistry } from "@postern/stores"
import { clientRegistry, type ClientRows, type ClientStoreOptions } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"
import { clientCache } from "./clientCache.ts"
import { clientRows } from "./clientRows.ts"

/** Options of the client store. */
export interface SqliteClientStoreOptions extends ClientStoreOptions {
  /** The default lifetimes of a client's tokens and codes, used if its metadata states none. */
  readonly lifetimes: Lifetimes
  /** The time within which changes by other processes are noticed, in milliseconds. Defaults to 0: at once. */
  readonly noticeEvery?: number | undefined
  /** Replaces a slow hash, if another process writes for this one. */
  readonly rehash?: ClientRows["rehash"] | undefined
}

/** Stores registered clients in a SQLite database. Its reads are synchronous. */
export const sqliteClientStore = (database: Database, given: SqliteClientStoreOptions): ClientRegistry => {
  refuseDatabase("sqliteClientStore", database, (given as SqliteClientStoreOptions | undefined) ?? null)
  const { lifetimes, noticeEvery, rehash, ...options } = given
  const rows = clientRows(database, () => cache.forget())
  const cache = clientCache(database, (metadata) => registeredClient(metadata, lifetimes), rows, noticeEvery)
  return clientRegistry(rehash === undefined ? rows : { ...rows, rehash }, cache, options)
}
