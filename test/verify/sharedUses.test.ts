import { sqliteTokenStore } from "@postern/adapter-sqlite"
import { postgresTokenStore } from "@postern/adapter-postgres"
import { redisStores } from "@postern/adapter-redis"
import { useOnce } from "@postern/core/model"
import type { TokenStorePort } from "@postern/core/ports"
import type { ProofUses } from "@postern/verify"
import Database from "better-sqlite3"
import { readFileSync } from "node:fs"
import { Pool } from "pg"
import { afterAll, describe, expect, onTestFinished, test } from "vitest"
import { sharedRedis } from "../redis/shared.ts"
import { temporaryDatabase, temporaryPath, temporaryStores } from "../store/support.ts"
import { serverOfProcess, sharedDatabase } from "../support/postgres.ts"
import { redisThere } from "../support/redisServer.ts"
import { bound, now, proving, ruleOf, serverOf } from "./setting.ts"

/** The uses of proofs in a token store: where a provider keeps those of its own. */
const usesIn = (store: Pick<TokenStorePort, "commit">): ProofUses => ({
  claim: async (key, until, at) => (await store.commit([useOnce(key, at, until)])) === "Committed",
})

/** The statements that docs/resource-servers.md gives: the table, the claim, the sweep. */
const [table = "", claim = "", sweep = ""] =
  /```sql\n(.*?)```/s
    .exec(readFileSync(new URL("../../docs/resource-servers.md", import.meta.url), "utf8"))?.[1]
    ?.split(";")
    .map((each) => each.trim()) ?? []

/** Sends 16 requests with one proof at once, each to the next of some machines, and one more later to each: tells the rule that refused each, in order. */
const raced = async (machines: ReadonlyArray<ProofUses>): Promise<ReadonlyArray<string>> => {
  const servers = machines.map((uses) => serverOf({ dpop: { uses } }))
  const asked = proving(bound())
  const all = Array.from({ length: 16 / servers.length }, () => servers.map((server) => server.verify(asked))).flat()
  const outcomes = (await Promise.all(all)).map((verdict) => ruleOf(verdict) ?? "passes")
  const later = await Promise.all(servers.map((server) => server.verify(asked)))
  return [...outcomes.toSorted(), ...later.map((verdict) => `later ${ruleOf(verdict) ?? "passes"}`)]
}

const oneOf16 = (machines: number): ReadonlyArray<string> => [
  ...Array.from({ length: 15 }, () => "dpop.unused"),
  "passes",
  ...Array.from({ length: machines }, () => "later dpop.unused"),
]

/** Claims of one use at its end, the second before, and after: `true` only for whoever is first, and for whoever comes after the end. */
const ending = async ({ claim: claims }: ProofUses): Promise<ReadonlyArray<unknown>> => {
  const key = "k".repeat(43)
  const at = [now, now + 70, now + 71]
  const found: Array<unknown> = []
  for (const time of at) found.push(await claims(key, time + 71, time))
  return found
}

const fromFirstToLast = [true, false, true]

describe("RFC 9449 §11.1: of 16 requests with one proof at once, at machines that share their uses, one passes", () => {
  test("in a token store on SQLite, by two connections", async () => {
    const path = temporaryPath()
    const machines = [temporaryDatabase(path), temporaryDatabase(path)].map((database) => usesIn(sqliteTokenStore(database)))
    expect(await raced(machines)).toEqual(oneOf16(2))
  })

  test("in a token store on SQLite, by its writing thread", async () => {
    expect(await raced([usesIn(temporaryStores(temporaryPath(), { thread: true }).tokens)])).toEqual(oneOf16(1))
  })

  test("in a table of the API's own on SQLite", async () => {
    const path = temporaryPath()
    const machines = [new Database(path), new Database(path)].map((database, at): ProofUses => {
      onTestFinished(() => void database.close())
      if (at === 0) database.exec(table)
      const statement = database.prepare(claim.replace(/\$\d/g, "?"))
      return { claim: (key, until, time) => statement.all(key, until, time).length === 1 }
    })
    expect(await raced(machines)).toEqual(oneOf16(2))
    expect(await ending(machines[0] as ProofUses)).toEqual(fromFirstToLast)
  })
})

describe("RFC 9449 §11.1 on PostgreSQL", () => {
  const fresh = sharedDatabase()
  const pools: Array<Pool> = []
  afterAll(async () => {
    for (const pool of pools) await pool.end()
  })

  test("in a token store one passes", async () => {
    const database = await fresh()
    expect(await raced([postgresTokenStore(database), postgresTokenStore(database)].map(usesIn))).toEqual(oneOf16(2))
  })

  test("in a table of the API's own one passes; what has ended may come again, and is swept", async () => {
    const connectionString = await (await serverOfProcess()).database()
    const [first, second] = [new Pool({ connectionString }), new Pool({ connectionString })] as const
    pools.push(first, second)
    await first.query(table)
    const machines = [first, second].map((pool): ProofUses => ({
      claim: async (key, until, time) => (await pool.query(claim, [key, until, time])).rowCount === 1,
    }))
    expect(await raced(machines)).toEqual(oneOf16(2))
    expect(await ending(machines[0] as ProofUses)).toEqual(fromFirstToLast)
    await first.query(sweep, [now + 1_000])
    expect((await second.query("select key from proof_uses")).rowCount).toBe(0)
  })
})

describe.skipIf(!redisThere)("RFC 9449 §11.1 on Redis", () => {
  const fresh = sharedRedis()

  test("in a token store one passes", async () => {
    const send = await fresh()
    const machines = await Promise.all([redisStores(send), redisStores(send)])
    expect(await raced(machines.map(({ tokens }) => usesIn(tokens)))).toEqual(oneOf16(2))
  })

  test("by one key for each use, as docs/resource-servers.md has it, one passes", async () => {
    const send = await fresh()
    const sent: Array<ReadonlyArray<string>> = []
    // The server's own clock forgets the key: the tests' stands in another year.
    const ahead = Math.floor(Date.now() / 1000) - now
    const claims: ProofUses["claim"] = async (key, until) => {
      const command = ["SET", `proof:${key}`, "", "NX", "EXAT", String(until + ahead)]
      sent.push(command)
      return (await send(command)) === "OK"
    }
    expect(await raced([{ claim: claims }, { claim: claims }])).toEqual(oneOf16(2))
    expect(Number(await send(["EXPIRETIME", sent[0]?.[1] ?? ""]))).toBe(now + 71 + ahead)
  })
})
