import type { Attempts, Instant } from "@postern/core/model"
import { after, type Awaitable, type TokenStorePort } from "@postern/core/ports"
import { noticing } from "../noticing.ts"

/** The most counts that are kept in memory. If there are more, each key is read from the database. */
const mostRecent = 500

/** Reads attempts. */
export interface AttemptReads {
  /** Lists up to `most` unexpired attempts, in any order. */
  readonly live: (now: Instant, most: number) => Awaitable<ReadonlyArray<Attempts>>
  /** Finds the attempts of a key. */
  readonly find: TokenStorePort["findAttempts"]
}

/**
 * Answers from memory with counts that are at most a quarter of a second old. A client that asks for a token hardly ever has counted
 * attempts. Reading them for each request cost a tenth of a reference token on SQLite, and a round trip on PostgreSQL.
 */
export const recentAttempts = ({ live, find }: AttemptReads): NonNullable<TokenStorePort["recentAttempts"]> => {
  let counted: ReadonlyMap<string, Attempts> | undefined
  let at: Instant = 0
  const notice = noticing(() =>
    after(live(at, mostRecent), (found) => {
      counted = found.length < mostRecent ? new Map(found.map((attempts) => [attempts.key, attempts])) : undefined
    }),
  )
  return (key, now) => {
    at = now
    const noticed = notice()
    const known = (): Awaitable<Attempts | undefined> => (counted === undefined ? find(key) : counted.get(key))
    return noticed === undefined ? known() : noticed.then(known)
  }
}
