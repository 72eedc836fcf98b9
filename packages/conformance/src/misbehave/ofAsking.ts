import { members, withBody } from "./change.ts"
import { type Misbehavior, type Transform, misbehavior } from "./misbehavior.ts"

const polling = "CIBA Core §11"

const error =
  (name: string): Transform =>
  ({ answer }) => ({ ...withBody(answer, JSON.stringify({ error: name }), "application/json"), status: 400 })

/** Lets a client ask once a second, so that nobody waits long to see what it does. */
const soon = members(({ auth_req_id: id }) => (id === undefined ? undefined : { interval: 1 }))

/** Faults of requests by which clients ask people on their own devices, and ask for the result. */
export const ofAsking: ReadonlyArray<Misbehavior> = [
  misbehavior(
    "ciba.slow-down",
    "each question for the result is answered slow_down: five seconds more must lie before the next one, each time",
    polling,
    { ciba: soon, poll: error("slow_down") },
    { calm: true, pace: { first: 1, more: 5 }, observe: { ciba: [] } },
  ),
  misbehavior(
    "ciba.pending",
    "each question for the result is answered authorization_pending: a second must lie before the next one",
    polling,
    { ciba: soon, poll: error("authorization_pending") },
    { calm: true, pace: { first: 1, more: 0 }, observe: { ciba: [] } },
  ),
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
  misbehavior(
    "ciba.expired",
    "the first question for the result is answered expired_token: the client must not ask on",
    polling,
    { poll: error("expired_token") },
    { calm: true, observe: { poll: ["poll"] } },
  ),
  misbehavior(
    "ciba.denied",
    "the first question for the result is answered access_denied: the client must not ask on",
    polling,
    { poll: error("access_denied") },
    { calm: true, observe: { poll: ["poll"] } },
  ),
]
