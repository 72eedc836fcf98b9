import { describe, expect, it } from "vitest"
import { type Database, openDatabase, postgresTokenStore } from "@postern/adapter-postgres"
import {
  type Command,
  type CommitResult,
  consumeCode,
  countAttempt,
  removeConsent,
  requireConsent,
  requireGrant,
  requireSession,
  revokeGrant,
  saveAccessToken,
  saveCode,
  saveConsent,
  saveGrant,
  saveSession,
  endSession,
} from "@postern/core/model"
import { sampleAccessToken, sampleCode, sampleConsent, sampleGrant, sampleLocator, sampleSession, sampleTime } from "@postern/core/testing"
import { StoreUnavailable } from "@postern/stores"
import { closing, postgresServer } from "../support/postgres.ts"
import { holding } from "./holding.ts"

const server = postgresServer()

/** A store that counts the transactions of its commits. */
const counted = (database: Database) => {
  let commits = 0
  const store = postgresTokenStore({
    ...database,
    write: (operation, ...rest) => {
      if (operation === "commit") commits++
      return database.write(operation, ...rest)
    },
  })
  const commit = async (...commands: ReadonlyArray<Command>): Promise<CommitResult> => store.commit(commands)
  return { store, commit, commits: () => commits }
}
const opened = async () => {
  const url = await (await server()).database()
  const database = closing(await openDatabase(url))
  return { url, database, ...counted(database) }
}

const session = sampleSession(1, { endedAt: undefined })
const consent = sampleConsent("ann", "one")
/** Longer than a held lock is looked at. */
const patient = { connections: 2, patience: 20_000 }

const save = (order: number): Command => saveAccessToken(sampleAccessToken(order))
const consume = (order: number): Command => consumeCode(sampleLocator(order), sampleTime, 0)
const codeFor = (order: number): Command => saveCode(sampleCode(order))
const orders = (from: number, count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, each) => from + each)

