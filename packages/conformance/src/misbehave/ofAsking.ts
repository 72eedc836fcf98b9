import { members } from "./change.ts"
import { type Misbehavior, misbehavior } from "./misbehavior.ts"
import { error, over, pending, slowDown } from "./polls.ts"

const asking = {
  name: "ciba",
  paragraph: "CIBA Core §11",
  question: "question for the result",
  ask: "ask",
  soon: members(({ auth_req_id: id }) => (id === undefined ? undefined : { interval: 1 })),
} as const

/** Faults of CIBA authentication responses, and of the token responses to polling. */
export const ofAsking: ReadonlyArray<Misbehavior> = [
  slowDown(asking),
  pending(asking),
  misbehavior(
    "ciba.interval-missing",
    "the answer has no interval: five seconds must lie between two questions for the result",
    "CIBA Core §7.3",
    {
      ciba: members(({ auth_req_id: id }) => (id === undefined ? undefined : { interval: undefined })),
      poll: error("authorization_pending"),
    },
    { calm: true, pace: { first: 5, more: 0 }, observe: { ciba: [] } },
  ),
  over(asking, "expired", "expired_token"),
  over(asking, "denied", "access_denied"),
]
