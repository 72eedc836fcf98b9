import type { Awaitable } from "@postern/core/ports"
import { noticing, unknownIds, type UserRow } from "@postern/stores/rows"

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
  let seen: number | undefined
  /** Counts what was forgotten: a subject that was asked for before is not remembered after. */
  let forgotten = 0
  const forget = (): void => {
    absent.clear()
    forgotten++
  }
  const notice = noticing(async () => {
    const counted = await revision()
    if (counted !== seen) forget()
    seen = counted
  })
  const read = async (subject: string): Promise<UserRow | undefined> => {
    const before = forgotten
    const found = await find(subject)
    if (found === undefined && before === forgotten) absent.add(subject)
    return found
  }
  return {
    find: (subject) => {
      if (!absent.has(subject)) return read(subject)
      const noticed = notice()
      return noticed === undefined ? undefined : noticed.then(() => (absent.has(subject) ? undefined : read(subject)))
    },
    forget,
  }
}
