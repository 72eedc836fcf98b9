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
import { casesElsewhere } from "../support/contracts.ts"
import { appointmentContract, kinds, raced } from "../support/rowsOfFeatures.ts"
import { places, sharedStores } from "./databases.ts"

type Case = (typeof tokenStoreContract)[number]

for (const [name, isThere, open] of places) {
  describe.skipIf(!isThere)(`stores over Kysely on ${name}`, () => {
    const fresh = sharedStores(open, { kinds })
    const cases = name === "SQLite" ? (all: ReadonlyArray<Case>) => all : (all: ReadonlyArray<Case>) => casesElsewhere(all)
    const tokens = async () => (await fresh()).stores.tokens
    const subject = async () => {
      const store = await tokens()
      return { store, sweep: store.sweep }
    }

    describe("token store contract", () => {
      for (const each of cases(tokenStoreContract)) it(each.name, () => each.run(subject))
    })
    describe("rows of a feature", () => {
      for (const each of cases(appointmentContract)) it(each.name, () => each.run(subject))
    })
    describe("signing key store contract", () => {
      for (const each of signingKeyStoreContract) it(each.name, () => each.run(async () => (await fresh()).stores.keys))
    })
    describe("contract of what counts requests", () => {
      for (const each of requestCountsContract) it(each.name, () => each.run(async () => (await fresh()).stores.requestCounts))
    })

    it("law 4: of two requests for one row at once one is refused by the rule that a later one meets", async () => {
      expect(await raced(await tokens())).toEqual(['"The hour is taken."', '"The hour is taken."', "200"])
    })

    it("absent members come back as undefined, not left out", async () => {
      const store = await tokens()
      await store.commit([saveAccessToken(sampleAccessToken(1))])
      expect(await store.findAccessToken(sampleLocator(1))).toStrictEqual({ token: sampleAccessToken(1), grant: undefined })
      await store.commit([saveGrant(sampleGrant(1)), saveCode(sampleCode(2))])
      expect(await store.findCode(sampleLocator(2))).toStrictEqual({ code: sampleCode(2), grant: sampleGrant(1) })
    })

    it("every character comes back, U+0000 too; half a surrogate pair is no character, in a key either", async () => {
      const store = await tokens()
      const text = ["\u0000", "\u0001", "'\"\\/", "\ud800 half", "🗝"].join("|")
      await store.commit([saveGrant(sampleGrant(1, { acr: text, nonce: text, subject: text }))])
      expect((await store.findGrant(sampleLocator(1)))?.acr).toBe(text.toWellFormed())
      expect((await store.grantsOf(text)).map(({ id }) => id)).toEqual([sampleLocator(1)])
    })
  })
}
