import { describe, expect, it, vi } from "vitest"
import type { Trail } from "@postern/core/model"
import { sampleTime } from "@postern/core/testing"
import { sqliteTrails } from "@postern/adapter-sqlite"
import { temporaryDatabase } from "./support.ts"

const trail = (requestId: string, told: Partial<Trail> = {}): Trail => ({
  requestId,
  at: sampleTime,
  endpoint: "token",
  clientId: undefined,
  subject: undefined,
  steps: [
    {
      table: "code",
      passed: ["code.known"],
      refused: { rule: "code.unused", cites: "RFC 6749 §4.1.2", answer: "invalid_grant", reason: "replayed" },
    },
  ],
  outcome: "Refuse",
  status: 400,
  fault: undefined,
  ...told,
})

describe("trails", () => {
  it("a recorded trail is found by its request id, as it was, at once", () => {
    const trails = sqliteTrails(temporaryDatabase())
    const told = trail("one", { clientId: "client", fault: "the store is locked" })
    trails.record(() => told, true)
    trails.record(() => trail("two"), true)
    expect(trails.find("one")).toStrictEqual(told)
    expect(trails.find("two")).toStrictEqual(trail("two"))
    expect(trails.find("three")).toBeUndefined()
  })

  it("those of a client are found since a moment, oldest first, and nobody else's", () => {
    const trails = sqliteTrails(temporaryDatabase())
    const tell = (requestId: string, clientId: string | undefined, at: number): void =>
      trails.record(() => trail(requestId, { clientId, at }), true)
    tell("before", "web", sampleTime - 1)
    tell("one", "web", sampleTime)
    tell("other", "other", sampleTime)
    tell("nobody", undefined, sampleTime)
    tell("two", "web", sampleTime + 1)
    expect(trails.ofClient("web", sampleTime).map(({ requestId }) => requestId)).toEqual(["one", "two"])
    expect(trails.ofClient("none", 0)).toEqual([])
  })

  it("only refused requests leave one unless all are wanted; off leaves none, and none is spelled out in vain", () => {
    const spelled: Array<string> = []
    const told = (id: string) => () => {
      spelled.push(id)
      return trail(id)
    }
    for (const [policy, kept] of [
      ["refused", ["no"]],
      ["all", ["yes", "no"]],
      ["off", []],
    ] as const) {
      spelled.length = 0
      const trails = sqliteTrails(temporaryDatabase(), { policy })
      trails.record(told("yes"), false)
      trails.record(told("no"), true)
      expect(spelled).toEqual([])
      void trails.flush()
      expect(spelled).toEqual(kept)
    }
  })

  it("they are written together after a moment, and at once when 200 wait", () => {
    vi.useFakeTimers()
    try {
      const database = temporaryDatabase()
      const count = database.prepare("SELECT count(*) FROM trails").pluck()
      const trails = sqliteTrails(database)
      for (let each = 0; each < 10; each++) trails.record(() => trail(`few ${each}`), true)
      vi.advanceTimersByTime(199)
      expect(count.get()).toBe(0)
      vi.advanceTimersByTime(1)
      expect(count.get()).toBe(10)
      for (let each = 0; each < 250; each++) trails.record(() => trail(`many ${each}`), true)
      expect(count.get()).toBe(10)
      vi.advanceTimersByTime(1)
      expect(count.get()).toBe(260)
    } finally {
      vi.useRealTimers()
    }
  })

  it("when they come faster than they can be written the oldest are given up and counted", () => {
    const database = temporaryDatabase()
    const trails = sqliteTrails(database)
    for (let each = 0; each < 2500; each++) trails.record(() => trail(`request ${each}`), true)
    expect(trails.dropped()).toBe(500)
    expect(trails.find("request 499")).toBeUndefined()
    expect(trails.find("request 500")).toBeDefined()
    expect(trails.find("request 2499")).toBeDefined()
  })

  it("a trail that cannot be told is given up and counted, and those beside it are kept", () => {
    const trails = sqliteTrails(temporaryDatabase())
    trails.record(() => trail("before"), true)
    trails.record(() => {
      throw new Error("a defect")
    }, true)
    trails.record(() => trail("after"), true)
    void trails.flush()
    expect([trails.find("before"), trails.find("after")].every(Boolean)).toBe(true)
    expect(trails.dropped()).toBe(1)
  })

  it("of two trails of one request the last counts", () => {
    const trails = sqliteTrails(temporaryDatabase())
    trails.record(() => trail("one"), true)
    trails.record(() => trail("one", { status: 401 }), true)
    expect(trails.find("one")?.status).toBe(401)
  })

  it("a sweep drops those over the number and those over the age, some hundreds at a time", () => {
    const trails = sqliteTrails(temporaryDatabase(), { most: 1000, age: 100 })
    for (let each = 0; each < 1800; each++) trails.record(() => trail(`request ${each}`, { at: sampleTime + (each < 1400 ? 0 : 50) }), true)
    void trails.flush()
    expect([trails.sweep(sampleTime), trails.sweep(sampleTime), trails.sweep(sampleTime)]).toEqual([500, 300, 0])
    expect(trails.sweep(sampleTime + 120)).toBe(500)
    expect(trails.sweep(sampleTime + 120)).toBe(100)
    expect(trails.sweep(sampleTime + 149)).toBe(0)
    expect(trails.find("request 1400")).toBeDefined()
    expect(trails.find("request 1399")).toBeUndefined()
  })
})
