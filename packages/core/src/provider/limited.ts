import * as Effect from "effect/Effect"
import type { Decision } from "../model/index.ts"
import { type PageRefusal, toPage } from "../rules/page.ts"
import { parameterLimits } from "../rules/parameters.ts"
import { judge } from "../rules/rule.ts"
import type { Endpoint } from "../settle/endpoint.ts"

/** Refuses in the form that the audience of an endpoint expects. Nothing is trusted yet, so people get a page. */
const refused = ({ audience, challenges }: Endpoint, refusal: PageRefusal): Decision => {
  if (audience === "people") return toPage(refusal)
  return challenges === undefined ? { _tag: "RefuseJson", refusal } : { _tag: "RefuseBearer", refusal, bare: false }
}

/** Runs an endpoint if the size of the request is within the limits that all endpoints share. */
export const attemptLimited =
  (endpoint: Endpoint): Endpoint["attempt"] =>
  (message, inquiry) => {
    if (message.query === "" && message.body === "") return endpoint.attempt(message, inquiry)
    const refusal = judge(inquiry.trace, parameterLimits, message)
    return refusal === undefined ? endpoint.attempt(message, inquiry) : Effect.succeed(refused(endpoint, refusal))
  }
