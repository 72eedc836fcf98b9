import { inMemory, sqliteAudit, sqliteTrails } from "@postern/adapter-sqlite"
import { KeyUnreadable, keyEncryption } from "@postern/core/jose"
import type { AuditEvent, Trail } from "@postern/core/model"
import { sampleTime } from "@postern/core/testing"
import { AlreadyExists, DatabaseRefused, NotFound, StoreUnavailable } from "@postern/stores"
import type { AuditRow, TrailRow } from "@postern/stores/rows"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { auditEventOf, auditLimits, auditQueue } from "../../packages/stores/src/audit/audit.ts"
import { auditedClients, auditedKeys, auditedPeople } from "../../packages/stores/src/audit/operators.ts"
import { accountKeyIn } from "../../packages/stores/src/ownSecrets.ts"
import { trailLimits, trailOf, trailQueue } from "../../packages/stores/src/trails/trails.ts"
import { temporaryDatabase } from "../store/support.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const absentOfEvent = {
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
}
const event = (told: Partial<AuditEvent> & Pick<AuditEvent, "event">): AuditEvent => ({ ...absentOfEvent, at: sampleTime, ...told })
const any = { most: 100 }

/** The operation and the code of a store's failure. */
const failure = (run: () => unknown): unknown => {
  try {
    run()
  } catch (error) {
    return error instanceof StoreUnavailable ? [error.operation, error.code] : String(error)
  }
  return "nothing failed"
}

describe("audit events", () => {
  test("are kept for ninety days and a million at most, unless it is said otherwise", () => {
    expect([auditLimits(), auditLimits({ age: 5 }), auditLimits({ most: 7 })]).toEqual([
      { age: 7_776_000, most: 1_000_000 },
      { age: 5, most: 1_000_000 },
      { age: 7_776_000, most: 7 },
    ])
  })

  test("are found again as they were, by name, client, person and time, the latest of many in their order", () => {
    const audit = sqliteAudit(temporaryDatabase(inMemory))
    const all = [
      event({ event: "sign_in", subject: "alice", detail: "pwd" }),
      event({ event: "token_issued", clientId: "web", subject: "alice", scope: ["openid"], at: sampleTime + 10 }),
      event({ event: "token_issued", clientId: "machine", at: sampleTime + 20 }),
    ]
    audit.record(() => all)
    expect(audit.list(any)).toStrictEqual(all)
    expect(audit.list({ ...any, event: "token_issued" })).toStrictEqual(all.slice(1))
    expect(audit.list({ ...any, clientId: "machine" })).toStrictEqual([all[2]])
    expect(audit.list({ ...any, subject: "alice" })).toStrictEqual(all.slice(0, 2))
    expect([audit.list({ ...any, since: sampleTime + 20 }), audit.list({ most: 2 })]).toStrictEqual([[all[2]], all.slice(1)])
    expect(auditEventOf('{"event":"sign_in","at":1}')).toStrictEqual({ ...absentOfEvent, event: "sign_in", at: 1 })
  })

  test("are spelled out at once and written a moment later, each in at most 4 KiB: of long ones the scopes and the detail are cut", () => {
    const written: Array<AuditRow> = []
    const queue = auditQueue((rows) => void written.push(...rows))
    const spelled = vi.fn(() => [event({ event: "sign_in", subject: "alice" })])
    queue.record(spelled)
    expect([spelled.mock.calls.length, written.length]).toEqual([1, 0])
    const scope = Array.from({ length: 30 }, (_, at) => `${at} ${"s".repeat(200)}`)
    // Of the longest that is whole, one letter more is too long.
    const frame = JSON.stringify(event({ event: "sign_in", clientId: "é", detail: "" }))
    const room = 4096 - Buffer.byteLength(frame)
    const long = (length: number) => event({ event: "sign_in", clientId: "é", detail: "d".repeat(length) })
    queue.record(() => [long(room), long(room + 1), event({ event: "token_issued", scope, detail: "d".repeat(400) })])
    queue.record(() => [event({ event: "token_issued", clientId: "c", scope })])
    void queue.flush()
    expect(written.map(([at, name, clientId, subject]) => [at, name, clientId, subject])).toEqual([
      [sampleTime, "sign_in", null, "alice"],
      [sampleTime, "sign_in", "é", null],
      [sampleTime, "sign_in", "é", null],
      [sampleTime, "token_issued", null, null],
      [sampleTime, "token_issued", "c", null],
    ])
    const read = written.map(([, , , , content]) => auditEventOf(content))
    expect(read.map(({ detail }) => detail?.length)).toEqual([undefined, room, 300, 300, undefined])
    expect([read[1]?.scope, read[3]?.scope?.length, read[3]?.scope?.map((each) => each.length)]).toEqual([
      undefined,
      10,
      Array(10).fill(60),
    ])
    expect(Math.max(...written.map(([, , , , content]) => Buffer.byteLength(content)))).toBe(4096)
    expect(queue.dropped()).toBe(0)
  })

  test("leave over age or over number, five hundred at a time, and a look that drops none takes no lock", () => {
    const database = temporaryDatabase(inMemory)
    const count = database.prepare("SELECT count(*) FROM audit_events").pluck()
    const audit = sqliteAudit(database, { age: 100, most: 650 })
    audit.record(() => Array.from({ length: 700 }, (_, at) => event({ event: "sign_in", at: sampleTime + (at < 600 ? 0 : 50) })))
    void audit.flush()
    expect([audit.sweep(sampleTime), audit.sweep(sampleTime), count.get()]).toEqual([50, 0, 650])
    database.pragma("query_only = ON")
    expect(audit.sweep(sampleTime + 99)).toBe(0)
    database.pragma("query_only = OFF")
    expect([audit.sweep(sampleTime + 100), audit.sweep(sampleTime + 100), audit.sweep(sampleTime + 149), count.get()]).toEqual([
      500, 50, 0, 100,
    ])
    expect([audit.sweep(sampleTime + 150), count.get()]).toEqual([100, 0])
  })

  test("are written by another where one is named, and counted where the database cannot take them", () => {
    const writeRows = vi.fn()
    const audit = sqliteAudit(temporaryDatabase(inMemory), auditLimits(), writeRows)
    audit.record(() => [event({ event: "sign_in" })])
    void audit.flush()
    expect(writeRows.mock.calls.map(([rows]) => (rows as ReadonlyArray<AuditRow>).map(([, name]) => name))).toEqual([["sign_in"]])
    const database = temporaryDatabase(inMemory)
    const closed = sqliteAudit(database)
    database.close()
    expect([failure(() => closed.list(any)), failure(() => closed.sweep(1))]).toEqual([
      ["read audit events", "CLOSED"],
      ["sweep audit events", "CLOSED"],
    ])
    for (let each = 0; each < 2001; each++) closed.record(() => [event({ event: "sign_in" })])
    expect(closed.dropped()).toBe(1)
  })
})

