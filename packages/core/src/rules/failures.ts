import { type Attempts, type Command, type Seconds, countAttempt } from "../model/index.ts"

/** The maximum number of wrong secrets for one client from one address (RFC 6749 §2.3.1). */
export const mostFailures = 20

/** The time for which wrong secrets are counted, from the first. */
export const countedFor: Seconds = 60

/** The wrong secrets of one client from one address. */
export interface FailuresSeen {
  readonly now: number
  /** The key under which they are counted; undefined if the address is unknown, or the request contains no guess. */
  readonly failuresKey: string | undefined
  readonly failures: Attempts | undefined
}

/** Returns the seconds until another secret may be tried; undefined if one may be tried now. */
export const waitOf = ({ failures, now }: FailuresSeen): Seconds | undefined =>
  failures === undefined || failures.count < mostFailures || failures.resetAt <= now ? undefined : failures.resetAt - now

/** Counts a wrong secret. */
export const counted = ({ failuresKey, now }: FailuresSeen): ReadonlyArray<Command> =>
  failuresKey === undefined ? [] : [countAttempt(failuresKey, now, now + countedFor)]
