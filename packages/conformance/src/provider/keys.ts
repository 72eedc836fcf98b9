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
  /** The current keys. */
  readonly list: () => ReadonlyArray<SigningKey>
  /** Creates the keys that are due at the clock's time, and removes expired ones. */
  readonly tend: () => Promise<void>
  /** Resolves when the first keys exist. Starting a provider does not wait for an RSA key. Only operations that need a key do. */
  readonly ready: Promise<void>
  /** Signs with new keys from now on. The old ones stay published as in production, or are removed at once. */
  readonly rotate: (forget: boolean) => Promise<void>
}

/** Starts to create keys that count as already active. */
export const testKeys = (now: () => number): TestKeys => {
  const since = { createdAt: now() - 1000, activeAt: now() - 1000 }
  let keys: ReadonlyArray<SigningKey> = []
  let isReady = false
  const ready = Promise.all(algorithms.map((alg) => generateKey(alg, since))).then((made) => {
    keys = made
    isReady = true
  })
  // Operations that need a key receive the error, too.
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
      // The clock may stand still, and of two keys that become active in the same second neither would be the later one.
      keys = keys.map((key) => (key.activeAt === now() ? { ...key, activeAt: now() - 1 } : key))
      const before = keys.map(({ kid }) => kid)
      await rotateKeys(care, { atOnce: true })
      if (forget) store.remove(before)
      await signer.refresh()
    },
  }
}
