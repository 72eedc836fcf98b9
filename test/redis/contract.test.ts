import { redisStores } from "@postern/adapter-redis"
import { saveAccessToken, saveCode, saveGrant } from "@postern/core/model"
import {
  requestCountsContract,
  sampleAccessToken,
  sampleCode,
  sampleGrant,
  sampleLocator,
  signingKeyStoreContract,
  tokenStoreContract,
} from "@postern/core/testing"
import { describe, expect, it } from "vitest"
import { redisThere } from "../support/redisServer.ts"
import { sharedRedis } from "./shared.ts"

const fresh = sharedRedis()

describe.skipIf(!redisThere)("stores on Redis", () => {
  describe("token store contract", () => {
    for (const { name, run } of tokenStoreContract) {
      it(name, () =>
        run(async () => {
          const { tokens } = await redisStores(await fresh())
          return { store: tokens, sweep: tokens.sweep }
        }),
      )
    }
  })

  describe("signing key store contract", () => {
    for (const { name, run } of signingKeyStoreContract) it(name, () => run(async () => (await redisStores(await fresh())).keys))
  })

  describe("contract of what counts requests", () => {
    for (const { name, run } of requestCountsContract) it(name, () => run(async () => (await redisStores(await fresh())).requestCounts))
  })

  it("absent members come back as undefined, not left out", async () => {
    const { tokens } = await redisStores(await fresh())
    await tokens.commit([saveAccessToken(sampleAccessToken(1))])
    expect(await tokens.findAccessToken(sampleLocator(1))).toStrictEqual({ token: sampleAccessToken(1), grant: undefined })
    await tokens.commit([saveGrant(sampleGrant(1)), saveCode(sampleCode(2))])
    expect(await tokens.findCode(sampleLocator(2))).toStrictEqual({ code: sampleCode(2), grant: sampleGrant(1) })
  })

  it("every character comes back, U+0000 too; half a surrogate pair is no character", async () => {
    const { tokens } = await redisStores(await fresh())
    const acr = ["\u0000", "\u0001", "'\"\\/", "\ud800 half", "🗝"].join("|")
    await tokens.commit([saveGrant(sampleGrant(1, { acr }))])
    expect((await tokens.findGrant(sampleLocator(1)))?.acr).toBe(acr.toWellFormed())
  })
})
