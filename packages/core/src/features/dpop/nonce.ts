import * as Effect from "effect/Effect"
import { type Instant, sameDigest } from "../../model/index.ts"
import type { PortFailed } from "../../ports/index.ts"
import { mapped } from "../../ports/steps.ts"
import { keyedHash } from "../../settle/account.ts"
import type { Inquiry } from "../../settle/request.ts"
import { ahead, proofLifetime } from "./metadata.ts"

/** The side that a nonce is for: clients keep those of an authorization server and of a resource server apart (RFC 9449 §9). */
export type Side = "token" | "resource"

/** A nonce of ours that is still good. */
export interface LiveNonce {
  /** The last moment at which it is good. */
  readonly until: Instant
}

const sealOf = (side: Side, at: number, inquiry: Inquiry): Effect.Effect<string, PortFailed> =>
  keyedHash(["dpop nonce", side, String(at)], inquiry)

/**
 * The nonce of the present period. No row stands behind it: it says when its period began, sealed with a key that all machines of a provider have, so
 * each takes those of the others (RFC 9449 §8).
 */
export const freshNonce = (side: Side, inquiry: Inquiry): Effect.Effect<string, PortFailed> => {
  const { now, ports } = inquiry
  const at = now - (now % proofLifetime.of(ports.settings))
  return mapped(sealOf(side, at, inquiry), (seal) => `${at.toString(36)}.${seal}`)
}

/** Reads a nonce: good for its period and the next (RFC 9449 §8.2). Undefined for one that is not ours, or not any more. */
export const liveNonce = (nonce: unknown, side: Side, inquiry: Inquiry): Effect.Effect<LiveNonce | undefined, PortFailed> => {
  const { now, ports } = inquiry
  const [, begun, seal] = typeof nonce === "string" ? (/^([0-9a-z]{1,8})\.([\w-]{43})$/.exec(nonce) ?? []) : []
  if (begun === undefined || seal === undefined) return Effect.succeed(undefined)
  const at = Number.parseInt(begun, 36)
  const until = at + 2 * proofLifetime.of(ports.settings)
  // A machine whose clock is ahead of this one's may have made it.
  if (at > now + ahead || now >= until) return Effect.succeed(undefined)
  return mapped(sealOf(side, at, inquiry), (expected) => (sameDigest(expected, seal) ? { until } : undefined))
}
