import type { Client, ClientMetadata } from "@postern/core/model"
import { type CachedClient, type ClientCache, unknownIds } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"
import { guarded } from "../database/guarded.ts"
import type { SqliteClientRows } from "./clientRows.ts"

const most = 10_000

/**
 * Caches clients in memory. SQLite's `data_version` shows in 2 µs whether another connection has committed, and the clients' revision shows
 * whether that commit changed a client. After a change on this connection, the caller must call `forget`.
 */
export const clientCache = (
  database: Database,
  make: (metadata: ClientMetadata) => Client,
  rows: Pick<SqliteClientRows, "find" | "anySlow" | "anyUnsigned">,
  /** The minimum interval between two checks for changes, in milliseconds. */
  noticeEvery = 0,
): ClientCache & { readonly find: (clientId: string) => CachedClient | undefined; readonly forget: () => void } => {
  const dataVersion = database.prepare<[], number>("PRAGMA data_version").pluck()
  const revision = database.prepare<[], number>("SELECT value FROM revisions WHERE name = 'clients'").pluck()
  const cached = new Map<string, CachedClient>()
  const unknown = unknownIds()
  let slow: boolean | undefined
  let unsigned: boolean | undefined
  let seen: { version: number | undefined; revision: number | undefined } = { version: undefined, revision: undefined }

  const forget = (): void => {
    cached.clear()
    unknown.clear()
    slow = undefined
    unsigned = undefined
  }
  let looked = -noticeEvery
  const notice = (): void => {
    const at = noticeEvery === 0 ? 0 : performance.now()
    if (noticeEvery > 0 && at < looked + noticeEvery) return
    looked = at
    const version = dataVersion.get()
    if (version === seen.version) return
    const counted = revision.get()
    if (counted !== seen.revision) forget()
    seen = { version, revision: counted }
  }

  return {
    find: (clientId) => {
      guarded("read a client", notice)
      const known = cached.get(clientId)
      if (known !== undefined) return known
      if (unknown.has(clientId)) return undefined
      const row = rows.find(clientId)
      if (row === undefined) {
        unknown.add(clientId)
        return undefined
      }
      const found = { client: make(row.metadata), secretHash: row.secretHash, secretSealed: row.secretSealed }
      if (cached.size >= most) cached.clear()
      cached.set(clientId, found)
      return found
    },
    anySlow: () => {
      guarded("read a client", notice)
      return (slow ??= rows.anySlow())
    },
    anyUnsigned: () => {
      guarded("read a client", notice)
      return (unsigned ??= rows.anyUnsigned())
    },
    forget,
  }
}
