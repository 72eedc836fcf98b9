import * as Effect from "effect/Effect"
import type { Command } from "../model/index.ts"
import { PortFailed, isUncertain } from "../ports/index.ts"
import { isValue, mapped, onward, together } from "../ports/steps.ts"
import { type Budget, type GuessSeen, isSpent, reservation, rewarded, unreserved } from "../rules/budget.ts"
import { type Objection, type ProvingTable, judge } from "../rules/rule.ts"
import type { Inquiry } from "./request.ts"
import { type Refuse, type Stage, decided } from "./stage.ts"

/** The maximum number of retries of a reservation after conflicts. */
const most = 3

/**
 * Reserves an attempt for a guess before the guess is verified, in a commit of its own, so that concurrent guesses on any number of
 * machines get no more attempts than sequential ones (NIST SP 800-63B §3.2.2, RFC 8628 §5.1). Returns the reason if none is left. If the
 * request is decided again, it keeps its attempt.
 */
export const reserve = <R extends Objection>(
  rules: ProvingTable<GuessSeen, GuessSeen, R>,
  budgets: ReadonlyArray<Budget>,
  inquiry: Inquiry,
): Effect.Effect<R | undefined, PortFailed> => {
  const { kept, ports, trace } = inquiry
  if (kept.guess !== undefined) return Effect.succeed(judge(trace, rules, kept.guess))
  const before = trace.steps.length
  const attempt = (tried: number): Effect.Effect<R | undefined, PortFailed> => {
    trace.steps.length = before
    return onward(lookUp(budgets, tried === most, inquiry), (seen) => {
      const refusal = judge(trace, rules, seen)
      if (refusal !== undefined) return Effect.succeed(refusal)
      // If the rule is off, a used-up budget passes, and nothing is reserved.
      const unlimited = seen.contended || isSpent(seen)
      kept.guess = unlimited ? { ...seen, budgets: [] } : seen
      if (unlimited || budgets.length === 0) return Effect.succeed(undefined)
      return onward(ports.tokens.commit(reservation(seen)), (outcome) => {
        if (outcome === "Committed") return Effect.succeed(undefined)
        kept.guess = undefined
        return attempt(tried + 1)
      })
    })
  }
  return attempt(0)
}

/** A stage that reserves an attempt in each budget for the guess that later stages verify. */
export const reserved = <Seen extends object, R extends Objection>(
  rules: ProvingTable<GuessSeen, GuessSeen, R>,
  budgetsOf: (seen: Seen, inquiry: Inquiry) => Effect.Effect<ReadonlyArray<Budget>, PortFailed>,
  refuse: Refuse<R, NoInfer<Seen>>,
): Stage<Seen, Seen> => ({
  tables: [rules],
  run: (seen, inquiry) =>
    onward(budgetsOf(seen, inquiry), (budgets) =>
      onward(reserve(rules, budgets, inquiry), (refusal): ReturnType<Stage<Seen, Seen>["run"]> =>
        refusal === undefined ? Effect.succeed(seen) : decided(refuse(refusal, seen, inquiry)),
      ),
    ),
})

const lookUp = (budgets: ReadonlyArray<Budget>, contended: boolean, { ports, now }: Inquiry): Effect.Effect<GuessSeen, PortFailed> => {
  const find = (key: string | undefined) => (key === undefined ? undefined : ports.tokens.findAttempts(key))
  const counted = budgets.map((budget) => together({ budget, attempts: find(budget.key), day: find(budget.dayKey) }))
  return mapped(Effect.all(counted, { concurrency: "unbounded" }), (found) => ({ now, budgets: found, contended }))
}

/**
 * Verifies the guess for which an attempt was reserved, or continues after a correct guess. If that fails temporarily, the attempt is
 * returned.
 */
export const judging = <A>(effect: Effect.Effect<A, PortFailed>, inquiry: Pick<Inquiry, "kept" | "ports">): Effect.Effect<A, PortFailed> =>
  Effect.tapError(effect, () => takeBack(inquiry))

/** Returns the attempt of a guess, once. */
const takeBack = ({ kept, ports }: Pick<Inquiry, "kept" | "ports">): Effect.Effect<void> => {
  const commands = kept.guess === undefined ? [] : unreserved(kept.guess)
  kept.guess = undefined
  kept.isRight = false
  return commands.length === 0 ? Effect.void : mapped(Effect.exit(ports.tokens.commit(commands)), () => undefined)
}

/** Returns the commands of a correct guess. */
export const rightGuess = ({ kept }: Inquiry): ReadonlyArray<Command> => {
  if (kept.guess === undefined) return []
  kept.isRight = true
  return rewarded(kept.guess)
}

/**
 * Returns the attempt of a correct guess if the request fails because its tokens could not be signed or its changes not committed. If the
 * outcome of the commit is unknown, the attempt may already have been returned with it, and stays.
 */
export const unlessRewarded = <A, E>(effect: Effect.Effect<A, E>, inquiry: Inquiry): Effect.Effect<A, E> => {
  if (isValue(effect)) return effect
  return Effect.tapError(effect, (error) => {
    const isRight = inquiry.kept.isRight || inquiry.kept.verification?._tag === "Verified"
    return isRight && !(error instanceof PortFailed && isUncertain(error)) ? takeBack(inquiry) : Effect.void
  })
}
