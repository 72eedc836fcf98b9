import type { Decision } from "../../packages/core/src/model/index.ts"

/** Reads the body of a reply, the description of a refusal, or the tag of any other decision. */
export const told = (decision: Decision): unknown =>
  decision._tag === "Reply" ? decision.body : "refusal" in decision ? decision.refusal.description : decision._tag
