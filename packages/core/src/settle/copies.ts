import type { Command, CommitResult } from "../model/index.ts"
import type { PortFailed, Ports } from "../ports/index.ts"
import type * as Effect from "effect/Effect"

/**
 * Keeps a copy of what somebody else publishes, for every process of the provider. It is no part of a decision: no answer depends on it, and
 * without it the same is fetched again.
 */
export const keepCopy = (commands: ReadonlyArray<Command>, { tokens }: Pick<Ports, "tokens">): Effect.Effect<CommitResult, PortFailed> =>
  tokens.commit(commands)
