import {
  type Attempts,
  type Command,
  type Instant,
  type Seconds,
  countAttempt,
  forgetAttempts,
  reserveAttempt,
  returnAttempt,
} from "../model/index.ts"
import { type Objection, type Rule, pass, rule } from "./rule.ts"

/** The owner of the tries that a budget counts. */
export type BudgetOf = "account" | "client" | "device" | "address" | "browser"

/** Number of tries at something that can be guessed, and the time for which they are counted. */
export interface Budget {
  readonly of: BudgetOf
  /** Under what they are counted; whose they are is a digest. */
  readonly key: string
  readonly most: number
  readonly countedFor: Seconds
  /** Under what the tries of a whole day are counted, for a budget that is closed for longer each time it is used up. */
  readonly dayKey: string | undefined
  /** True if a right guess forgets every try before it. Otherwise it takes its own back alone: others share the budget. */
  readonly forgets: boolean
}

/** A budget, and what was counted before. */
export interface CountedBudget {
  readonly budget: Budget
  readonly attempts: Attempts | undefined
  readonly day: Attempts | undefined
}

/** Counts by which another guess is let through or refused. */
export interface GuessSeen {
  readonly now: Instant
  readonly budgets: ReadonlyArray<CountedBudget>
  /** True if others took the last tries again and again, between looking and reserving one. */
  readonly contended: boolean
}

/** A day, in seconds: the time for which a guesser who was made to wait is remembered. */
const day: Seconds = 86_400

/** The first wait of a budget that grows, and the longest. */
const firstWait: Seconds = 30
const longestWait: Seconds = 900

const live = (attempts: Attempts | undefined, now: Instant): Attempts | undefined =>
  attempts === undefined || attempts.resetAt <= now ? undefined : attempts

/** After how long a budget has tries again; undefined while it has some. */
const waitOf = ({ budget, attempts }: CountedBudget, now: Instant): Seconds | undefined => {
  const known = live(attempts, now)
  return known === undefined || known.count < budget.most ? undefined : known.resetAt - now
}

/** Reports whether a budget is used up, by what was counted. */
export const isSpent = ({ budgets, now }: GuessSeen): boolean => budgets.some((each) => waitOf(each, now) !== undefined)

/** A rule that refuses a guess for which one kind of budget has no try left. */
export const budgetRule = <R extends Objection>(
  id: string,
  cites: string,
  of: BudgetOf,
  refuse: (wait: Seconds, reason: string) => R,
): Rule<GuessSeen, unknown, R> =>
  rule(id, cites, (s) => {
    const counted = s.budgets.find(({ budget }) => budget.of === of)
    if (counted === undefined) return pass
    const wait = waitOf(counted, s.now) ?? (s.contended ? 1 : undefined)
    return wait === undefined ? pass : refuse(wait, `${counted.budget.most} tries of this ${of}`)
  })

/** Reserves a try of each budget, before it is known to be right or wrong. */
export const reservation = ({ budgets, now }: GuessSeen): ReadonlyArray<Command> =>
  budgets.flatMap(({ budget: { key, most, countedFor, dayKey }, day: known }): ReadonlyArray<Command> => {
    const resetAt = now + countedFor
    if (dayKey === undefined) return [reserveAttempt({ key, most, resetAt }, now)]
    const times = Math.floor((live(known, now)?.count ?? 0) / most)
    const fullUntil = now + Math.min(longestWait, firstWait * 2 ** Math.min(times, 10))
    return [reserveAttempt({ key, most, resetAt, fullUntil }, now), countAttempt(dayKey, now, now + day)]
  })

const takenBack = ({ key, countedFor, dayKey }: Budget, now: Instant): ReadonlyArray<Command> => [
  returnAttempt(key, now + countedFor),
  ...(dayKey === undefined ? [] : [returnAttempt(dayKey, now + day)]),
]

/** Takes the tries back that were reserved for a guess that nobody could judge. */
export const unreserved = ({ budgets, now }: GuessSeen): ReadonlyArray<Command> => budgets.flatMap(({ budget }) => takenBack(budget, now))

/** The outcome of a right guess. */
export const rewarded = ({ budgets, now }: GuessSeen): ReadonlyArray<Command> =>
  budgets.flatMap(({ budget }): ReadonlyArray<Command> => {
    if (!budget.forgets) return takenBack(budget, now)
    return [budget.key, budget.dayKey].flatMap((key) => (key === undefined ? [] : [forgetAttempts(key)]))
  })
