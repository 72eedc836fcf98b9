import { describe, it } from "vitest"
import { memoryRequestCounts, memorySigningKeyStore, memoryTokenStore } from "@postern/core/memory"
import { requestCountsContract, signingKeyStoreContract, tokenStoreContract } from "@postern/core/testing"

describe("token store contract: memory", () => {
  for (const { name, run } of tokenStoreContract) {
    it(name, () =>
      run(() => {
        const store = memoryTokenStore()
        return { store, sweep: store.sweep }
      }),
    )
  }
})

describe("signing key store contract: memory", () => {
  for (const { name, run } of signingKeyStoreContract) it(name, () => run(() => memorySigningKeyStore()))
})

describe("contract of what counts requests: memory", () => {
  for (const { name, run } of requestCountsContract) it(name, () => run(() => memoryRequestCounts()))
})
