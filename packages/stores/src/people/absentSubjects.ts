import type { Awaitable } from "@postern/core/ports"
import { unknownIds } from "../clients/unknownIds.ts"
import { countedReads } from "../noticing.ts"
import type { UserRow } from "./users.ts"

/** Finds people by subject. */
export interface AbsentSubjects {
  /** Finds a person. The absence of a person may be cached. An existing person is always read. */
  readonly find: (subject: string) => Awaitable<UserRow | undefined>
  /** Clears the cache. Call this after this process has added people. */
  readonly forget: () => void
}

/**
 * Caches subjects that nobody has. Each token that a client gets for itself looks for a person with the client's id, and never finds one.
 * The cache saves a round trip for each on PostgreSQL, and on SQLite 5 % of the CPU for an ES256 token (`node bench/beside.ts`). A person
 * that another process has added is found within a quarter of a second. If reads share a snapshot, the revision must be read from it, too.
 */
export const absentSubjects = (
  find: (subject: string) => Awaitable<UserRow | undefined>,
  revision: () => Awaitable<number>,
): AbsentSubjects => {
  const absent = unknownIds()
  const { notice, read, forget } = countedReads(revision, absent.clear)
  const ask = (subject: string): Awaitable<UserRow | undefined> =>
    read(
      () => find(subject),
      (found) => {
        if (found === undefined) absent.add(subject)
      },
    )
  return {
    find: (subject) => {
      if (!absent.has(subject)) return ask(subject)
      const known = (): Awaitable<UserRow | undefined> => (absent.has(subject) ? undefined : ask(subject))
      const noticed = notice()
      return noticed === undefined ? known() : noticed.then(known)
    },
    forget,
  }
}
