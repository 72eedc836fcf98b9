import { defaultKeyPolicy, partitionedKeys, type SigningKeyStore, tendKeys } from "@postern/core/jose"
import { maintain } from "@postern/core/maintain"
import { memorySigningKeyStore, memoryTokenStore } from "@postern/core/memory"
import { sampleTime, signingKeyStoreContract } from "@postern/core/testing"
import { describe, expect, it } from "vitest"
import { sqliteSigningKeyStore } from "@postern/adapter-sqlite"
import { temporaryDatabase } from "./support.ts"

const clock = () => {
  let time = sampleTime
  return { now: () => time, pass: (seconds: number) => void (time += seconds) }
}

describe("signing keys of several issuers in one store", () => {
  describe.each([
    ["memory", () => memorySigningKeyStore()],
    ["SQLite", () => sqliteSigningKeyStore(temporaryDatabase(":memory:"))],
  ])("in %s each is a key store by itself", (_, open) => {
    for (const { name, run } of signingKeyStoreContract)
      it(name, () =>
        run(async () => {
          const { now } = clock()
          const of = partitionedKeys(open(), { now })
          const care = { algorithms: ["ES256"] as const, policy: defaultKeyPolicy, now }
          await tendKeys({ ...care, store: of("other") })
          return of("one")
        }),
      )
  })

  it("keys that several make at once are each issuer's own, and none is lost", async () => {
    const { now, pass } = clock()
    const store = memorySigningKeyStore()
    const of = partitionedKeys(store, { now })
    const names = Array.from({ length: 12 }, (_, at) => `i${at}`)
    const cares = names.map((name) => ({ store: of(name), algorithms: ["ES256"] as const, policy: defaultKeyPolicy, now }))
    const made = await Promise.all(cares.map((care) => tendKeys(care)))
    const tokens = memoryTokenStore()
    expect(await maintain({ tokens, now, keys: cares })).toMatchObject({ keys: [], faults: [] })
    pass(2)
    for (const [at, name] of names.entries()) expect((await of(name).list()).map(({ kid }) => kid)).toEqual(made[at]?.map(({ kid }) => kid))
    expect(await store.list()).toHaveLength(12)
    expect(await of("stranger").list()).toEqual([])
    expect(await of("").list()).toEqual([])
  })

  it("keys of the time before are those of the issuer without a name", async () => {
    const { now } = clock()
    const store = memorySigningKeyStore()
    const [key] = await tendKeys({ store, algorithms: ["ES256"], policy: defaultKeyPolicy, now })
    const of = partitionedKeys(store, { now })
    expect(await of("").list()).toEqual([key])
    expect(await of("one").list()).toEqual([])
  })

  it("all issuers share what is read for two seconds, and see their own changes at once", async () => {
    const { now, pass } = clock()
    const store = memorySigningKeyStore()
    let read = 0
    const counting: SigningKeyStore = { ...store, list: () => (read++, store.list()) }
    const of = partitionedKeys(counting, { now })
    await Promise.all(Array.from({ length: 100 }, async (_, at) => of(`i${at}`).list()))
    expect(read).toBe(1)
    await tendKeys({ store: of("one"), algorithms: ["ES256"], policy: defaultKeyPolicy, now })
    expect(await of("one").list()).toHaveLength(1)
    read = 0
    for (let at = 0; at < 100; at++) await of(`i${at}`).list()
    expect(read).toBe(0)
    pass(2)
    await of("one").list()
    expect(read).toBe(1)
  })
})
