import type { Decision, ProviderChoice, WaitingInteraction } from "../model/index.ts"
import { withoutUndefined } from "../model/index.ts"
import { type ProviderSeen, offeredProviders } from "../rules/provider.ts"
import { type Tracing, spell } from "../rules/rule.ts"
import { basePathOf } from "../wire/index.ts"

/** The providers that a sign-in may go to, each with the form that goes there: a path of the issuer's, as the embedder's page is none of ours. */
export const providerChoices = (seen: ProviderSeen, browser: { readonly csrf: string }, handle: string): ReadonlyArray<ProviderChoice> =>
  offeredProviders(seen).map(({ name, displayName }) => ({
    name,
    displayName,
    form: {
      action: `${basePathOf(seen.settings.issuer)}/login/upstream`,
      hidden: [
        ["csrf", browser.csrf],
        ["interaction", handle],
        ["provider", name],
      ],
    },
  }))

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
