import type { Instant, Seconds } from "../../model/index.ts"
import { ahead } from "./proof.ts"

/**
 * The kind of server that a nonce is for, because clients keep the nonces of an authorization server and of a resource server apart
 * (RFC 9449 §9).
 */
export type Side = "token" | "resource"

/** A nonce of this server that is still valid. */
export interface LiveNonce {
  /** The last moment at which it is valid. */
  readonly until: Instant
}

/** A nonce as it was sent, with a valid time. Its seal has not been verified yet. */
export interface ReadNonce extends LiveNonce {
  /** The beginning of its period. */
  readonly at: Instant
  /** The seal in the nonce. */
  readonly seal: string
}

/** The beginning of the current period. */
export const nonceBegin = (now: Instant, lifetime: Seconds): Instant => now - (now % lifetime)

/**
 * The texts that are sealed. Each server has a key of its own, which keeps the nonces of two servers apart; these texts keep those of the
 * two sides apart.
 */
export const nonceTexts = (side: Side, at: Instant): ReadonlyArray<string> => ["dpop nonce", side, String(at)]

/** Writes a nonce from the beginning of its period and the seal over it, so that no row is needed (RFC 9449 §8). */
export const writeNonce = (at: Instant, seal: string): string => `${at.toString(36)}.${seal}`

/** Reads a nonce, which is valid for its period and the next (RFC 9449 §8.2). Undefined if it is malformed or outside that time. */
export const readNonce = (nonce: unknown, now: Instant, lifetime: Seconds): ReadNonce | undefined => {
  const [, begun, seal] = typeof nonce === "string" ? (/^([1-9a-z][0-9a-z]{0,7})\.([\w-]{43})$/.exec(nonce) ?? []) : []
  if (begun === undefined || seal === undefined) return undefined
  const at = Number.parseInt(begun, 36)
  const until = at + 2 * lifetime
  // It may come from a machine whose clock is ahead of this one's.
  return at > now + ahead || now >= until ? undefined : { at, seal, until }
}
