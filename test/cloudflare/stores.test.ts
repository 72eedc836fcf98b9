import { DatabaseRefused } from "@postern/adapter-cloudflare"
import { insertion, putting, rowKind, saveAccessToken, saveCode, saveGrant } from "@postern/core/model"
import { sampleAccessToken, sampleCode, sampleGrant, sampleLocator, sampleTime } from "@postern/core/testing"
import { describe, expect, it } from "vitest"
import { appointmentContract, kinds, raced } from "../support/rowsOfFeatures.ts"
import { apart, emptied, places, sharedWorkerd, told } from "./places.ts"

const workerd = sharedWorkerd()

describe.each(places)("stores on %s", (place, open) => {
  const fresh = async () => open(workerd().origin(), apart({ kinds }))

  describe("rows of a feature", () => {
    const options = apart({ kinds })
    let opened: ReturnType<typeof open> | undefined
    for (const each of appointmentContract)
      it(each.name, () =>
        each.run(async () => {
          const { tokens } = await (opened ??= open(workerd().origin(), options))
          await emptied(workerd().origin(), place, options.prefix ?? "")
          return { store: tokens, sweep: tokens.sweep }
        }),
      )
  })

  it("law 4: of two requests for one row at once one is refused by the rule that a later one meets", async () => {
    expect(await raced((await fresh()).tokens)).toEqual(['"The hour is taken."', '"The hour is taken."', "200"])
  })

  it("absent members come back as undefined, not left out", async () => {
    const { tokens } = await fresh()
    await tokens.commit([saveAccessToken(sampleAccessToken(1))])
    expect(await tokens.findAccessToken(sampleLocator(1))).toStrictEqual({ token: sampleAccessToken(1), grant: undefined })
    await tokens.commit([saveGrant(sampleGrant(1)), saveCode(sampleCode(2))])
    expect(await tokens.findCode(sampleLocator(2))).toStrictEqual({ code: sampleCode(2), grant: sampleGrant(1) })
  })

  it("every character comes back, U+0000 too; half a surrogate pair is no character, in a key either", async () => {
    const { tokens } = await fresh()
    const text = ["\u0000", "\u0001", "'\"\\/", "\ud800 half", "🗝"].join("|")
    await tokens.commit([saveGrant(sampleGrant(1, { acr: text, nonce: text, subject: text }))])
    expect((await tokens.findGrant(sampleLocator(1)))?.acr).toBe(text.toWellFormed())
    expect((await tokens.grantsOf(text)).map(({ id }) => id)).toEqual([sampleLocator(1)])
  })

  it("law 7: an error that the database tells says that nothing of a commit was done, and holds no value", async () => {
    const options = apart()
    const { tokens } = await open(workerd().origin(), options)
    await told(place, workerd().origin(), `DROP TABLE ${options.prefix}codes`)
    const failed: unknown = await Promise.resolve(tokens.commit([saveGrant(sampleGrant(1)), saveCode(sampleCode(2))])).catch(
      (error: unknown) => error,
    )
    expect(failed).toMatchObject({
      name: "StoreUnavailable",
      code: "SQLITE_ERROR",
      uncertain: false,
      message: "the store cannot commit now (SQLITE_ERROR)",
    })
    expect(await tokens.findGrant(sampleLocator(1))).toBeUndefined()
    // Opening the stores makes the tables that are missing.
    expect(await (await open(workerd().origin(), options)).tokens.commit([saveCode(sampleCode(2))])).toBe("Committed")
  })

  it("law 7: tables of a later version are refused", async () => {
    const options = apart()
    await open(workerd().origin(), options)
    await told(place, workerd().origin(), `UPDATE ${options.prefix}about SET value = 2`)
    const refused = await open(workerd().origin(), options).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(DatabaseRefused)
    expect(refused).toMatchObject({ reason: "newer" })
  })

  it("law 13: stores opened by many at once make the same tables, and one query finds that they are there", async () => {
    const options = apart()
    const all = await Promise.all(Array.from({ length: 4 }, async () => open(workerd().origin(), options)))
    await all[0]?.tokens.commit([saveGrant(sampleGrant(1))])
    expect(await all[3]?.tokens.findGrant(sampleLocator(1))).toEqual(sampleGrant(1))
    expect(await (await fresh()).tokens.findGrant(sampleLocator(1))).toBeUndefined()
  })

  it("law 13: a later version adds the columns that it needs, and an earlier one goes on beside it", async () => {
    const options = apart()
    const seats = (columns: object) =>
      rowKind<{ readonly seat: string }>("seats", { seat: "text", ...columns } as never, { key: ["seat"], events: { TakeSeat: insertion } })
    const [plain, noted] = [seats({}), seats({ note: "text?" })]
    const before = await open(workerd().origin(), { ...options, kinds: [plain] })
    await before.tokens.commit([putting(plain, "TakeSeat", { seat: "1" })])
    const after = await Promise.all(Array.from({ length: 4 }, async () => open(workerd().origin(), { ...options, kinds: [noted] })))
    await after[0]?.tokens.commit([putting(noted, "TakeSeat", { seat: "2", note: "window" } as never)])
    await before.tokens.commit([putting(plain, "TakeSeat", { seat: "3" })])
    expect(await after[1]?.tokens.find(noted, { seat: "1" })).toEqual({ seat: "1", note: undefined })
    expect(await after[1]?.tokens.find(noted, { seat: "2" })).toEqual({ seat: "2", note: "window" })
    expect(await after[1]?.tokens.find(noted, { seat: "3" })).toEqual({ seat: "3", note: undefined })
    const strange = await open(workerd().origin(), { ...options, kinds: [seats({ row: "integer" })] }).catch((error: unknown) => error)
    expect(strange).toBeInstanceOf(DatabaseRefused)
    expect(strange).toMatchObject({ reason: "foreign" })
  })

  it("R8: a sweep drops a slice of each table and says that there is more; where nothing is due it asks once", async () => {
    const { tokens, sweep, requestCounts } = await fresh()
    const keys = Array.from({ length: 250 }, (_, each) => each)
    await tokens.commit(keys.map((each) => saveAccessToken(sampleAccessToken(each))))
    await requestCounts.exchange([{ key: "a", taken: 10, alone: sampleTime * 1000 }], sampleTime * 1000)
    expect(await sweep(sampleTime - 1)).toEqual({ removed: 0, more: false })
    const later = sampleTime + 1_000_000
    expect(await sweep(later)).toEqual({ removed: 201, more: true })
    expect(await sweep(later)).toEqual({ removed: 50, more: false })
    expect(await tokens.findAccessToken(sampleLocator(3))).toBeUndefined()
  })

  it("a prefix that no table can have is refused", async () => {
    await expect(open(workerd().origin(), { prefix: "Ü" })).rejects.toThrow(TypeError)
  })
})
