import type { Client } from "@postern/core/model"
import type { CachedClient, ClientCache, ClientRow } from "@postern/stores/rows"
import type { PostgresClientRows } from "./clientRows.ts"

const most = 10_000

/** Milliseconds for which what was read is believed without asking. */
const believed = 250

/**
 * Clients that were read lately. The clients' revision is asked for four times a second at most, by whoever needs a client first: so
 * another process's change counts a quarter of a second later at the latest, and what this process changes itself it must `forget`.
 */
export const clientCache = (
  { find, revision }: Pick<PostgresClientRows, "find" | "revision">,
  make: (row: ClientRow) => Client,
): ClientCache & { readonly forget: () => void } => {
  const cached = new Map<string, CachedClient>()
  let seen: number | undefined
  let until = 0
  let asking: Promise<void> | undefined
  /** Counts what was forgotten: a row that was asked for before is not remembered after. */
  let forgotten = 0

  const forget = (): void => {
    cached.clear()
    forgotten++
  }
  const ask = async (): Promise<void> => {
    const from = performance.now()
    const counted = await revision()
    if (counted !== seen) forget()
    seen = counted
    until = from + believed
  }
  const notice = (): Promise<void> | undefined => {
    if (performance.now() < until) return undefined
    asking ??= ask().finally(() => (asking = undefined))
    return asking
  }
  const fetch = async (clientId: string): Promise<CachedClient | undefined> => {
    const before = forgotten
    const row = await find(clientId)
    if (row === undefined) return undefined
    const found = { client: make(row), secretHash: row.secretHash, secretSealed: row.secretSealed }
    if (before !== forgotten) return found
    if (cached.size >= most) cached.clear()
    cached.set(clientId, found)
    return found
  }

  return {
    find: (clientId) => {
      const noticed = notice()
      if (noticed === undefined) return cached.get(clientId) ?? fetch(clientId)
      return noticed.then(() => cached.get(clientId) ?? fetch(clientId))
    },
    forget,
  }
}
