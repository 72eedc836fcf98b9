import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { patient } from "../properties/arbitraries.ts"
import { full } from "../tiers/tier.ts"
import { actor } from "./actor.ts"
import { agreed, questions } from "./agreement.ts"
import { type Model, type Real, acts } from "./commands.ts"
import { step } from "./model.ts"
import { initialState } from "./state.ts"
import { stores } from "./stores.ts"

for (const { name, open, runs } of stores()) {
  describe(`lives of codes and tokens: ${name}`, () => {
    test(
      "RFC 6749 §4.1.2, §6, RFC 7009 §2, RFC 9700 §4.14.2: whatever is done one after the other, the provider answers as the model does, and ends in the same state",
      patient,
      async () => {
        const seen = new Map<string, number>()
        await fc.assert(
          fc.asyncProperty(fc.commands([...acts], { maxCommands: 60, size: "max" }), async (commands) => {
            const subject = await open()
            try {
              const model: Model = { state: initialState, next: 1 }
              const real: Real = { actor: await actor(subject), handed: new Map(), seen }
              await fc.asyncModelRun(() => ({ model, real }), commands)
              for (const question of questions(model.state)) {
                const { outcome } = step(model.state, question)
                const answer = await real.actor.perform(question, real.handed)
                expect(agreed(outcome, answer, real.handed), `${JSON.stringify(question)}: ${JSON.stringify(answer)}`).not.toBe(undefined)
              }
            } finally {
              await subject.close()
            }
          }),
          { numRuns: runs },
        )
        for (const kind of [
          "redeem: tokens",
          "redeem: invalid_grant",
          "refresh: tokens",
          "refresh: invalid_grant",
          "refresh: invalid_scope",
          "revoke: done",
        ]) {
          expect(seen.get(kind) ?? 0, kind).toBeGreaterThan(full ? runs / 10 : 0)
        }
      },
    )
  })
}
