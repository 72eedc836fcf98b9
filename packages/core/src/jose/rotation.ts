import type { Instant } from "../model/index.ts"
import { type MemberKinds, memberFaults, partFaults, refuseFaults } from "../model/members.ts"
import { inSeconds } from "../ports/inSeconds.ts"
import { generateKey, privateKeyOf } from "./generate.ts"
import {
  activeKey,
  type DueKey,
  type KeyPolicy,
  type RingKey,
  dueKeys,
  policyKinds,
  publishedKeys,
  removableKeys,
  ringOf,
} from "./keyring.ts"
import type { KeyEncryption } from "./sealing.ts"
import { type KeyAlgorithm, type SigningKey, type SigningKeyStore, signingKeyStoreKinds } from "./signingKey.ts"

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
  /** Called by `tendKeys` with the keys that it has added, as soon as they are stored: a removal that fails does not hide them. */
  readonly added?: ((keys: ReadonlyArray<SigningKey>) => void) | undefined
}

const careKinds: MemberKinds<KeyCare> = {
  store: "object",
  algorithms: "texts",
  policy: "object",
  encryption: "object?",
  now: "function",
  added: "function?",
}

/** Returns the faults of a care, as text. */
export const careFaults = (care: KeyCare, within = ""): ReadonlyArray<string> => {
  const faults = memberFaults(care, careKinds, within)
  return faults.length > 0
    ? faults
    : [
        ...partFaults(`${within}store`, care.store, signingKeyStoreKinds, "SigningKeyStore"),
        ...memberFaults(care.policy, policyKinds, `${within}policy.`),
      ]
}

/** Checks a care, and the unit of its clock whenever it is read. */
const checked = (called: string, care: KeyCare): KeyCare => {
  refuseFaults(called, careFaults(care))
  return { ...care, now: inSeconds(called, care.now) }
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
  const care = checked("tendKeys", asked)
  const published = publishedKeys(await care.store.list(), care.policy, care.now())
  await Promise.all(published.map((key) => privateKeyOf(key, care.encryption)))
  const added = await add(care, (keys) => dueKeys(keys, care.algorithms, care.policy, care.now()))
  care.added?.(added)
  const gone = removableKeys(await care.store.list(), care.algorithms, care.policy, care.now())
  if (gone.length > 0) await care.store.remove(gone)
  return added
}

/**
 * Adds an unscheduled new key for each algorithm. It is published immediately and signs after `propagation`, so that a client with a cached
 * JWK set never meets an unknown key; with `atOnce`, it signs now. The key it replaces stays published for `retain`.
 */
export const rotateKeys = async (asked: KeyCare, how: { readonly atOnce: boolean }): Promise<ReadonlyArray<SigningKey>> => {
  const care = checked("rotateKeys", asked)
  refuseFaults("rotateKeys", memberFaults(how, { atOnce: "boolean" }, "how."))
  const { atOnce } = how
  return add(care, (keys) =>
    care.algorithms.map((alg) => {
      const now = care.now()
      // It must not begin in the same second as the key it replaces, because otherwise the later of the two could not be determined.
      const earliest = activeKey(keys, alg, now)?.activeAt === now ? now + 1 : now
      return { alg, activeAt: atOnce ? earliest : Math.max(earliest, now + care.policy.propagation) }
    }),
  )
}

/** Lists every key with its state, for the operator. */
export const listKeys = async (asked: KeyCare): Promise<ReadonlyArray<RingKey>> => {
  const { store, policy, now } = checked("listKeys", asked)
  return ringOf(await store.list(), policy, now())
}
