import type { Awaitable } from "@postern/core/ports"
import { countedReads, unknownIds, type UserRow } from "@postern/stores/rows"

/** People by their subject. */
export interface AbsentSubjects {
  /** Finds a person. That there is none may be remembered; a person is always read. */
  readonly find: (subject: string) => Awaitable<UserRow | undefined>
  /** To be called when this process has added people. */
  readonly forget: () => void
}

/**
 * Remembers subjects that nobody has. Each token that a client gets for itself asks whether a person has its id, and no person ever has: a
 * round trip less for each. Whom another process has added is found a quarter of a second later at the latest.
 */
export const absentSubjects = (
  find: (subject: string) => Promise<UserRow | undefined>,
  revision: () => Promise<number>,
): AbsentSubjects => {
  const absent = unknownIds()
  const { notice, read, forget } = countedReads(revision, absent.clear)
  const ask = (subject: string): Promise<UserRow | undefined> =>
    read(
      () => find(subject),
      (found) => {
        if (found === undefined) absent.add(subject)
      },
    )
  return {
    find: (subject) => {
      if (!absent.has(subject)) return ask(subject)
      const noticed = notice()
      return noticed === undefined ? undefined : noticed.then(() => (absent.has(subject) ? undefined : ask(subject)))
    },
    forget,
  }
}