describe("commits that come together", () => {
  it("share transactions, and each is done whole or not at all", async () => {
    const { store, commit, commits } = await opened()
    await commit(saveGrant(sampleGrant(1)), ...orders(1000, 20).map(codeFor))
    const before = commits()
    // Every code twice, each time with a token of its own: one of the two sets is taken, the other not, and neither by half.
    const answers = await Promise.all(orders(0, 40).map((each) => commit(save(each), consume(1000 + (each % 20)), save(each + 100))))
    expect(commits() - before).toBeLessThan(10)
    for (const each of orders(0, 20)) expect(new Set([answers[each], answers[each + 20]])).toEqual(new Set(["Committed", "Conflict"]))
    for (const [each, answer] of answers.entries()) {
      const found = await Promise.all([store.findAccessToken(sampleLocator(each)), store.findAccessToken(sampleLocator(each + 100))])
      expect(found.map((one) => one !== undefined)).toEqual(Array(2).fill(answer === "Committed"))
    }
  })

  it("are each decided after those before: one that needs what an earlier one saves is committed with it", async () => {
    const { commit } = await opened()
    const first = commit(save(1))
    const others = [commit(save(2)), commit(codeFor(3)), commit(consume(3)), commit(consume(3))]
    expect(await Promise.all([first, ...others])).toEqual(["Committed", "Committed", "Committed", "Committed", "Conflict"])
  })

  it("one that waits for another's lock keeps none of the others waiting for it, and one that cannot be taken fails alone", async () => {
    const { url, store, commit } = await opened()
    await commit(saveGrant(sampleGrant(1)), codeFor(1), codeFor(2))
    const letGo = await holding(url, `UPDATE postern.codes SET digest = digest WHERE locator = '${sampleLocator(1)}'`)
    const unsound = saveAccessToken({ ...sampleAccessToken(60), digest: undefined as unknown as string })
    const settled = new Map<string, number>()
    const began = performance.now()
    const timed = async (name: string, commands: ReadonlyArray<Command>) =>
      commit(...commands).finally(() => settled.set(name, performance.now() - began))
    const all = Promise.allSettled([
      ...orders(10, 12).map((each) => timed(`good ${each}`, [save(each)])),
      timed("locked", [consume(1), save(50)]),
      ...orders(30, 12).map((each) => timed(`good ${each}`, [save(each)])),
      timed("unsound", [save(61), unsound]),
      timed("free", [consume(2)]),
    ])
    const answers = await all
    const failed = answers.flatMap((each) => (each.status === "rejected" ? [each.reason as unknown] : []))
    expect(failed.length).toBe(2)
    expect(failed).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          name: "StoreUnavailable",
          operation: "commit",
          code: expect.stringMatching(/^(?:55P03|57014|TIMEOUT)$/),
        }),
        expect.objectContaining({ name: "Violated", code: "23502" }),
      ]),
    )
    const waited = settled.get("locked") ?? 0
    for (const [name, took] of settled) if (name !== "locked") expect(took, name).toBeLessThan(waited)
    await letGo()
    expect([await store.findAccessToken(sampleLocator(50)), await store.findAccessToken(sampleLocator(61))]).toEqual([undefined, undefined])
    expect(await commit(consume(1))).toBe("Committed")
  }, 30_000)

  it("of two servers that take the same rows in two orders all are answered, each code to one of them", async () => {
    const { url, commit } = await opened()
    const other = counted(closing(await openDatabase(url)))
    for (let round = 0; round < 5; round++) {
      const codes = orders(2000 + round * 100, 24)
      await commit(...codes.map(codeFor))
      const here = codes.map((code) => commit(consume(code)))
      const there = codes.toReversed().map((code) => other.commit(consume(code)))
      const [first, second] = [await Promise.all(here), (await Promise.all(there)).toReversed()]
      for (const [at] of codes.entries()) expect(new Set([first[at], second[at]])).toEqual(new Set(["Committed", "Conflict"]))
    }
  }, 30_000)

  it("without a server all of them fail, and none is done when it is back", async () => {
    const { store, commit } = await opened()
    await commit(save(1))
    const { stop, start } = await server()
    await stop()
    const answers = await Promise.allSettled(orders(100, 40).map((each) => commit(save(each))))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(["rejected"]))
    await start()
    for (const each of orders(100, 40)) expect(await store.findAccessToken(sampleLocator(each))).toBeUndefined()
    expect(await commit(save(100))).toBe("Committed")
  }, 30_000)

  it.each<readonly [string, Command, Command]>([
    ["a session", requireSession(session.locator), endSession(session.locator, 0)],
    ["a consent", requireConsent(consent), removeConsent(consent.subject, consent.clientId)],
    ["a grant", requireGrant(sampleGrant(1).id), revokeGrant(sampleGrant(1).id, 0)],
  ])("architecture law 4: nobody takes away %s that another requires before that one is done", async (_, required, taken) => {
    const url = await (await server()).database()
    const [here, there] = [closing(await openDatabase(url, patient)), closing(await openDatabase(url, patient))]
    const before: ReadonlyArray<Command> = [saveGrant(sampleGrant(1)), saveSession(session), saveConsent(consent, undefined), codeFor(1)]
    expect(await postgresTokenStore(here).commit(before)).toBe("Committed")
    const letGo = await holding(url, `UPDATE postern.codes SET digest = digest WHERE locator = '${sampleLocator(1)}'`)
    const asking = closing(await openDatabase(url))
    const waiting = async (): Promise<number> => {
      const [[count] = []] = await asking.read(
        "look",
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
      )
      return Number(count)
    }
    const first = postgresTokenStore(here).commit([required, consume(1)])
    await expect.poll(waiting, { interval: 5, timeout: 5_000 }).toBe(1)
    const second = postgresTokenStore(there).commit([taken])
    await expect.poll(waiting, { interval: 5, timeout: 5_000 }).toBe(2)
    await letGo()
    expect(await Promise.all([first, second])).toEqual(["Committed", "Committed"])
  })
})

describe("what is looked up in one turn of the event loop", () => {
  it("is asked for by one statement, and everybody is given their own, whatever the keys hold", async () => {
    const { database, commit } = await opened()
    let reads = 0
    const counting = postgresTokenStore({ ...database, read: (...asked) => (reads++, database.read(...asked)) })
    const keys = [`a"b`, "a\\b", "{a,b}", "NULL", "", " a ", "a\u0000b", "a\u0001b", "é", "a,b", `\\"`, "'"]
    for (const [at, key] of keys.entries())
      for (let times = 0; times <= at; times++) await commit(countAttempt(key, sampleTime, sampleTime + 60))
    const asked = [...keys, ...keys, "nobody"]
    const found = await Promise.all(asked.map(async (key) => counting.findAttempts(key)))
    expect(found.map((each) => [each?.key, each?.count])).toEqual([
      ...[...keys, ...keys].map((key) => [key, keys.indexOf(key) + 1]),
      [undefined, undefined],
    ])
    expect(reads).toBe(1)
    for (const key of keys) expect((await counting.findAttempts(key))?.count).toBe(keys.indexOf(key) + 1)
    expect(reads).toBe(1 + keys.length)
  })

  it("fails for all who asked when it cannot be answered, and is asked anew by who comes next", async () => {
    const { database, commit } = await opened()
    let down = true
    const failing = postgresTokenStore({
      ...database,
      read: (operation, ...rest) =>
        down ? Promise.reject(new StoreUnavailable(operation, "DISCONNECTED")) : database.read(operation, ...rest),
    })
    await commit(save(1), save(2))
    const both = () => Promise.allSettled([1, 2].map(async (order) => failing.findAccessToken(sampleLocator(order))))
    expect((await both()).map(({ status }) => status)).toEqual(["rejected", "rejected"])
    down = false
    expect((await both()).map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"])
  })
})
