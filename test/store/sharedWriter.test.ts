import { statSync } from "node:fs"
import { duplexPair } from "node:stream"
import { describe, expect, it, vi } from "vitest"
import { askingOver } from "../../packages/adapter-sqlite/src/writer/askingOver.ts"
import type { Outcome } from "../../packages/adapter-sqlite/src/writer/protocol.ts"
import { type SqliteStores, StoreUnavailable } from "@postern/adapter-sqlite"
import { type Command, consumeCode, saveAccessToken, saveCode } from "@postern/core/model"
import { sampleAccessToken, sampleCode, sampleLocator, sampleTime, tokenStoreContract } from "@postern/core/testing"
import { sample } from "../tiers/tier.ts"
import { emptyPath, sampleIdentity, temporaryStores } from "./support.ts"

const save = (order: number): Command => saveAccessToken(sampleAccessToken(order))

/** A process that writes for others, and so many of them, each with the streams between the two. */
const processes = (count: number, path = emptyPath()) => {
  const writer = temporaryStores(path, { thread: true, writing: "shared" })
  const others = Array.from({ length: count }, () => {
    const [mine, theirs] = duplexPair()
    writer.writeFor?.(mine)
    return { stores: temporaryStores(path, { thread: true, writing: theirs }), theirs }
  })
  return { path, writer, others }
}
const [first, second] = [0, 1] as const
const storesOf = ({ others }: { readonly others: ReadonlyArray<{ readonly stores: SqliteStores }> }, at: number): SqliteStores => {
  const found = others[at]
  if (found === undefined) throw new Error(`there is no process ${at}`)
  return found.stores
}
const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "done",
    (error: unknown) => (error instanceof StoreUnavailable ? error.code : error),
  )

describe("token store contract: SQLite with another process that writes", () => {
  for (const { name, run } of sample(
    tokenStoreContract.filter((_, at) => at % 8 === 0),
    6,
  ))
    it(name, () =>
      run(() => {
        const all = processes(1)
        return { store: storesOf(all, first).tokens, sweep: all.writer.sweep }
      }),
    )
})

