import { type Command, happening, putting } from "../command.ts"
import type { Attempts } from "../uses.ts"
import { oneWay, rowKind, type Way } from "../rowKind.ts"
import type { Instant } from "../time.ts"

const first: Way<never> = { when: "absent", change: "insert" }
/** An expired count is replaced. */
const restart: Way<"resetAt"> = { when: [["resetAt", "atMost", ":at"]], change: "replace" }

/** Counted attempts. */
export const attempts = rowKind<Attempts>(
  "attempts",
  { key: "text", count: "integer", resetAt: "integer" },
  {
    called: "attempts",
    key: ["key"],
    keptUntil: "resetAt",
    events: {
      CountAttempt: { ways: [first, restart, { when: [], change: [["count", "add", 1]] }] },
      ReserveAttempt: {
        ways: [
          first,
          restart,
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

/** Counts an attempt under a key, starting over if the count has expired. A new count expires at `resetAt`. */
export const countAttempt = (key: string, at: Instant, resetAt: Instant): Command =>
  putting(attempts, "CountAttempt", { key, count: 1, resetAt }, { key, at })

/** Attempts that may be taken under a key. */
export interface Reservation {
  /** The key under which attempts are counted. */
  readonly key: string
  /** The maximum number of attempts. */
  readonly most: number
  /** The time at which a new count expires. */
  readonly resetAt: Instant
  /** The time until which a count that is now full is kept; unchanged if undefined. */
  readonly fullUntil?: Instant | undefined
}

/** Takes one of the remaining attempts of a key, before the attempt is evaluated. */
export const reserveAttempt = ({ key, most, resetAt, fullUntil }: Reservation, at: Instant): Command =>
  putting(
    attempts,
    "ReserveAttempt",
    { key, count: 1, resetAt: most === 1 ? (fullUntil ?? resetAt) : resetAt },
    { key, at, last: most - 1, fullUntil },
  )

/** Returns an attempt, unless its count has expired, so that the stored count expires after `until`. */
export const returnAttempt = (key: string, until: Instant): Command => happening(attempts, "ReturnAttempt", { key, until })

/** Resets the attempts of a key. */
export const forgetAttempts = (key: string): Command => happening(attempts, "ForgetAttempts", { key })
