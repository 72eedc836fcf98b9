import type { Command, CommitResult } from "../model/index.ts"
import type { PortFailed, Ports } from "../ports/index.ts"
import type * as Effect from "effect/Effect"

/**
 * Stores a copy of a document that another party publishes, for every process of the provider. It is not part of a decision: no response
 * depends on it, and without it the document is fetched again.
 */
export const keepCopy = (commands: ReadonlyArray<Command>, { tokens }: Pick<Ports, "tokens">): Effect.Effect<CommitResult, PortFailed> =>
  tokens.commit(commands)
