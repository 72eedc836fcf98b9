import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Decision } from "../model/index.ts"
import { commandsOf } from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import type { Inquiry } from "./request.ts"
import { type SignedTokens, signTokens } from "./sign.ts"

/** A decision that stands: signed, committed, ready to be rendered. */
export interface Settled {
  readonly decision: Decision
  readonly signed: SignedTokens | undefined
}

/** Every attempt met a conflict: others kept changing the same rows. Nothing of this request was done. */
export class Contended extends Data.TaggedError("Contended")<{ readonly attempts: number }> {}

const attempts = 3

/**
 * Loads and decides, signs, then commits, in that order; answers only what is durable. On a conflict it loads and decides again, so
 * that a race is judged by the rules a later replay would meet. Once signing begins nothing can interrupt it.
 */
export const settle = <E>(inquiry: Inquiry, attempt: Effect.Effect<Decision, E>): Effect.Effect<Settled, E | PortFailed | Contended> => {
  const once = (left: number): Effect.Effect<Settled, E | PortFailed | Contended> =>
    Effect.flatMap(attempt, (decision) => {
      const commands = commandsOf(decision)
      const plan = "tokens" in decision ? decision.tokens : undefined
      if (plan === undefined && commands.length === 0) return Effect.succeed({ decision, signed: undefined })
      return Effect.uninterruptible(
        Effect.flatMap(plan === undefined ? Effect.succeed(undefined) : signTokens(inquiry.ports, plan), (signed) =>
          commands.length === 0
            ? Effect.succeed({ decision, signed })
            : Effect.flatMap(inquiry.ports.tokens.commit(commands), (result): Effect.Effect<Settled, E | PortFailed | Contended> => {
                if (result === "Committed") return Effect.succeed({ decision, signed })
                if (left === 1) return Effect.fail(new Contended({ attempts }))
                inquiry.trace.steps.length = 0
                return once(left - 1)
              }),
        ),
      )
    })
  return once(attempts)
}