describe("audit events of operators", () => {
  const listening = () => {
    const told: Array<AuditEvent> = []
    return { told, audit: { record: (events: () => ReadonlyArray<AuditEvent>) => void told.push(...events()) }, now: () => sampleTime }
  }
  const all = (told: ReadonlyArray<AuditEvent>) => told.map((each) => [each.event, each.clientId ?? each.subject, each.detail])

  test("tell of clients added, changed and removed, and of nothing that did not happen", async () => {
    const { told, audit, now } = listening()
    const added = vi.fn(async () => undefined)
    let puts: "added" | "replaced" = "added"
    const clients = auditedClients(
      {
        add: added,
        put: async () => puts,
        remove: async (id: string) => id === "web",
        upsertFromConfig: async () => ({ added: ["a"], changed: ["b"], removed: ["c"], unchanged: ["d"] }),
        list: async () => [],
      } as never,
      audit,
      now,
    )
    await clients.add({ client_id: "web", client_secret: "a client's secret" })
    expect([await clients.put({ client_id: "spa" }), (puts = "replaced"), await clients.put({ client_id: "spa" })]).toEqual([
      "added",
      "replaced",
      "replaced",
    ])
    expect([await clients.remove("web"), await clients.remove("nobody"), await clients.list()]).toEqual([true, false, []])
    expect(await clients.upsertFromConfig([])).toMatchObject({ unchanged: ["d"] })
    expect(all(told)).toEqual([
      ["client_added", "web", undefined],
      ["client_added", "spa", undefined],
      ["client_changed", "spa", undefined],
      ["client_removed", "web", undefined],
      ["client_added", "a", "configuration"],
      ["client_changed", "b", "configuration"],
      ["client_removed", "c", "configuration"],
    ])
    expect(told[0]).toEqual(event({ event: "client_added", clientId: "web" }))
    added.mockRejectedValueOnce(new Error("there is one"))
    await expect(clients.add({ client_id: "web" })).rejects.toThrow("there is one")
    expect(told.length).toBe(7)
  })

  test("tell of people by their subjects, before they are gone and after they came", async () => {
    const { told, audit, now } = listening()
    const there = new Map([["alice", "s-1"]])
    const change = vi.fn(async () => undefined)
    const people = auditedPeople(
      {
        add: async ({ username }: { username: string }) => (there.set(username, "s-2"), { subject: "s-2" }),
        disable: change,
        enable: change,
        setPassword: change,
        remove: async (username: string) => {
          if (!there.delete(username)) throw new Error(`there is no user ${username}`)
        },
        show: async (username: string) => (there.has(username) ? { subject: there.get(username) } : undefined),
        list: async () => [...there].map(([username, subject]) => ({ username: username.toUpperCase(), subject })),
        upsertFromConfig: async () => {
          there.delete("bob")
          there.set("carol", "s-3")
          return { added: ["Carol"], changed: ["ALICE"], removed: ["bob"], unchanged: [] }
        },
        find: () => undefined,
      } as never,
      audit,
      now,
    )
    expect(await people.add({ username: "bob", password: "a person's password" })).toEqual({ subject: "s-2" })
    await people.disable("alice")
    await people.enable("alice")
    await people.setPassword("alice", "another password")
    expect(change.mock.calls).toEqual([["alice"], ["alice"], ["alice", "another password"]])
    expect(await people.upsertFromConfig([])).toMatchObject({ added: ["Carol"] })
    await people.remove("alice")
    expect(await people.find("s-1")).toBeUndefined()
    await expect(people.remove("nobody")).rejects.toThrow("there is no user nobody")
    expect(all(told)).toEqual([
      ["user_added", "s-2", undefined],
      ["user_changed", "s-1", "disabled"],
      ["user_changed", "s-1", "enabled"],
      ["user_changed", "s-1", "password"],
      ["user_added", "s-3", "configuration"],
      ["user_changed", "s-1", "configuration"],
      ["user_removed", "s-2", "configuration"],
      ["user_removed", "s-1", undefined],
    ])
    expect(JSON.stringify(told)).not.toMatch(/password"?:|person's|another/)
  })

  test("tell of keys that were added, and of none where others were faster", async () => {
    const { told, audit, now } = listening()
    let outcome: "Committed" | "Conflict" = "Committed"
    const add = vi.fn(async () => outcome)
    const keys = auditedKeys({ add, list: () => [] } as never, audit, now)
    const key = { alg: "ES256", kid: "k1" } as never
    expect(await keys.add([key], ["k0"])).toBe("Committed")
    outcome = "Conflict"
    expect([await keys.add([{ alg: "ES256", kid: "k2" } as never], []), await keys.list()]).toEqual(["Conflict", []])
    expect([add.mock.calls[0], all(told)]).toEqual([[[key], ["k0"]], [["key_added", undefined, "ES256 k1"]]])
  })
})

describe("trails", () => {
  const trail = (requestId: string, told: Partial<Trail> = {}): Trail => ({
    requestId,
    at: sampleTime,
    endpoint: "token",
    clientId: undefined,
    subject: undefined,
    steps: [],
    outcome: "Refuse",
    status: 400,
    fault: undefined,
    ...told,
  })

  test("are kept for a week and twenty thousand at most, unless it is said otherwise", () => {
    expect([trailLimits({}), trailLimits({ most: 5 }), trailLimits({ age: 7 })]).toEqual([
      { most: 20_000, age: 604_800 },
      { most: 5, age: 604_800 },
      { most: 20_000, age: 7 },
    ])
  })

  test.each([
    [undefined, ["no"]],
    ["refused", ["no"]],
    ["all", ["yes", "no"]],
    ["off", []],
  ] as const)("are left by the requests that the policy names, %s, and spelled out when they are written", (policy, kept) => {
    const written: Array<TrailRow> = []
    const spelled: Array<string> = []
    const { record, flush, dropped } = trailQueue(policy === undefined ? {} : { policy }, (rows) => void written.push(...rows))
    for (const [id, refused] of [
      ["yes", false],
      ["no", true],
    ] as const)
      record(() => (spelled.push(id), trail(id)), refused)
    expect(spelled).toEqual([])
    void flush()
    expect([spelled, written.map(([id, at, refused]) => [id, at, refused]), dropped()]).toEqual([
      kept,
      kept.map((id) => [id, sampleTime, id === "no" ? 1 : 0]),
      0,
    ])
  })

  test("are found as they were, the last of a request, at once", () => {
    const database = temporaryDatabase(inMemory)
    const trails = sqliteTrails(database)
    const told = trail("one", { clientId: "web", fault: "locked" })
    trails.record(() => trail("one"), true)
    trails.record(() => trail("two"), true)
    trails.record(() => told, true)
    expect([trails.find("one"), trails.find("two"), trails.find("three")]).toStrictEqual([told, trail("two"), undefined])
    expect(trailOf('{"requestId":"a"}')).toStrictEqual({ requestId: "a", clientId: undefined, subject: undefined, fault: undefined })
    expect(trails.dropped()).toBe(0)
    database.close()
    expect([failure(() => trails.find("one")), failure(() => trails.sweep(1))]).toEqual([
      ["read a trail", "CLOSED"],
      ["sweep trails", "CLOSED"],
    ])
    const writeRows = vi.fn()
    const elsewhere = sqliteTrails(temporaryDatabase(inMemory), {}, writeRows)
    elsewhere.record(() => trail("one"), true)
    void elsewhere.flush()
    expect(writeRows.mock.calls.length).toBe(1)
  })

  test("leave over number or over age, five hundred at a time", () => {
    const database = temporaryDatabase(inMemory)
    const trails = sqliteTrails(database, { most: 1000, age: 100 })
    for (let each = 0; each < 1800; each++) {
      trails.record(() => trail(`request ${each}`, { at: sampleTime + (each < 1400 ? 0 : 50) }), true)
      if (each % 500 === 0) void trails.flush()
    }
    void trails.flush()
    while (trails.find("request 1799") === undefined) vi.advanceTimersByTime(1)
    expect([trails.sweep(sampleTime), trails.sweep(sampleTime)]).toEqual([500, 300])
    database.pragma("query_only = ON")
    expect(trails.sweep(sampleTime), "nothing is due: no lock is taken").toBe(0)
    database.pragma("query_only = OFF")
    expect([trails.sweep(sampleTime + 99), trails.sweep(sampleTime + 100), trails.sweep(sampleTime + 100)]).toEqual([0, 500, 100])
    expect([trails.find("request 1399"), trails.find("request 1400")?.requestId]).toEqual([undefined, "request 1400"])
  })
})

describe("the key that accounts are hashed with", () => {
  const keeping = () => {
    const kept = new Map<string, string>()
    return { kept, keep: (name: string, value: string) => (kept.has(name) || kept.set(name, value), kept.get(name) ?? "") }
  }
  const encryption = keyEncryption("A".repeat(43))

  test("is 256 bits of chance, drawn once and kept under its name", async () => {
    const { kept, keep } = keeping()
    const [one, two] = [await accountKeyIn(keep, undefined), await accountKeyIn(keep, undefined)]
    expect([one.reveal() === two.reveal(), [...kept.keys()]]).toEqual([true, ["account key"]])
    expect(one.reveal()).toMatch(/^\{"k":"[\w-]{43}"\}$/)
    expect((await accountKeyIn(keeping().keep, undefined)).reveal()).not.toBe(one.reveal())
    expect((await accountKeyIn(keep, encryption)).reveal(), "one that was kept in the open is read so").toBe(one.reveal())
  })

  test("is kept sealed where there is a key-encryption key, and opened by no other", async () => {
    const { kept, keep } = keeping()
    const key = (await accountKeyIn(keep, encryption)).reveal()
    expect([kept.get("account key")?.includes(key.slice(6, 40)), (await accountKeyIn(keep, encryption)).reveal()]).toEqual([false, key])
    await expect(accountKeyIn(keep, undefined)).rejects.toMatchObject({
      name: "KeyUnreadable",
      message: "signing key account key is sealed with a key-encryption key, and none is configured",
    })
    await expect(accountKeyIn(keep, keyEncryption("B".repeat(43)))).rejects.toBeInstanceOf(KeyUnreadable)
  })
})

describe("failures of a store", () => {
  test("tell whether it is known that nothing was done", () => {
    const uncertain = (code: string) => new StoreUnavailable("commit", code).uncertain
    expect(["LOST", "DISCONNECTED", "TIMEOUT", "08000", "08006", "40003"].map(uncertain)).toEqual(Array(6).fill(true))
    expect(["SQLITE_BUSY", "CLOSED", "OVERLOADED", "40001", "0800", "080000", "X08006", "XLOST", "LOSTX", "140003"].map(uncertain)).toEqual(
      Array(10).fill(false),
    )
    expect([new AlreadyExists("there is one").name, new NotFound("there is none").name]).toEqual(["AlreadyExists", "NotFound"])
    const cause = new Error("why")
    expect(new StoreUnavailable("read a grant", "CLOSED", cause)).toMatchObject({
      name: "StoreUnavailable",
      message: "the store cannot read a grant now (CLOSED)",
      cause,
    })
    expect(new DatabaseRefused("a.db", "newer", "is of a later version", cause)).toMatchObject({
      name: "DatabaseRefused",
      message: "a.db: is of a later version",
      reason: "newer",
      place: "a.db",
      cause,
    })
  })
})
