import { hash, parseOptions, verify } from "@node-rs/argon2"
import { randomBytes } from "node:crypto"
import { availableParallelism } from "node:os"
import { type Asker, type HashKind, type HashLoad, fairTurns } from "./turns.ts"

/** The cost of a hash. */
export interface HashCost {
  /** KiB of memory; 19456 when not given, as OWASP advises. */
  readonly memoryCost?: number
  /** Passes over the memory; 2 when not given. */
  readonly timeCost?: number
  /** Lanes; 1 when not given. */
  readonly parallelism?: number
}

/** argon2id (RFC 9106) off the event loop, a few at a time. Hashes are PHC strings. Without an asker it is the operator who waits. */
export interface Hashing {
  /** Hashes a secret, with a salt of its own. */
  readonly hash: (secret: string, asker?: Asker) => Promise<string>
  /** Compares a secret with a hash. */
  readonly verify: (hashed: string, secret: string, asker?: Asker) => Promise<boolean>
  /** Number of hashes of a kind that run and wait. */
  readonly load: (kind: HashKind) => HashLoad
  /** Reports whether a hash was made at another cost than today's. */
  readonly outdated: (hashed: string) => boolean
  /** A hash at today's cost that no secret has; verifying against it takes as long as against a real one. */
  readonly decoy: string
}

/** A longer secret is refused before it is hashed. */
export const longestSecret = 1024

/** So many of one kind may wait their turn; at two a time and 26 ms each, for three seconds. More is overload. */
const waitingMost = 256

/** The longest wait for a turn, in milliseconds, on a machine so busy that a hash takes far longer than usual. */
const patience = 8_000

/** Threads of libuv's pool, as it is started with the first task that needs one. */
const poolThreads = (): number => Number(process.env["UV_THREADPOOL_SIZE"]) || 4

/**
 * The number of hashes that run at once. A thread of the pool stays free, since signing with RSA runs there too. One kind takes no more threads than
 * there are cores, and leaves one for another kind; from six threads on, one for each of two others.
 */
export const hashPlaces = (threads: number, cores: number): { readonly places: number; readonly placesOfKind: number } => {
  const all = Math.max(1, threads - 1)
  const placesOfKind = Math.max(1, Math.min(3, cores, Math.max(all - 2, Math.min(2, all - 1))))
  return { places: Math.min(all, placesOfKind + 2), placesOfKind }
}

/** The share that one of several worker processes has of a server's places: at least one of a kind, and one for another kind. */
export const shareOf = ({ places, placesOfKind }: ReturnType<typeof hashPlaces>, workers: number): ReturnType<typeof hashPlaces> =>
  workers === 1
    ? { places, placesOfKind }
    : { places: Math.max(2, Math.ceil(places / workers)), placesOfKind: Math.max(1, Math.floor(placesOfKind / workers)) }

const operator: Asker = { kind: "operator" }

/**
 * Hashing with bounds on how many run and how many wait, of each kind and in turn between addresses. A hash that finds its queue full, or is
 * not begun in eight seconds, fails with `StoreUnavailable`. One of several worker processes has its share of the bounds.
 */
export const argon2id = ({ memoryCost = 19_456, timeCost = 2, parallelism = 1 }: HashCost = {}, workers = 1): Hashing => {
  const cost = { memoryCost, timeCost, parallelism }
  const places = shareOf(hashPlaces(poolThreads(), availableParallelism()), workers)
  const turns = fairTurns({ ...places, waiting: Math.ceil(waitingMost / workers), patience })
  // One person's é is one character and another's two: both are the same password (RFC 8265 §4.2.2).
  const normal = (secret: string): string => secret.normalize("NFC")
  const random = (bytes: number): string => randomBytes(bytes).toString("base64").replaceAll("=", "")
  return {
    hash: (secret, asker = operator) => turns.take(asker, () => hash(normal(secret), cost)),
    verify: (hashed, secret, asker = operator) => turns.take(asker, () => verify(hashed, normal(secret))),
    load: turns.load,
    outdated: (hashed) => {
      const made = parseOptions(hashed)
      return made.memoryCost !== memoryCost || made.timeCost !== timeCost || made.parallelism !== parallelism
    },
    decoy: `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${random(16)}$${random(32)}`,
  }
}

/** Reports whether a text is an argon2id hash that may be taken over: one whose check costs at most 256 MiB and 10 passes. */
export const isPasswordHash = (hashed: string): boolean => {
  if (!/^\$argon2id\$v=19\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/.test(hashed)) return false
  try {
    const { memoryCost, timeCost, parallelism } = parseOptions(hashed)
    return memoryCost <= 262_144 && timeCost <= 10 && parallelism <= 8
  } catch {
    return false
  }
}
