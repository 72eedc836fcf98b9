import type { Instant, Seconds } from "../model/index.ts"
import type { MemberKinds } from "../model/members.ts"
import type { KeyAlgorithm, SigningKey } from "./signingKey.ts"

/** Lifetimes of keys, in seconds. */
export interface KeyPolicy {
  /** The time for which a key signs before its successor takes over. */
  readonly active: Seconds
  /** The time for which a scheduled successor is published before it signs. */
  readonly lead: Seconds
  /** The time for which a retired key stays published: at least the maximum lifetime of a token that it signed. */
  readonly retain: Seconds
  /** The time for which an unscheduled key is published before it signs: the time for which clients may cache a JWK set. */
  readonly propagation: Seconds
}

const day: Seconds = 86_400

/** The kinds of the members of a policy. */
export const policyKinds: MemberKinds<KeyPolicy> = { active: "number", lead: "number", retain: "number", propagation: "number" }

/** The default lifetimes: active for 90 days, published 14 days before and 14 days after; an unscheduled key signs after an hour. */
export const defaultKeyPolicy: KeyPolicy = { active: 90 * day, lead: 14 * day, retain: 14 * day, propagation: 3600 }

/** The state of a key: not yet signing, signing, published only so that its tokens verify, or out of the JWK set. */
export type KeyState = "upcoming" | "active" | "retired" | "expired"

/** A key with its state. */
export interface RingKey {
  /** The key. */
  readonly key: SigningKey
  /** Its state. */
  readonly state: KeyState
  /** The time at which its successor takes over; undefined if there is none. */
  readonly retiresAt: Instant | undefined
  /** The time at which it leaves the JWK set; undefined if there is no successor. */
  readonly removeAt: Instant | undefined
}

/** A key that must be created. */
export interface DueKey {
  /** The algorithm of the key. */
  readonly alg: KeyAlgorithm
  /** The time at which the key should begin to sign. */
  readonly activeAt: Instant
}

const before = (left: SigningKey, right: SigningKey): number =>
  left.activeAt - right.activeAt || left.createdAt - right.createdAt || (left.kid < right.kid ? -1 : 1)

const ofAlgorithm = (keys: ReadonlyArray<SigningKey>, alg: KeyAlgorithm): ReadonlyArray<SigningKey> =>
  keys.filter((key) => key.alg === alg).sort(before)

/**
 * Returns the state of each key at a given time. The last key whose time has come signs, however old it is, so that a provider that was off
 * for a year starts with a key. If no key's time has come (the clock was set back), the first one signs.
 */
export const ringOf = (keys: ReadonlyArray<SigningKey>, policy: KeyPolicy, now: Instant): ReadonlyArray<RingKey> =>
  [...new Set(keys.map(({ alg }) => alg))].flatMap((alg) => {
    const line = ofAlgorithm(keys, alg)
    const signing = Math.max(
      0,
      line.findLastIndex(({ activeAt }) => activeAt <= now),
    )
    return line.map((key, at): RingKey => {
      const retiresAt = line[at + 1]?.activeAt
      const removeAt = retiresAt === undefined ? undefined : retiresAt + policy.retain
      if (at === signing) return { key, state: "active", retiresAt, removeAt }
      if (at > signing) return { key, state: "upcoming", retiresAt, removeAt }
      return { key, state: removeAt !== undefined && removeAt <= now ? "expired" : "retired", retiresAt, removeAt }
    })
  })

/** Returns the key that signs with an algorithm at a given time. */
export const activeKey = (keys: ReadonlyArray<SigningKey>, alg: KeyAlgorithm, now: Instant): SigningKey | undefined => {
  let signing: SigningKey | undefined
  let first: SigningKey | undefined
  for (const key of keys) {
    if (key.alg !== alg) continue
    if (first === undefined || before(key, first) < 0) first = key
    if (key.activeAt <= now && (signing === undefined || before(key, signing) > 0)) signing = key
  }
  return signing ?? first
}

/** Returns the keys of the JWK set: every one that signs, will sign, or has signed tokens that may still be valid. */
export const publishedKeys = (keys: ReadonlyArray<SigningKey>, policy: KeyPolicy, now: Instant): ReadonlyArray<SigningKey> =>
  ringOf(keys, policy, now).flatMap(({ key, state }) => (state === "expired" ? [] : [key]))

/**
 * Returns the keys to create now. An algorithm without any key gets one that signs immediately; one whose last key is within `lead` of its
 * end gets a successor, which never signs before it was published for `propagation`.
 */
export const dueKeys = (
  keys: ReadonlyArray<SigningKey>,
  algorithms: ReadonlyArray<KeyAlgorithm>,
  policy: KeyPolicy,
  now: Instant,
): ReadonlyArray<DueKey> =>
  algorithms.flatMap((alg) => {
    const last = ofAlgorithm(keys, alg).at(-1)
    if (last === undefined) return [{ alg, activeAt: now }]
    const end = last.activeAt + policy.active
    return now >= end - policy.lead ? [{ alg, activeAt: Math.max(end, now + policy.propagation) }] : []
  })

/**
 * Returns the kids to remove now: keys that have left the JWK set, and the last key of an algorithm that is no longer used once it has
 * expired.
 */
export const removableKeys = (
  keys: ReadonlyArray<SigningKey>,
  algorithms: ReadonlyArray<KeyAlgorithm>,
  policy: KeyPolicy,
  now: Instant,
): ReadonlyArray<string> =>
  ringOf(keys, policy, now).flatMap(({ key, state, removeAt }) => {
    const abandoned = !algorithms.includes(key.alg) && removeAt === undefined && key.activeAt + policy.active + policy.retain <= now
    return state === "expired" || abandoned ? [key.kid] : []
  })
