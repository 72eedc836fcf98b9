import { hash, parseOptions, verify } from "@node-rs/argon2"
import { randomBytes } from "node:crypto"
import { availableParallelism } from "node:os"
import { turns } from "./turns.ts"

/** What a hash costs. */
export interface HashCost {
  /** KiB of memory; 19456 when not given, as OWASP advises. */
  readonly memoryCost?: number
  /** Passes over the memory; 2 when not given. */
  readonly timeCost?: number
  /** Lanes; 1 when not given. */
  readonly parallelism?: number
}

/** argon2id (RFC 9106) off the event loop, a few at a time. Hashes are PHC strings. */
export interface Hashing {
  readonly hash: (secret: string) => Promise<string>
  readonly verify: (hashed: string, secret: string) => Promise<boolean>
  /** Whether a hash was made at another cost than today's. */
  readonly outdated: (hashed: string) => boolean
  /** A hash at today's cost that no secret has; verifying against it takes as long as against a real one. */
  readonly decoy: string
}

/** A longer secret is refused before it is hashed. */
export const longestSecret = 1024

/** So many may wait their turn; at two a time and 26 ms each, for three seconds. More is overload. */
const waitingMost = 256

/** Milliseconds for which one waits at most, where the machine has so much else to do that a hash takes far longer. */
const patience = 8_000

/**
 * Hashing with a bound on how many run and how many wait. It leaves a thread of libuv's pool of four free, since signing runs there too.
 * A hash that finds the queue full, or is not begun in eight seconds, fails with `StoreUnavailable`.
 */
export const argon2id = ({ memoryCost = 19_456, timeCost = 2, parallelism = 1 }: HashCost = {}): Hashing => {
  const cost = { memoryCost, timeCost, parallelism }
  const turn = turns(Math.max(1, Math.min(3, availableParallelism())), waitingMost, patience)
  // One person's é is one character and another's two: both are the same password (RFC 8265 §4.2.2).
  const normal = (secret: string): string => secret.normalize("NFC")
  const random = (bytes: number): string => randomBytes(bytes).toString("base64").replaceAll("=", "")
  return {
    hash: (secret) => turn(() => hash(normal(secret), cost)),
    verify: (hashed, secret) => turn(() => verify(hashed, normal(secret))),
    outdated: (hashed) => {
      const made = parseOptions(hashed)
      return made.memoryCost !== memoryCost || made.timeCost !== timeCost || made.parallelism !== parallelism
    },
    decoy: `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${random(16)}$${random(32)}`,
  }
}

/** Whether a text is an argon2id hash that may be taken over: one whose check costs at most 256 MiB and 10 passes. */
export const isPasswordHash = (hashed: string): boolean => {
  if (!/^\$argon2id\$v=19\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/.test(hashed)) return false
  try {
    const { memoryCost, timeCost, parallelism } = parseOptions(hashed)
    return memoryCost <= 262_144 && timeCost <= 10 && parallelism <= 8
  } catch {
    return false
  }
}
