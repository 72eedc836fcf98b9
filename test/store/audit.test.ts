import { describe, expect, it, vi } from "vitest"
import { generateKey } from "@postern/core/jose"
import type { AuditEvent } from "@postern/core/model"
import { sampleTime } from "@postern/core/testing"
import { batches } from "../../packages/stores/src/trails/batches.ts"
import { temporaryDatabase, temporaryPath, temporaryStores } from "./support.ts"

const event = (told: Partial<AuditEvent> & Pick<AuditEvent, "event">): AuditEvent => ({
  at: sampleTime,
  requestId: "0VbcifXjTw3YW08Q",
  endpoint: "token",
  address: "192.0.2.1",
  clientId: undefined,
  subject: undefined,
  account: undefined,
  sessionId: undefined,
  grantId: undefined,
  scope: undefined,
  detail: undefined,
  ...told,
})
const any = { event: undefined, clientId: undefined, subject: undefined, since: undefined, most: 100 }
const kept = { audit: { store: true } }

describe("audit events in SQLite", () => {
  it("are listed as they were, oldest first, by name, client, person and time, the latest of many", () => {
    const { audit } = temporaryStores()
    const all = [
      event({ event: "sign_in", subject: "alice", detail: "pwd" }),
      event({ event: "token_issued", clientId: "web", subject: "alice", scope: ["openid"], at: sampleTime + 10 }),
      event({ event: "token_issued", clientId: "machine", at: sampleTime + 20 }),
    ]
    audit.record(() => all.slice(0, 2))
    audit.record(() => all.slice(2))
    expect(audit.list(any)).toStrictEqual(all)
    expect(audit.list({ ...any, event: "token_issued" })).toStrictEqual(all.slice(1))
    expect(audit.list({ ...any, clientId: "machine" })).toStrictEqual([all[2]])
    expect(audit.list({ ...any, subject: "alice" })).toStrictEqual(all.slice(0, 2))
    expect(audit.list({ ...any, since: sampleTime + 20 })).toStrictEqual([all[2]])
    expect(audit.list({ ...any, most: 1 })).toStrictEqual([all[2]])
  })

  it("leave after their time, some hundreds at a time", async () => {
    const path = temporaryPath()
    const { audit, sweep } = temporaryStores(path, { audit: { store: true, age: 100 } })
    for (let each = 0; each < 700; each++) audit.record(() => [event({ event: "sign_in", at: sampleTime + (each < 600 ? 0 : 50) })])
    await audit.flush()
    const count = temporaryDatabase(path).prepare("SELECT count(*) FROM audit_events").pluck()
    await sweep(sampleTime + 99)
    expect(count.get()).toBe(700)
    expect((await sweep(sampleTime + 100)).more).toBe(true)
    await sweep(sampleTime + 100)
    expect(count.get()).toBe(100)
    await sweep(sampleTime + 150)
    expect(count.get()).toBe(0)
  })

  it.each([
    ["by the process", false],
    ["by the thread", true],
  ])("leave by number too, %s, the oldest first, and each takes at most 4 KiB", async (_, thread) => {
    const path = temporaryPath()
    const { audit, sweep } = temporaryStores(path, { audit: { store: true, most: 100 }, thread })
    const huge = { scope: Array.from({ length: 3000 }, (_each, at) => `scope ${at} `.repeat(20)), detail: "d".repeat(50_000) }
    for (let each = 0; each < 800; each++)
      audit.record(() => [event({ event: "sign_in", subject: `s${each}`, ...(each > 790 ? huge : {}) })])
    await audit.flush()
    const look = temporaryDatabase(path)
    const count = look.prepare("SELECT count(*) FROM audit_events").pluck()
    expect(count.get()).toBe(800)
    await sweep(sampleTime)
    expect(count.get()).toBe(300)
    await sweep(sampleTime)
    await sweep(sampleTime)
    const left = audit.list({ ...any, most: 1000 })
    expect(left.map(({ subject }) => subject)).toEqual(Array.from({ length: 100 }, (_each, at) => `s${at + 700}`))
    expect(Number(look.prepare("SELECT max(length(CAST(content AS BLOB))) FROM audit_events").pluck().get())).toBeLessThanOrEqual(4096)
    expect(left.at(-1)?.scope?.[0]).toMatch(/^scope 0 scope 0/)
  })

  it("of operators: clients and people added, changed and removed, never what they typed", async () => {
    const { audit, clients, people, keys } = temporaryStores(temporaryPath(), kept)
    await clients.add({ client_id: "one", client_secret: "a client's secret" })
    await clients.put({ client_id: "one", client_name: "One" })
    await clients.remove("one")
    await clients.remove("one")
    await clients.upsertFromConfig([{ client_id: "declared" }])
    const { subject } = await people.add({ username: "alice", password: "a person's password" })
    await people.disable("alice")
    await people.enable("alice")
    await people.setPassword("alice", "another password")
    await people.remove("alice")
    await people.upsertFromConfig([{ username: "bob", subject: "sub-bob", password: "x" }])
    await people.upsertFromConfig([])
    const key = await generateKey("ES256", { createdAt: sampleTime, activeAt: sampleTime }, undefined)
    await keys.add([key], [])
    expect(await keys.add([key], [])).toBe("Conflict")
    const told = audit.list(any)
    expect(told.map((each) => [each.event, each.clientId ?? each.subject, each.detail])).toEqual([
      ["client_added", "one", undefined],
      ["client_changed", "one", undefined],
      ["client_removed", "one", undefined],
      ["client_added", "declared", "configuration"],
      ["user_added", subject, undefined],
      ["user_changed", subject, "disabled"],
      ["user_changed", subject, "enabled"],
      ["user_changed", subject, "password"],
      ["user_removed", subject, undefined],
      ["user_added", "sub-bob", "configuration"],
      ["user_removed", "sub-bob", "configuration"],
      ["key_added", undefined, `ES256 ${key.kid}`],
    ])
    expect(JSON.stringify(told)).not.toMatch(/secret|a person's|another password/)
  })

  it("are written once, however slow the writing: a flush joins the batch that is under way", async () => {
    const written: Array<ReadonlyArray<string>> = []
    let done = (): void => undefined
    const slow = batches(
      (item: string) => item,
      (rows) => {
        written.push(rows)
        return new Promise<void>((resolve) => (done = resolve))
      },
    )
    vi.useFakeTimers()
    try {
      slow.add("one")
      const first = slow.flush()
      slow.add("two")
      await vi.advanceTimersByTimeAsync(1000)
      const second = slow.flush()
      done()
      await vi.advanceTimersByTimeAsync(1000)
      done()
      await Promise.all([first, second])
      expect(written).toEqual([["one"], ["two"]])
    } finally {
      vi.useRealTimers()
    }
  })

  it("are written by the thread too, and not at all where nobody asked for them", async () => {
    const path = temporaryPath()
    const threaded = temporaryStores(path, { ...kept, thread: true })
    threaded.audit.record(() => [event({ event: "sign_in" })])
    await threaded.audit.flush()
    expect(temporaryStores(path).audit.list(any)).toHaveLength(1)
    const plain = temporaryStores()
    await plain.clients.add({ client_id: "one" })
    expect(plain.audit.list(any)).toEqual([])
  })
})
