import type { Attempts, Instant } from "@postern/core/model"
import { after, type Awaitable, type TokenStorePort } from "@postern/core/ports"
import { noticing } from "../noticing.ts"

/** The most counts that are kept in memory. If there are more, each key is read from the database. */
const mostRecent = 500

/** Reads of attempts. */
export interface AttemptReads {
  /** The attempts that are not over, so many at most, whichever. */
  readonly live: (now: Instant, most: number) => Awaitable<ReadonlyArray<Attempts>>
  /** The attempts of a key. */
  readonly find: TokenStorePort["findAttempts"]
}

/**
 * Answers from memory what was counted up to a quarter of a second ago. Hardly ever is anything counted for a client that asks for a token,
 * and to read that for each cost a tenth of a reference token on SQLite, and a round trip on PostgreSQL.
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
