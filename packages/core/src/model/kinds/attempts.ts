import { type Command, happening, putting } from "../command.ts"
import type { Attempts } from "../uses.ts"
import { oneWay, rowKind, type Way } from "../rowKind.ts"
import type { Instant } from "../time.ts"

const first: Way<never> = { when: "absent", change: "insert" }
/** A count whose time is over counts for none. */
const anew: Way<"resetAt"> = { when: [["resetAt", "atMost", ":at"]], change: "replace" }

/** Counted attempts. */
export const attempts = rowKind<Attempts>(
  "attempts",
  { key: "text", count: "integer", resetAt: "integer" },
  {
    called: "attempts",
    key: ["key"],
    keptUntil: "resetAt",
    events: {
      CountAttempt: { ways: [first, anew, { when: [], change: [["count", "add", 1]] }] },
      ReserveAttempt: {
        ways: [
          first,
          anew,
          {
            when: [["count", "equal", ":last"]],
            change: [
              ["count", "add", 1],
              ["resetAt", "setIfGiven", ":fullUntil"],
            ],
          },
          { when: [["count", "below", ":last"]], change: [["count", "add", 1]] },
        ],
      },
      ReturnAttempt: {
        ...oneWay(
          [
            ["count", "above", 0],
            ["resetAt", "atMost", ":until"],
          ],
          [["count", "add", -1]],
        ),
        otherwise: "nothing",
      },
      ForgetAttempts: { ...oneWay([], "remove"), otherwise: "nothing" },
    },
  },
)

/** Counts one more under a key, from one again when its time is over; a new count ends at `resetAt`. */
export const countAttempt = (key: string, at: Instant, resetAt: Instant): Command =>
  putting(attempts, "CountAttempt", { key, count: 1, resetAt }, { key, at })

/** Attempts that may be taken under a key. */
export interface Reservation {
  /** The key attempts are counted under. */
  readonly key: string
  /** The attempts there are. */
  readonly most: number
  /** The time a new count forgets its attempts. */
  readonly resetAt: Instant
  /** The time until which a count that is now full is kept; unchanged when undefined. */
  readonly fullUntil?: Instant | undefined
}

/** Takes one of the attempts that are left under a key, before it is judged. */
export const reserveAttempt = ({ key, most, resetAt, fullUntil }: Reservation, at: Instant): Command =>
  putting(
    attempts,
    "ReserveAttempt",
    { key, count: 1, resetAt: most === 1 ? (fullUntil ?? resetAt) : resetAt },
    { key, at, last: most - 1, fullUntil },
  )

/** Gives an attempt back, unless the count it was taken from is over: then the count ends after `until`. */
export const returnAttempt = (key: string, until: Instant): Command => happening(attempts, "ReturnAttempt", { key, until })

/** Forgets the attempts of a key. */
export const forgetAttempts = (key: string): Command => happening(attempts, "ForgetAttempts", { key })
