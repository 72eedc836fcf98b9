import type { Decision, WaitingInteraction } from "../model/index.ts"
import { withoutUndefined } from "../model/index.ts"
import { type Tracing, spell } from "../rules/rule.ts"

/** Answers with what an interaction needs; its languages and its request id are added to it where it is handed out. */
export const toldWaiting = (waiting: Omit<WaitingInteraction, "locales" | "requestId">): Decision => ({
  _tag: "Reply",
  body: withoutUndefined(waiting),
  cacheable: false,
  commands: [],
})

/** Returns the rule that has objected last, with its reason. */
export const whyOf = (trace: Tracing): WaitingInteraction["why"] => {
  const step = trace.steps.at(-1)
  const refused = step === undefined ? undefined : spell(trace, step).refused
  return refused && { rule: refused.rule, cites: refused.cites, reason: refused.reason }
}
