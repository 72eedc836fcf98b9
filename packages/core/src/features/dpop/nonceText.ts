import type { Instant, Seconds } from "../../model/index.ts"
import { ahead } from "./proof.ts"

/** The side that a nonce is for: clients keep those of an authorization server and of a resource server apart (RFC 9449 §9). */
export type Side = "token" | "resource"

/** A nonce of ours that is still good. */
export interface LiveNonce {
  /** The last moment at which it is good. */
  readonly until: Instant
}

/** A nonce as it was sent, of a time at which it would be good. Its seal is not compared yet. */
export interface ReadNonce extends LiveNonce {
  /** The beginning of its period. */
  readonly at: Instant
  /** The seal that it shows. */
  readonly seal: string
}

/** The beginning of the present period. */
export const nonceBegin = (now: Instant, lifetime: Seconds): Instant => now - (now % lifetime)

/** The texts that are sealed: a key of its own keeps the nonces of two servers apart, and these those of two sides. */
export const nonceTexts = (side: Side, at: Instant): ReadonlyArray<string> => ["dpop nonce", side, String(at)]

/** Writes a nonce: the beginning of its period and the seal over it, so that no row stands behind it (RFC 9449 §8). */
export const writeNonce = (at: Instant, seal: string): string => `${at.toString(36)}.${seal}`

/** Reads a nonce: good for its period and the next (RFC 9449 §8.2). Undefined for one of another form or another time. */
export const readNonce = (nonce: unknown, now: Instant, lifetime: Seconds): ReadNonce | undefined => {
  const [, begun, seal] = typeof nonce === "string" ? (/^([1-9a-z][0-9a-z]{0,7})\.([\w-]{43})$/.exec(nonce) ?? []) : []
  if (begun === undefined || seal === undefined) return undefined
  const at = Number.parseInt(begun, 36)
  const until = at + 2 * lifetime
  // A machine whose clock is ahead of this one's may have made it.
  return at > now + ahead || now >= until ? undefined : { at, seal, until }
}
