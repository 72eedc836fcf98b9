import type { Lifetimes } from "@postern/core/model"
import { registeredClient } from "@postern/core/registered"
import type { ClientRegistry } from "@postern/stores"
import { clientRegistry, type ClientRows, type ClientStoreOptions } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"
import { clientCache } from "./clientCache.ts"
import { clientRows } from "./clientRows.ts"

/** Parts of a client store. */
export interface SqliteClientStoreOptions extends ClientStoreOptions {
  /** Lifetimes of what a client is given, where its metadata states none. */
  readonly lifetimes: Lifetimes
  /** Milliseconds within which what other processes change is noticed; at once when not given. */
  readonly noticeEvery?: number | undefined
  /** Replaces a slow hash, where another process writes for this one. */
  readonly rehash?: ClientRows["rehash"] | undefined
}

/** Registered clients in a SQLite database. What it reads it answers at once. */
export const sqliteClientStore = (
  database: Database,
  { lifetimes, noticeEvery, rehash, ...options }: SqliteClientStoreOptions,
): ClientRegistry => {
  const rows = clientRows(database, () => cache.forget())
  const cache = clientCache(database, (metadata) => registeredClient(metadata, lifetimes), rows, noticeEvery)
  return clientRegistry(rehash === undefined ? rows : { ...rows, rehash }, cache, options)
}
