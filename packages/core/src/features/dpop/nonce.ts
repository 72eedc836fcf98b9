import * as Effect from "effect/Effect"
import { sameDigest } from "../../model/index.ts"
import type { PortFailed } from "../../ports/index.ts"
import { mapped } from "../../ports/steps.ts"
import { keyedHash } from "../../settle/account.ts"
import type { Inquiry } from "../../settle/request.ts"
import { proofLifetime } from "./metadata.ts"
import { type LiveNonce, type Side, nonceBegin, nonceTexts, readNonce, writeNonce } from "./nonceText.ts"

const sealOf = (side: Side, at: number, inquiry: Inquiry): Effect.Effect<string, PortFailed> => keyedHash(nonceTexts(side, at), inquiry)

/**
 * The nonce of the current period. No row is stored for it. It contains the time at which its period began, sealed with a key that all
 * machines of a provider share, so that each accepts the nonces of the others (RFC 9449 §8).
 */
export const freshNonce = (side: Side, inquiry: Inquiry): Effect.Effect<string, PortFailed> => {
  const { now, ports } = inquiry
  const at = nonceBegin(now, proofLifetime.of(ports.settings))
  return mapped(sealOf(side, at, inquiry), (seal) => writeNonce(at, seal))
}

/**
 * Reads a nonce, which is valid for its period and the next (RFC 9449 §8.2). Undefined if it is not a nonce of this provider or has
 * expired.
 */
export const liveNonce = (nonce: unknown, side: Side, inquiry: Inquiry): Effect.Effect<LiveNonce | undefined, PortFailed> => {
  const { now, ports } = inquiry
  const read = readNonce(nonce, now, proofLifetime.of(ports.settings))
  if (read === undefined) return Effect.succeed(undefined)
  const { at, seal, until } = read
  return mapped(sealOf(side, at, inquiry), (expected) => (sameDigest(expected, seal) ? { until } : undefined))
}
