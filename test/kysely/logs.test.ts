import { kyselyStores } from "@postern/adapter-kysely"
import type { AuditEvent, Trail } from "@postern/core/model"
import { sampleTime } from "@postern/core/testing"
import { CompiledQuery } from "kysely"
import { describe, expect, test } from "vitest"
import { places, sharedStores } from "./databases.ts"

const trail = (requestId: string, told: Partial<Trail> = {}): Trail => ({
  requestId,
  at: sampleTime,
  endpoint: "token",
  clientId: undefined,
  subject: "ann\u0000",
  steps: [],
  outcome: "Refuse",
  status: 400,
  fault: undefined,
  ...told,
})

const event = (told: Partial<AuditEvent> & Pick<AuditEvent, "event">): AuditEvent => ({
  at: sampleTime,
  requestId: undefined,
  endpoint: undefined,
  address: undefined,
  clientId: undefined,
  subject: undefined,
  account: undefined,
  sessionId: undefined,
  grantId: undefined,
  scope: undefined,
  detail: undefined,
  ...told,
})

for (const [name, isThere, open] of places) {
  describe.skipIf(!isThere)(`trails and audit events over Kysely on ${name}`, () => {
    const fresh = sharedStores(open)
    /** Two processes on one database. */
    const two = async (options: Partial<Parameters<typeof kyselyStores>[1]>) => {
      const { place, kysely } = await fresh()
      const stores = () => kyselyStores(kysely, { dialect: place.dialect, hashing: { memoryCost: 64, timeCost: 1 }, ...options })
      const count = async (table: string) =>
        Number((await kysely.executeQuery<{ n: unknown }>(CompiledQuery.raw(`SELECT count(*) AS n FROM ${table}`))).rows[0]?.n)
      return [await stores(), await stores(), count] as const
    }

    test("a trail that one process noted is found by another as it was, and of two of one request the last", async () => {
      const [here, there] = await two({})
      here.trails.record(() => trail("one", { status: 401 }), true)
      here.trails.record(() => trail("one", { clientId: "web", fault: "locked" }), true)
      here.trails.record(() => trail("fine"), false)
      await here.trails.flush()
      here.trails.record(() => trail("two"), true)
      here.trails.record(() => trail("two", { status: 403 }), true)
      await here.trails.flush()
      expect(await there.trails.find("one")).toStrictEqual(trail("one", { clientId: "web", fault: "locked" }))
      expect((await there.trails.find("two"))?.status).toBe(403)
      expect(await there.trails.find("fine")).toBeUndefined()
      expect(here.trails.dropped()).toBe(0)
    })

    test("trails of a client are found since a moment, oldest first, behind more than one slice of others'", async () => {
      const [here, there] = await two({ trails: { policy: "all" } })
      here.trails.record(() => trail("before", { clientId: "web", at: sampleTime - 1 }), true)
      for (let each = 0; each < 1100; each++) here.trails.record(() => trail(`request ${each}`, { clientId: "other" }), false)
      for (const requestId of ["first", "second"]) here.trails.record(() => trail(requestId, { clientId: "web" }), true)
      await here.trails.flush()
      const found = await there.trails.ofClient("web", sampleTime)
      expect(found.map(({ requestId }) => requestId)).toEqual(["first", "second"])
      expect(await there.trails.ofClient("nobody", 0)).toEqual([])
    })

    test("both leave over age and over number, five hundred at a time, by the sweep of the stores too", async () => {
      const [here, there, count] = await two({ trails: { most: 1000, age: 100 }, audit: { store: true, age: 100, most: 5 } })
      for (let each = 0; each < 1800; each++)
        here.trails.record(() => trail(`request ${each}`, { at: sampleTime + (each < 1400 ? 0 : 50) }), true)
      await here.trails.flush()
      expect([await there.trails.sweep(sampleTime), await there.trails.sweep(sampleTime), await there.trails.sweep(sampleTime)]).toEqual([
        500, 300, 0,
      ])
      expect([await there.trails.find("request 799"), (await there.trails.find("request 800"))?.requestId]).toEqual([
        undefined,
        "request 800",
      ])
      expect([await there.trails.sweep(sampleTime + 99), await there.trails.sweep(sampleTime + 100)]).toEqual([0, 500])
      for (let each = 0; each < 12; each++) here.audit.record(() => [event({ event: "sign_in", subject: `s${each}` })])
      await here.audit.flush()
      while ((await there.sweep(sampleTime)).more);
      expect((await there.audit.list({ most: 10 })).map(({ subject }) => subject)).toEqual(["s7", "s8", "s9", "s10", "s11"])
      while ((await there.sweep(sampleTime + 150)).more);
      expect([await count("postern_trails"), await count("postern_audit_events")]).toEqual([0, 0])
    })

    test("audit events are found as they were, by name, client, person and time, the latest of many in their order", async () => {
      const [here, there] = await two({ audit: { store: true } })
      const all = [
        event({ event: "sign_in", subject: "ann\u0000", detail: "pwd" }),
        event({ event: "token_issued", clientId: "web", subject: "ann\u0000", scope: ["openid"], at: sampleTime + 10 }),
        event({ event: "token_issued", clientId: "machine", at: sampleTime + 20 }),
      ]
      here.audit.record(() => all)
      await here.audit.flush()
      const list = (query: Partial<Parameters<typeof there.audit.list>[0]>) => there.audit.list({ most: 100, ...query })
      expect(await list({})).toStrictEqual(all)
      expect(await list({ event: "token_issued" })).toStrictEqual(all.slice(1))
      expect(await list({ clientId: "machine", subject: undefined })).toStrictEqual([all[2]])
      expect(await list({ subject: "ann\u0000", event: "sign_in" })).toStrictEqual([all[0]])
      expect([await list({ since: sampleTime + 20 }), await list({ most: 2 })]).toStrictEqual([[all[2]], all.slice(1)])
    })

    test("changes of clients by operators are told where they are asked for, and by default not", async () => {
      const [told] = await two({ audit: { store: true } })
      const [untold] = await two({})
      await told.clients.put({ client_id: "told" })
      await untold.clients.put({ client_id: "untold" })
      await untold.audit.flush()
      expect((await told.audit.list({ most: 10 })).map(({ event: is, clientId }) => [is, clientId])).toEqual([["client_added", "told"]])
    })
  })
}
