import { members } from "./change.ts"
import type { Misbehavior } from "./misbehavior.ts"
import { over, pending, slowDown } from "./polls.ts"

const device = {
  name: "device",
  paragraph: "RFC 8628 §3.5",
  question: "poll",
  ask: "poll",
  soon: members(() => ({ interval: 1 })),
} as const

/** Faults of the device authorization grant. */
export const ofDevices: ReadonlyArray<Misbehavior> = [slowDown(device), pending(device), over(device, "expired", "expired_token")]
