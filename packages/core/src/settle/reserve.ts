import * as Effect from "effect/Effect"
import type { Command } from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import { type Budget, type CountedBudget, type GuessSeen, isSpent, reservation, rewarded, unreserved } from "../rules/budget.ts"
import { type Objection, type Table, judge } from "../rules/rule.ts"
import type { Inquiry } from "./request.ts"

/** Number of times that a try is reserved again where others were faster. */
const most = 3

/**
 * Reserves a try for a guess before the guess is judged, in a commit of its own: so however many come at once, on however many machines, no
 * more are judged than in a row (NIST SP 800-63B §3.2.2, RFC 8628 §5.1). Answers why there is none left. The request may be decided again, and keeps the try.
 */
export const reserve = Effect.fnUntraced(function* <Q, R extends Objection>(
  rules: Table<Q, GuessSeen, R>,
  q: Q,
  budgets: ReadonlyArray<Budget>,
  inquiry: Inquiry,
) {
  const { about, ports, trace } = inquiry
  if (about.guess !== undefined) return judge(trace, rules, q, about.guess)
  const before = trace.steps.length
  for (let tried = 0; ; tried++) {
    trace.steps.length = before
    const seen = yield* lookUp(budgets, tried === most, inquiry)
    const refusal = judge(trace, rules, q, seen)
    if (refusal !== undefined) return refusal
    // A rule that is off lets pass what is used up: nothing is reserved then.
    const unlimited = seen.contended || isSpent(seen)
    about.guess = unlimited ? { ...seen, budgets: [] } : seen
    if (unlimited || budgets.length === 0 || (yield* ports.tokens.commit(reservation(seen))) === "Committed") return undefined
    about.guess = undefined
  }
})

const lookUp = Effect.fnUntraced(function* (budgets: ReadonlyArray<Budget>, contended: boolean, { ports, now }: Inquiry) {
  const find = (key: string | undefined) => (key === undefined ? Effect.succeed(undefined) : ports.tokens.findAttempts(key))
  const counted = budgets.map((budget) =>
    Effect.map(Effect.all([find(budget.key), find(budget.dayKey)], { concurrency: "unbounded" }), ([attempts, day]): CountedBudget => ({
      budget,
      attempts,
      day,
    })),
  )
  return { now, budgets: yield* Effect.all(counted, { concurrency: "unbounded" }), contended } satisfies GuessSeen as GuessSeen
})

/** Judges what a try was reserved for, or goes on after a right guess. Where that cannot be done, now, the try is taken back. */
export const judging = <A>(effect: Effect.Effect<A, PortFailed>, { about, ports }: Inquiry): Effect.Effect<A, PortFailed> =>
  Effect.tapError(effect, () => {
    const commands = about.guess === undefined ? [] : unreserved(about.guess)
    return commands.length === 0 ? Effect.void : Effect.ignore(ports.tokens.commit(commands))
  })

/** Commands of a right guess. */
export const rightGuess = ({ about }: Inquiry): ReadonlyArray<Command> => (about.guess === undefined ? [] : rewarded(about.guess))
