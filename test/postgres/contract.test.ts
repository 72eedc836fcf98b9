import { saveAccessToken, saveCode, saveGrant } from "@postern/core/model"
import { describe, expect, it } from "vitest"
import { postgresRequestCounts, postgresSigningKeyStore, postgresTokenStore } from "@postern/adapter-postgres"
import {
  requestCountsContract,
  sampleAccessToken,
  sampleCode,
  sampleGrant,
  sampleLocator,
  signingKeyStoreContract,
  tokenStoreContract,
} from "@postern/core/testing"
import { sharedDatabase } from "../support/postgres.ts"

const fresh = sharedDatabase()

describe("token store contract: PostgreSQL", () => {
  for (const { name, run } of tokenStoreContract) {
    it(name, () =>
      run(async () => {
        const store = postgresTokenStore(await fresh())
        return { store, sweep: store.sweep }
      }),
    )
  }
})

describe("signing key store contract: PostgreSQL", () => {
  for (const { name, run } of signingKeyStoreContract) it(name, () => run(async () => postgresSigningKeyStore(await fresh())))
})

describe("contract of what counts requests: PostgreSQL", () => {
  for (const { name, run } of requestCountsContract) it(name, () => run(async () => postgresRequestCounts(await fresh())))
})

describe("rows of PostgreSQL", () => {
  it("absent members come back as undefined, not left out", async () => {
    const store = postgresTokenStore(await fresh())
    await store.commit([saveAccessToken(sampleAccessToken(1))])
    expect(await store.findAccessToken(sampleLocator(1))).toStrictEqual({ token: sampleAccessToken(1), grant: undefined })
    await store.commit([saveGrant(sampleGrant(1)), saveCode(sampleCode(2))])
    expect(await store.findCode(sampleLocator(2))).toStrictEqual({ code: sampleCode(2), grant: sampleGrant(1) })
  })

  it("every character comes back, U+0000 and what stands in for it too; half a surrogate pair is no character", async () => {
    const store = postgresTokenStore(await fresh())
    const acr = ["\u0000", "\u0001", "\u00010", "\u0001\u0000\u0001", "\ud800 half", "🗝"].join("|")
    await store.commit([saveGrant(sampleGrant(1, { acr }))])
    expect((await store.findGrant(sampleLocator(1)))?.acr).toBe(acr.toWellFormed())
  })
})
