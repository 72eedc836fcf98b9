import {
  type JoseSigner,
  type KeyAlgorithm,
  type SigningKey,
  defaultKeyPolicy,
  generateKey,
  joseSigner,
  rotateKeys,
  tendKeys,
} from "@postern/core/jose"
import { nodeJws } from "@postern/adapter-http/node"

const algorithms: ReadonlyArray<KeyAlgorithm> = ["RS256", "ES256"]

/** The keys of a provider under test. */
export interface TestKeys {
  readonly signer: JoseSigner
  /** The keys as they are. */
  readonly list: () => ReadonlyArray<SigningKey>
  /** Makes the keys that are due at the clock's time, and removes those whose time is over. */
  readonly tend: () => Promise<void>
  /** Resolves when the first keys are made: nobody who starts a provider waits for an RSA key, only whoever needs one. */
  readonly ready: Promise<void>
  /** Signs with new keys from now on. The old ones stay published as they do in production, or leave at once. */
  readonly rotate: (forget: boolean) => Promise<void>
}

/** Begins to make keys that have been signing for a while. */
export const testKeys = (now: () => number): TestKeys => {
  const since = { createdAt: now() - 1000, activeAt: now() - 1000 }
  let keys: ReadonlyArray<SigningKey> = []
  let isReady = false
  const ready = Promise.all(algorithms.map((alg) => generateKey(alg, since))).then((made) => {
    keys = made
    isReady = true
  })
  // Whoever needs a key is told, too.
  ready.catch(() => undefined)
  const store = {
    list: () => (isReady ? keys : ready.then(() => keys)),
    add: (added: ReadonlyArray<SigningKey>) => {
      keys = [...keys, ...added]
      return "Committed" as const
    },
    remove: (kids: ReadonlyArray<string>) => void (keys = keys.filter(({ kid }) => !kids.includes(kid))),
  }
  const signer = joseSigner({ keys: store.list, now, jws: nodeJws })
  const care = { store, algorithms, policy: defaultKeyPolicy, now }
  return {
    signer,
    list: () => keys,
    ready,
    tend: async () => {
      await ready
      await tendKeys(care)
      await signer.refresh()
    },
    rotate: async (forget) => {
      await ready
      // Of two keys that begin to sign in one second, none would be the later one: the clock may stand still.
      keys = keys.map((key) => (key.activeAt === now() ? { ...key, activeAt: now() - 1 } : key))
      const before = keys.map(({ kid }) => kid)
      await rotateKeys(care, { atOnce: true })
      if (forget) store.remove(before)
      await signer.refresh()
    },
  }
}
