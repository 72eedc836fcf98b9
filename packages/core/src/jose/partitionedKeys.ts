import { type Instant, type Seconds } from "../model/index.ts"
import { type MemberKinds, memberFaults, partFaults, refuseFaults } from "../model/members.ts"
import { inSeconds } from "../ports/inSeconds.ts"
import { inPartition, partitionOf } from "../ports/index.ts"
import { type SigningKey, type SigningKeyStore, signingKeyStoreKinds } from "./signingKey.ts"

/** The options of the key stores of several issuers. */
export interface PartitionedKeysOptions {
  /** Whole seconds since 1970. */
  readonly now: () => Instant
  /**
   * Seconds for which the keys of all issuers are cached; 2 by default. Each signer reads its keys regularly, and 1,000 signers do so
   * often.
   */
  readonly readEvery?: Seconds | undefined
}

const kinds: MemberKinds<PartitionedKeysOptions> = { now: "function", readEvery: "number?" }

/** The maximum number of retries of adding a key after another issuer added one at the same time. */
const most = 20

/** The keys of all issuers, as last read. */
interface Snapshot {
  readonly at: Instant
  readonly all: ReadonlyArray<SigningKey>
  readonly byName: ReadonlyMap<string, ReadonlyArray<SigningKey>>
}

/**
 * Keeps the separate signing keys of several issuers in one store, in which (and nowhere else) the key ids carry the issuer's name. Returns
 * a function that returns the store of an issuer by its name; the empty name has the keys from before there were several issuers.
 */
export const partitionedKeys = (store: SigningKeyStore, options: PartitionedKeysOptions): ((name: string) => SigningKeyStore) => {
  refuseFaults("partitionedKeys", partFaults("store", store, signingKeyStoreKinds, "SigningKeyStore"), memberFaults(options, kinds))
  const { readEvery = 2 } = options
  const now = inSeconds("partitionedKeys", options.now)
  let snapshot: Snapshot | undefined
  let reading: Promise<Snapshot> | undefined

  const load = async (): Promise<Snapshot> => {
    const at = now()
    const all = await store.list()
    const marked = all.map((key) => ({ key, ...partitionOf(key.kid) }))
    const byName = new Map(
      [...Map.groupBy(marked, ({ name }) => name)].map(([name, keys]) => [name, keys.map(({ key, value }) => ({ ...key, kid: value }))]),
    )
    return { at, all, byName }
  }
  const read = (): Promise<Snapshot> => {
    const begun = (reading ??= load().then(
      (loaded) => {
        // A read that overlapped with a change is not cached, because it may not include the change.
        if (reading === begun) {
          snapshot = loaded
          reading = undefined
        }
        return loaded
      },
      (error: unknown) => {
        if (reading === begun) reading = undefined
        throw error
      },
    ))
    return begun
  }
  const forget = (): void => {
    snapshot = undefined
    reading = undefined
  }
  const same = (kids: ReadonlyArray<string>, seen: ReadonlyArray<string>): boolean =>
    kids.length === seen.length && kids.every((kid) => seen.includes(kid))

  return (name) => ({
    list: () => {
      const time = now()
      const known = snapshot !== undefined && time >= snapshot.at && time < snapshot.at + readEvery ? snapshot : undefined
      return known === undefined ? read().then(({ byName }) => byName.get(name) ?? []) : (known.byName.get(name) ?? [])
    },
    add: async (added, seen) => {
      try {
        for (let tried = 0; tried < most; tried++) {
          const { all, byName } = await load()
          if (
            !same(
              (byName.get(name) ?? []).map(({ kid }) => kid),
              seen,
            )
          )
            return "Conflict"
          const keys = added.map((key) => ({ ...key, kid: inPartition(key.kid, name) }))
          const result = await store.add(
            keys,
            all.map(({ kid }) => kid),
          )
          if (result === "Committed") return "Committed"
          if (all.some(({ kid }) => keys.some((key) => key.kid === kid))) return "Conflict"
        }
        return "Conflict"
      } finally {
        forget()
      }
    },
    remove: async (kids) => {
      try {
        await store.remove(kids.map((kid) => inPartition(kid, name)))
      } finally {
        forget()
      }
    },
  })
}
