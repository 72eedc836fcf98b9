import { kindFault, type MemberKinds, memberFaults, refuseFaults } from "@postern/core/options"
import { hash, parseOptions, verify } from "@node-rs/argon2"
import { randomBytes } from "node:crypto"
import { availableParallelism } from "node:os"
import { type Asker, type HashKind, type HashLoad, fairTurns } from "./turns.ts"

/** The cost of a hash. */
export interface HashCost {
  /** Memory in KiB. Default: 19456, as OWASP recommends. */
  readonly memoryCost?: number
  /** Passes over the memory. Default: 2. */
  readonly timeCost?: number
  /** Lanes. Default: 1. */
  readonly parallelism?: number
}

/**
 * Computes argon2id (RFC 9106) off the event loop, a few hashes at a time. Hashes are PHC strings. Without an asker, the operator is the
 * one who waits.
 */
export interface Hashing {
  /** Hashes a secret with a new salt. */
  readonly hash: (secret: string, asker?: Asker) => Promise<string>
  /** Compares a secret with a hash. */
  readonly verify: (hashed: string, secret: string, asker?: Asker) => Promise<boolean>
  /** Returns the number of running and waiting hashes of a kind. */
  readonly load: (kind: HashKind) => HashLoad
  /** Reports whether a hash was made with another cost than the configured one. */
  readonly outdated: (hashed: string) => boolean
  /** A hash of the configured cost that no secret has. Verifying against it takes as long as against a real one. */
  readonly decoy: string
}

/** The maximum number of waiting hashes of one kind. At two at a time and 26 ms each, they take three seconds. More count as overload. */
const waitingMost = 256

/** The longest wait for a turn, in milliseconds, on a machine so busy that a hash takes far longer than usual. */
const patience = 8_000

/** The number of threads in libuv's pool, which starts with the first task that needs one. */
const poolThreads = (): number => Number(process.env["UV_THREADPOOL_SIZE"]) || 4

/**
 * Computes the number of concurrent hashes. One thread of the pool stays free, because RSA signing needs it too. One kind takes at most
 * three places, and no more than there are cores. From three threads on it leaves a place for another kind, and from five on one for each
 * of two others.
 */
export const hashPlaces = (threads: number, cores: number): { readonly places: number; readonly placesOfKind: number } => {
  const all = Math.max(1, threads - 1)
  const placesOfKind = Math.max(1, Math.min(3, cores, Math.max(all - 2, Math.min(2, all - 1))))
  return { places: Math.min(all, placesOfKind + 2), placesOfKind }
}

/** Computes one worker's share of a server's places: at least one for a kind, and one for another kind. */
export const shareOf = ({ places, placesOfKind }: ReturnType<typeof hashPlaces>, workers: number): ReturnType<typeof hashPlaces> =>
  workers === 1
    ? { places, placesOfKind }
    : { places: Math.max(2, Math.ceil(places / workers)), placesOfKind: Math.max(1, Math.floor(placesOfKind / workers)) }

/** The kinds of the members of a cost. */
export const costKinds: MemberKinds<HashCost> = { memoryCost: "number?", timeCost: "number?", parallelism: "number?" }

const operator: Asker = { kind: "operator" }

/**
 * Makes a hasher that limits how many hashes run and wait, for each kind and in turn between addresses. A hash fails with
 * `StoreUnavailable` if its queue is full or if it has not started within eight seconds. Each of several worker processes has a share of
 * the limits.
 */
export const argon2id = (options: HashCost = {}, workers = 1): Hashing => {
  refuseFaults("argon2id", memberFaults(options, costKinds), kindFault("workers", workers, "number"))
  const { memoryCost = 19_456, timeCost = 2, parallelism = 1 } = options
  const cost = { memoryCost, timeCost, parallelism }
  const places = shareOf(hashPlaces(poolThreads(), availableParallelism()), workers)
  const turns = fairTurns({ ...places, waiting: Math.ceil(waitingMost / workers), patience })
  // An é may be sent as one character or as two. Both are the same password (RFC 8265 §4.2.2).
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

/** Reports whether a text is an argon2id hash that may be imported. Verifying it must take at most 256 MiB, 10 passes and 8 lanes. */
export const isPasswordHash = (hashed: string): boolean => {
  if (!/^\$argon2id\$v=19\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/.test(hashed)) return false
  try {
    const { memoryCost, timeCost, parallelism } = parseOptions(hashed)
    return memoryCost <= 262_144 && timeCost <= 10 && parallelism <= 8
  } catch {
    return false
  }
}
