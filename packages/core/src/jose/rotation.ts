import type { Instant } from "../model/index.ts"
import { inSeconds } from "../ports/inSeconds.ts"
import { generateKey, privateKeyOf } from "./generate.ts"
import { activeKey, type DueKey, type KeyPolicy, type RingKey, dueKeys, publishedKeys, removableKeys, ringOf } from "./keyring.ts"
import type { KeyEncryption } from "./sealing.ts"
import type { KeyAlgorithm, SigningKey, SigningKeyStore } from "./signingKey.ts"

/** The store and the settings of key rotation. */
export interface KeyCare {
  /** The store of the keys. */
  readonly store: SigningKeyStore
  /** The algorithms that must have a key. */
  readonly algorithms: ReadonlyArray<KeyAlgorithm>
  /** The lifetimes of keys: `defaultKeyPolicy`, or one of your own. */
  readonly policy: KeyPolicy
  /** Encrypts private keys; they are stored in plain text by default. */
  readonly encryption?: KeyEncryption | undefined
  /** Whole seconds since 1970. */
  readonly now: () => Instant
}

/** Other processes kept changing the keys, and nothing was added. */
export class KeysContended extends Error {
  override readonly name = "KeysContended"
}

const attempts = 5

const add = async (
  care: KeyCare,
  decide: (keys: ReadonlyArray<SigningKey>) => ReadonlyArray<DueKey>,
): Promise<ReadonlyArray<SigningKey>> => {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const keys = await care.store.list()
    const due = decide(keys)
    if (due.length === 0) return []
    const createdAt = care.now()
    const added = await Promise.all(due.map(({ alg, activeAt }) => generateKey(alg, { createdAt, activeAt }, care.encryption)))
    const seen = keys.map(({ kid }) => kid)
    if ((await care.store.add(added, seen)) === "Committed") return added
  }
  throw new KeysContended("other processes kept changing the signing keys")
}

/**
 * Creates keys that are due and removes expired ones; returns the added ones. Run it at start, when it also verifies that every published
 * key can be decrypted, and then about every hour. Any number of processes may run it. Fails with {@link KeyUnreadable}.
 */
export const tendKeys = async (asked: KeyCare): Promise<ReadonlyArray<SigningKey>> => {
  const care = { ...asked, now: inSeconds(asked.now) }
  const published = publishedKeys(await care.store.list(), care.policy, care.now())
  await Promise.all(published.map((key) => privateKeyOf(key, care.encryption)))
  const added = await add(care, (keys) => dueKeys(keys, care.algorithms, care.policy, care.now()))
  const gone = removableKeys(await care.store.list(), care.algorithms, care.policy, care.now())
  if (gone.length > 0) await care.store.remove(gone)
  return added
}

/**
 * Adds an unscheduled new key for each algorithm. It is published immediately and signs after `propagation`, so that a client with a cached
 * JWK set never meets an unknown key; with `atOnce`, it signs now. The key it replaces stays published for `retain`.
 */
export const rotateKeys = (care: KeyCare, { atOnce }: { readonly atOnce: boolean }): Promise<ReadonlyArray<SigningKey>> =>
  add(care, (keys) =>
    care.algorithms.map((alg) => {
      const now = care.now()
      // It must not begin in the same second as the key it replaces, because otherwise the later of the two could not be determined.
      const earliest = activeKey(keys, alg, now)?.activeAt === now ? now + 1 : now
      return { alg, activeAt: atOnce ? earliest : Math.max(earliest, now + care.policy.propagation) }
    }),
  )

/** Lists every key with its state, for the operator. */
export const listKeys = async ({ store, policy, now }: KeyCare): Promise<ReadonlyArray<RingKey>> =>
  ringOf(await store.list(), policy, now())
