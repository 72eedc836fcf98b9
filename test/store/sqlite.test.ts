import { consumeCode, requireGrant, saveAccessToken, saveCode, saveGrant } from "@postern/core/model"
import { describe, expect, it } from "vitest"
import { inMemory, sqliteSigningKeyStore, sqliteTokenStore } from "@postern/adapter-sqlite"
import {
  sampleAccessToken,
  sampleCode,
  sampleGrant,
  sampleLocator,
  sampleTime,
  signingKeyStoreContract,
  tokenStoreContract,
} from "@postern/core/testing"
import { casesElsewhere } from "../support/contracts.ts"
import { sqliteSubject, temporaryDatabase, temporaryPath, temporaryStores } from "./support.ts"

describe("token store contract: SQLite in memory", () => {
  for (const { name, run } of casesElsewhere(tokenStoreContract)) it(name, () => run(() => sqliteSubject(temporaryDatabase(inMemory))))
})

describe("token store contract: SQLite on a file", () => {
  for (const { name, run } of tokenStoreContract) it(name, () => run(() => sqliteSubject(temporaryDatabase())))
})

describe("token store contract: SQLite with a writing thread", () => {
  const threaded = () => {
    const { tokens, sweep } = temporaryStores(undefined, { thread: true })
    return { store: tokens, sweep }
  }
  for (const { name, run } of casesElsewhere(tokenStoreContract)) it(name, () => run(threaded))
})

describe("signing key store contract: SQLite", () => {
  for (const { name, run } of signingKeyStoreContract) it(name, () => run(() => sqliteSigningKeyStore(temporaryDatabase())))
})

describe("commits together", () => {
  it("each set of commands is whole or nothing, whatever the sets beside it came to", () => {
    const store = sqliteTokenStore(temporaryDatabase())
    const results = store.commitTogether([
      [saveGrant(sampleGrant(1))],
      [saveCode(sampleCode(2)), requireGrant(sampleLocator(99))],
      [requireGrant(sampleLocator(1)), saveCode(sampleCode(3))],
    ])
    expect(results).toEqual(["Committed", "Conflict", "Committed"])
    expect(store.findCode(sampleLocator(2))).toBeUndefined()
    expect(store.findCode(sampleLocator(3))).toEqual({ code: sampleCode(3), grant: sampleGrant(1) })
  })

  it("a later set sees what an earlier one did: of two that consume one code the first wins", () => {
    const store = sqliteTokenStore(temporaryDatabase())
    const consume = [consumeCode(sampleLocator(2), sampleTime, 0)] as const
    void store.commit([saveCode(sampleCode(2))])
    expect(store.commitTogether([consume, consume])).toEqual(["Committed", "Conflict"])
  })
})

describe("rows of SQLite", () => {
  it("absent members come back as undefined, not left out", () => {
    const store = sqliteTokenStore(temporaryDatabase())
    void store.commit([saveAccessToken(sampleAccessToken(1))])
    expect(store.findAccessToken(sampleLocator(1))).toStrictEqual({ token: sampleAccessToken(1), grant: undefined })
  })

  it("what was committed is there when the file is opened again", () => {
    const path = temporaryPath()
    void sqliteTokenStore(temporaryDatabase(path)).commit([saveGrant(sampleGrant(1))])
    expect(sqliteTokenStore(temporaryDatabase(path)).findGrant(sampleLocator(1))).toStrictEqual(sampleGrant(1))
  })
})
