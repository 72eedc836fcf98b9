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

/** The subject whose attempts a budget counts. */
export type BudgetOf = "account" | "client" | "device" | "address" | "browser"

/** The maximum number of attempts at a guessable value, and the time for which they are counted. */
export interface Budget {
  readonly of: BudgetOf
  /** The key under which they are counted; the subject in it is a digest. */
  readonly key: string
  readonly most: number
  readonly countedFor: Seconds
  /** The key under which the attempts of a whole day are counted, for a budget that is closed for longer each time it is used up. */
  readonly dayKey: string | undefined
  /** True if a correct guess resets the budget. Otherwise it returns only its own attempt, because others share the budget. */
  readonly forgets: boolean
}

/** A budget with its earlier counts. */
export interface CountedBudget {
  readonly budget: Budget
  readonly attempts: Attempts | undefined
  readonly day: Attempts | undefined
}

/** The counts that determine whether another guess is allowed. */
export interface GuessSeen {
  readonly now: Instant
  readonly budgets: ReadonlyArray<CountedBudget>
  /** True if other requests repeatedly took the last attempts between the lookup and the reservation. */
  readonly contended: boolean
}

/** A day, in seconds: the time for which a delayed guesser is remembered. */
const day: Seconds = 86_400

/** The first and the longest wait of a growing budget. */
const firstWait: Seconds = 30
const longestWait: Seconds = 900

const live = (attempts: Attempts | undefined, now: Instant): Attempts | undefined =>
  attempts === undefined || attempts.resetAt <= now ? undefined : attempts

/** Returns the time until a budget has attempts again; undefined if it has some. */
const waitOf = ({ budget, attempts }: CountedBudget, now: Instant): Seconds | undefined => {
  const known = live(attempts, now)
  return known === undefined || known.count < budget.most ? undefined : known.resetAt - now
}

/** Reports whether a budget is used up. */
export const isSpent = ({ budgets, now }: GuessSeen): boolean => budgets.some((each) => waitOf(each, now) !== undefined)

/** Makes a rule that refuses a guess if one kind of budget is used up. */
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

/** Reserves an attempt in each budget before the guess is verified. */
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

/** Returns the attempts that were reserved for a guess that could not be verified. */
export const unreserved = ({ budgets, now }: GuessSeen): ReadonlyArray<Command> => budgets.flatMap(({ budget }) => takenBack(budget, now))

/** Returns the commands of a correct guess. */
export const rewarded = ({ budgets, now }: GuessSeen): ReadonlyArray<Command> =>
  budgets.flatMap(({ budget }): ReadonlyArray<Command> => {
    if (!budget.forgets) return takenBack(budget, now)
    return [budget.key, budget.dayKey].flatMap((key) => (key === undefined ? [] : [forgetAttempts(key)]))
  })
