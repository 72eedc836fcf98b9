import { saveAccessToken, saveGrant } from "@postern/core/model"
import { sampleAccessToken, sampleGrant, sampleLocator, sampleTime } from "@postern/core/testing"
import { objectStores, storeObject, type ObjectState, type Statement } from "@postern/adapter-cloudflare"
import { expect, it } from "vitest"
import { kinds } from "../support/rowsOfFeatures.ts"
import { bridgedObject } from "./bridge.ts"
import { sharedWorkerd } from "./places.ts"

const workerd = sharedWorkerd()
const alarmOf = async (name: string, at?: number): Promise<number | null> =>
  (await (await fetch(`${workerd().origin()}/alarm/${name}${at === undefined ? "" : `/${at}`}`, { method: "POST" })).json()) as
    | number
    | null

it("R8: an object sweeps by its own alarm, which is set at its first start and again after each", async () => {
  const { tokens } = await objectStores(() => bridgedObject(workerd().origin(), "swept"))
  const first = await alarmOf("swept")
  expect(first).toBeGreaterThan(Date.now() + 3_000_000)
  // Rows of a time long past, and one that is kept.
  const old = sampleTime - 1_000_000_000
  await tokens.commit([0, 1, 2].map((each) => saveAccessToken({ ...sampleAccessToken(each), keepUntil: old })))
  await tokens.commit([saveGrant({ ...sampleGrant(9), keepUntil: sampleTime + 1_000_000_000 })])
  await alarmOf("swept", Date.now())
  await expect.poll(async () => tokens.findAccessToken(sampleLocator(1)), { timeout: 20_000 }).toBeUndefined()
  expect(await tokens.findGrant(sampleLocator(9))).toBeDefined()
  await expect.poll(async () => (await alarmOf("swept")) ?? 0, { timeout: 20_000 }).toBeGreaterThan(Date.now() + 3_000_000)
}, 60_000)

it("law 13: one object's rows are not another's", async () => {
  const [one, other] = await Promise.all(
    ["tenant one", "tenant two"].map((name) => objectStores(() => bridgedObject(workerd().origin(), name))),
  )
  await one?.tokens.commit([saveGrant(sampleGrant(1))])
  expect([await one?.tokens.findGrant(sampleLocator(1)), await other?.tokens.findGrant(sampleLocator(1))]).toEqual([
    sampleGrant(1),
    undefined,
  ])
})

it("an alarm's own work takes the place of the sweep, and says by `more` that the next one comes soon", async () => {
  const alarms: Array<number> = []
  const storage: ObjectState["storage"] = {
    sql: { exec: () => ({ raw: () => [[1, 1]] }) },
    transactionSync: (run) => run(),
    getAlarm: async () => alarms.at(-1) ?? null,
    setAlarm: async (at) => void alarms.push(at),
  }
  let more = true
  const state: ObjectState = { storage, blockConcurrencyWhile: async (run) => run() }
  const { alarm } = storeObject(state, { kinds: [], every: 50_000, maintain: async () => ({ more }) })
  const before = Date.now()
  await alarm()
  more = false
  await alarm()
  expect(alarms.map((at) => Math.round((at - before) / 10_000))).toEqual([5, 0, 5])
})

it("an object that is overloaded has done nothing; of another failure nobody knows", async () => {
  const overloaded = Object.assign(new Error("Durable Object is overloaded."), { overloaded: true })
  let failure: Error = overloaded
  let broken = false
  const { tokens } = await objectStores(() => ({
    transact: async (statements) => {
      if (broken) throw failure
      return bridgedObject(workerd().origin(), "broken").transact(statements)
    },
  }))
  broken = true
  await expect(tokens.commit([saveGrant(sampleGrant(1))])).rejects.toMatchObject({ code: "OVERLOADED", uncertain: false })
  failure = new Error("Network connection lost.")
  await expect(tokens.commit([saveGrant(sampleGrant(1))])).rejects.toMatchObject({ code: "DISCONNECTED", uncertain: true })
})

it("no statement of any command of core's or of a feature's is beyond what D1 takes: 100 values, 100 KB", async () => {
  const all: Array<Statement> = []
  const { tokens } = await objectStores(
    () => ({
      transact: (statements) => {
        all.push(...statements)
        return { rows: statements.map(() => []) }
      },
    }),
    { kinds },
  )
  all.length = 0
  for (const kind of kinds)
    for (const event of Object.keys(kind.events)) await tokens.commit([{ table: kind.name, event, given: {}, row: {} }])
  expect(all.length).toBeGreaterThan(60)
  const most = Math.max(...all.map(({ values }) => values.length))
  expect(most).toBeGreaterThan(15)
  expect(most).toBeLessThan(40)
  expect(Math.max(...all.map(({ sql }) => sql.length))).toBeLessThan(10_000)
})
