import * as Effect from "effect/Effect"
import { ownFormRules } from "../rules/ownForm.ts"
import { toPage } from "../rules/page.ts"
import { judge } from "../rules/rule.ts"
import type { Endpoint } from "./endpoint.ts"

/** An endpoint that takes POST from the provider's own pages alone. */
export const ownForm = (endpoint: Endpoint): Endpoint => ({
  ...endpoint,
  attempt: (message, inquiry) => {
    const refusal = message.method === "POST" ? judge(inquiry.trace, ownFormRules, { message }) : undefined
    return refusal === undefined ? endpoint.attempt(message, inquiry) : Effect.succeed(toPage(refusal))
  },
})