describe("one process writes for others", () => {
  it("a code that sixteen redeem at once through different processes is redeemed by one (RFC 6749 §4.1.2)", async () => {
    const all = processes(4)
    await storesOf(all, first).tokens.commit([saveCode(sampleCode(500))])
    const consume: Command = consumeCode(sampleLocator(500), sampleTime, 0)
    const results = await Promise.all(Array.from({ length: 16 }, async (_, at) => storesOf(all, at % 4).tokens.commit([save(at), consume])))
    expect(results.filter((result) => result === "Committed")).toHaveLength(1)
    const saved = await Promise.all(results.map(async (_, at) => storesOf(all, second).tokens.findAccessToken(sampleLocator(at))))
    expect(saved.map((row) => (row === undefined ? "Conflict" : "Committed"))).toEqual(results)
  })

  it("an answered commit is read by every process at once, with text of any script", async () => {
    const all = processes(2)
    const clientId = "grün 緑 \n \u2028 \u{1f7e2}"
    const result = await storesOf(all, first).tokens.commit([saveAccessToken({ ...sampleAccessToken(1), clientId })])
    expect(result).toBe("Committed")
    expect((await storesOf(all, second).tokens.findAccessToken(sampleLocator(1)))?.token.clientId).toBe(clientId)
  })

  it("results go to whoever asked: conflicts and faults of one process are no other's", async () => {
    const all = processes(2)
    const odd = { ...sampleAccessToken(7), expiresAt: 0.5 }
    await storesOf(all, first).tokens.commit([save(1)])
    const results = await Promise.all([
      ...[2, 3].map(async (order) => storesOf(all, first).tokens.commit([save(order)])),
      codeOf(Promise.resolve(storesOf(all, second).tokens.commit([saveAccessToken(odd)]))),
      ...[1, 4].map(async (order) => storesOf(all, second).tokens.commit([save(order)])),
    ])
    expect(results).toEqual(["Committed", "Committed", "SQLITE_CONSTRAINT_DATATYPE", "Conflict", "Committed"])
  })

  it("trails, counts of requests, and people from other providers are written by it", async () => {
    const all = processes(2)
    const [one, two] = [storesOf(all, first), storesOf(all, second)]
    const exchange = async (stores: SqliteStores) =>
      stores.requestCounts?.exchange([{ key: "k", taken: 1000, alone: sampleTime * 1000 + 1000 }], sampleTime * 1000)
    expect(await exchange(one)).toEqual([sampleTime * 1000 + 1000])
    expect(await exchange(two)).toEqual([sampleTime * 1000 + 2000])
    const [here, there] = await Promise.all([one.people.admit(sampleIdentity(), undefined), two.people.admit(sampleIdentity(), undefined)])
    expect(here).toMatchObject({ _tag: "Verified" })
    expect(there).toEqual(here)
    expect(await two.people.list()).toHaveLength(1)
  })

  it("when the writing process is gone, what it was asked is uncertain, and what comes later is refused", async () => {
    const all = processes(1)
    const { tokens } = storesOf(all, first)
    await tokens.commit([save(1)])
    const pending = [codeOf(Promise.resolve(tokens.commit([save(2)]))), codeOf(Promise.resolve(tokens.commit([save(3)])))]
    all.others[first]?.theirs.destroy()
    expect(["LOST", "CLOSED"]).toEqual(expect.arrayContaining(await Promise.all(pending)))
    expect(await codeOf(Promise.resolve(tokens.commit([save(4)])))).toBe("CLOSED")
    expect(await tokens.findAccessToken(sampleLocator(1))).toBeDefined()
  })

  it("work that is not answered in time is uncertain; until then nothing more is sent, and what is asked was not done", async () => {
    const [mine, theirs] = duplexPair()
    const sent: Array<string> = []
    mine.setEncoding("utf8").on("data", (text: string) => void sent.push(...text.trimEnd().split("\n")))
    const told: Array<Outcome> = []
    const { ask } = askingOver(theirs, (_, outcome) => void told.push(outcome), 20)
    const asked = (): Promise<Outcome> => new Promise((resolve) => ask("commit", { sets: "[[]]", count: 1, restartWal: false }, resolve))
    expect(await asked()).toEqual({ operation: "commit", code: "TIMEOUT" })
    expect([new StoreUnavailable("commit", "TIMEOUT").uncertain, new StoreUnavailable("commit", "OVERLOADED").uncertain]).toEqual([
      true,
      false,
    ])
    expect(await Promise.all([asked(), asked()])).toEqual(Array.from({ length: 2 }, () => ({ operation: "commit", code: "OVERLOADED" })))
    expect([sent, told.length]).toEqual([["1 1 [[]]"], 3])
    mine.write('1 {"made":["Committed"]}\n')
    await vi.waitFor(async () => expect(await asked()).not.toMatchObject({ code: "OVERLOADED" }), { timeout: 10_000 })
    expect(sent.length).toBeGreaterThan(1)
  })

  it("no more work waits for an answer than is worth waiting for", async () => {
    const [, theirs] = duplexPair()
    const { ask } = askingOver(theirs, () => undefined)
    let refused = 0
    for (let each = 0; each < 1_010; each++) ask("probe", { at: 0, whole: false }, (outcome) => (refused += "code" in outcome ? 1 : 0))
    expect(refused).toBe(10)
    theirs.destroy()
  })

  it("a process that is killed in the middle of a line takes nothing from the others", async () => {
    const all = processes(2)
    const [lost, theirs] = duplexPair()
    all.writer.writeFor?.(lost)
    theirs.write("1 1 [[{")
    theirs.destroy()
    expect(await storesOf(all, second).tokens.commit([save(1)])).toBe("Committed")
  })

  it("the log begins anew while every process reads and writes", async () => {
    const all = processes(2)
    for (let round = 0; round < 900; round++)
      await Promise.all(
        [first, second].map(async (at) => {
          const { tokens } = storesOf(all, at)
          await tokens.commit([save(round * 2 + at)])
          await tokens.findAccessToken(sampleLocator(round))
        }),
      )
    // 1,800 rows in as many pages or more would be 20 MB of log.
    expect(statSync(`${all.path}-wal`).size).toBeLessThan(8_000_000)
  })
})
