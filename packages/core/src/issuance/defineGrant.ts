import * as Effect from "effect/Effect"
import type { Client, Decision, Refusal, Settings } from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import { mapped } from "../ports/steps.ts"
import { type Table, judge } from "../rules/rule.ts"
import type { Inquiry } from "../settle/request.ts"
import { type Grant, grant as grantOf } from "./grantType.ts"
import type { Params } from "../wire/index.ts"

/** One grant type: what it reads, what it looks up, its rules, and what it gives when all pass. */
export interface GrantDefinition<Q, S> {
  readonly grantType: string
  /** What is judged before anything is looked up, where a look-up is dear. */
  readonly before?: Table<Q, { readonly client: Client; readonly settings: Settings }>
  /** Tables that `load` judges itself, for the rule reference. */
  readonly during?: Grant["tables"][number]
  readonly rules: Table<Q, S>
  readonly parse: (params: Params) => Q
  /** Reads, and reserves a try of what is guessed; or refuses by the table `during`. */
  readonly load: (request: Q, client: Client, inquiry: Inquiry) => Effect.Effect<S | Refusal, PortFailed>
  readonly grant: (request: Q, seen: S) => Decision
}

/** Closes a grant's definition over its own types. */
export const defineGrant = <Q, S extends object>({ grantType, before, during, rules, parse, load, grant }: GrantDefinition<Q, S>): Grant =>
  grantOf(grantType, {
    tables: [before, during, rules].filter((each) => each !== undefined),
    attempt: ({ params, client }, inquiry) => {
      const request = parse(params)
      const unfit = before === undefined ? undefined : judge(inquiry.trace, before, request, { client, settings: inquiry.ports.settings })
      if (unfit !== undefined) return Effect.succeed<Decision>({ _tag: "RefuseJson", refusal: unfit })
      return mapped(load(request, client, inquiry), (seen): Decision => {
        if (isRefusal(seen)) return { _tag: "RefuseJson", refusal: seen }
        const refusal = judge(inquiry.trace, rules, request, seen)
        return refusal === undefined ? grant(request, seen) : { _tag: "RefuseJson", refusal }
      })
    },
  })

const isRefusal = (loaded: object): loaded is Refusal => "_tag" in loaded && loaded._tag === "Refusal"
