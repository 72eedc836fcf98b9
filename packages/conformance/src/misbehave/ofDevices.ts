import { members, withBody } from "./change.ts"
import { type Misbehavior, type Transform, misbehavior } from "./misbehavior.ts"

const polling = "RFC 8628 §3.5"

const error =
  (name: string): Transform =>
  ({ answer }) => ({ ...withBody(answer, JSON.stringify({ error: name }), "application/json"), status: 400 })

/** Lets a device ask once a second, so that nobody waits long to see what it does. */
const soon = members(() => ({ interval: 1 }))

/** Faults of the device authorization grant. */
export const ofDevices: ReadonlyArray<Misbehavior> = [
  misbehavior(
    "device.slow-down",
    "each poll is answered slow_down: five seconds more must lie before the next one, each time",
    polling,
    { device: soon, poll: error("slow_down") },
    { calm: true, pace: { first: 1, more: 5 }, observe: { device: [] } },
  ),
  misbehavior(
    "device.pending",
    "each poll is answered authorization_pending: a second must lie before the next one",
    polling,
    { device: soon, poll: error("authorization_pending") },
    { calm: true, pace: { first: 1, more: 0 }, observe: { device: [] } },
  ),
  misbehavior(
    "device.expired",
    "the first poll is answered expired_token: the client must not poll on",
    polling,
    { poll: error("expired_token") },
    { calm: true, observe: { poll: ["poll"] } },
  ),
]
