import * as Effect from "effect/Effect"
import type { Decision } from "../model/index.ts"
import { type PageRefusal, toPage } from "../rules/page.ts"
import { parameterLimits } from "../rules/parameters.ts"
import { judge } from "../rules/rule.ts"
import type { Endpoint } from "../settle/endpoint.ts"

/** Refuses as the reader of an endpoint's answers expects it. Nobody is trusted yet, so a person gets a page. */
const refused = ({ audience, challenges }: Endpoint, refusal: PageRefusal): Decision => {
  if (audience === "people") return toPage(refusal)
  return challenges === undefined ? { _tag: "RefuseJson", refusal } : { _tag: "RefuseBearer", refusal, bare: false }
}

/** Attempts what an endpoint does, once the size of the request is within the limits that all of them share. */
export const attemptLimited =
  (endpoint: Endpoint): Endpoint["attempt"] =>
  (message, inquiry) => {
    if (message.query === "" && message.body === "") return endpoint.attempt(message, inquiry)
    const refusal = judge(inquiry.trace, parameterLimits, message)
    return refusal === undefined ? endpoint.attempt(message, inquiry) : Effect.succeed(refused(endpoint, refusal))
  }
