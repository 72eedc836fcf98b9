import type { Client } from "@postern/core/model"
import type { CachedClient, ClientRow } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"
import { guarded } from "../database/guarded.ts"

const most = 10_000

/**
 * Clients that were read lately. SQLite's `data_version` tells in 2 µs whether another connection committed anything, and the clients'
 * revision whether that changed a client; what this connection changes itself it must `forget`. Unknown ids are not remembered.
 */
export const clientCache = (
  database: Database,
  make: (row: ClientRow) => Client,
  read: (clientId: string) => ClientRow | undefined,
  /** Milliseconds between two looks. */
  noticeEvery = 0,
): { readonly find: (clientId: string) => CachedClient | undefined; readonly forget: () => void } => {
  const dataVersion = database.prepare<[], number>("PRAGMA data_version").pluck()
  const revision = database.prepare<[], number>("SELECT value FROM revisions WHERE name = 'clients'").pluck()
  const cached = new Map<string, CachedClient>()
  let seen: { version: number | undefined; revision: number | undefined } = { version: undefined, revision: undefined }

  let looked = -noticeEvery
  const notice = (): void => {
    const at = noticeEvery === 0 ? 0 : performance.now()
    if (noticeEvery > 0 && at < looked + noticeEvery) return
    looked = at
    const version = dataVersion.get()
    if (version === seen.version) return
    const counted = revision.get()
    if (counted !== seen.revision) cached.clear()
    seen = { version, revision: counted }
  }

  return {
    find: (clientId) => {
      guarded("read a client", notice)
      const known = cached.get(clientId)
      if (known !== undefined) return known
      const row = read(clientId)
      if (row === undefined) return undefined
      const found = { client: make(row), secretHash: row.secretHash, secretSealed: row.secretSealed }
      if (cached.size >= most) cached.clear()
      cached.set(clientId, found)
      return found
    },
    forget: () => cached.clear(),
  }
}
