import type { Awaitable } from "@postern/core/ports"
import { unknownIds } from "../clients/unknownIds.ts"
import { countedReads } from "../noticing.ts"
import type { UserRow } from "./users.ts"

/** People by their subject. */
export interface AbsentSubjects {
  /** Finds a person. That there is none may be remembered; a person is always read. */
  readonly find: (subject: string) => Awaitable<UserRow | undefined>
  /** To be called when this process has added people. */
  readonly forget: () => void
}

/**
 * Remembers subjects that nobody has. Each token that a client gets for itself asks whether a person has its id, and no person ever has: a
 * round trip less for each on PostgreSQL, and on SQLite 5 % less CPU for an ES256 token (`node bench/beside.ts`). Whom another process has added is found a
 * quarter of a second later at the latest: where reads share a snapshot, the revision has to be read from it, too.
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
