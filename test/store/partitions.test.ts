import { defaultFeatures, registration, rowKindsOf } from "@postern/core"
import { memoryTokenStore } from "@postern/core/memory"
import { attempts, countAttempt, outbox, reserveAttempt, rowKind, saveConsent, saveGrant, addMessage } from "@postern/core/model"
import { inPartition, isPartitionName, partitioned, partitionOf, type TokenStorePort } from "@postern/core/ports"
import { sampleConsent, sampleGrant, sampleLocator, sampleTime, tokenStoreContract } from "@postern/core/testing"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { codePoint } from "../properties/codePoint.ts"
import { runs } from "../tiers/tier.ts"
import { ownRowsAlone } from "./partitions.ts"
import { sqliteSubject, temporaryDatabase } from "./support.ts"

describe("several issuers in one store", () => {
  it("in memory: no read of one is answered by a row of another, whatever they commit", async () => {
    const met = { commits: 0, conflicts: 0 }
    const fresh = async () => {
      const tokens = memoryTokenStore()
      return { tokens, sweep: tokens.sweep }
    }
    await fc.assert(ownRowsAlone(fresh, met), { numRuns: runs(2000, 200) })
    expect(Math.min(met.commits, met.conflicts)).toBeGreaterThan(runs(1000, 50))
  }, 240_000)

  it("in SQLite: no read of one is answered by a row of another, whatever they commit", async () => {
    const met = { commits: 0, conflicts: 0 }
    const fresh = async () => {
      const { store, sweep } = sqliteSubject(temporaryDatabase(":memory:"))
      return { tokens: store, sweep }
    }
    await fc.assert(ownRowsAlone(fresh, met, true), { numRuns: runs(300, 30) })
    expect(Math.min(met.commits, met.conflicts)).toBeGreaterThan(runs(150, 10))
  }, 240_000)

  describe("the part of one is a store by itself", () => {
    for (const { name, run } of tokenStoreContract)
      it(name, () =>
        run(async () => {
          const tokens = memoryTokenStore()
          const other = partitioned(tokens, { name: "other" })
          await other.commit([1, 2].map((order) => saveGrant(sampleGrant(order, { keepUntil: Number.MAX_SAFE_INTEGER }))))
          return { store: partitioned(tokens, { name: "one" }), sweep: tokens.sweep }
        }),
      )
  })

  it("rows of a store that served one issuer stay that issuer's, and are nobody else's", async () => {
    const tokens = memoryTokenStore()
    await tokens.commit([saveGrant(sampleGrant(1)), saveConsent(sampleConsent("ann", "one"), undefined)])
    const [first, second] = [partitioned(tokens, { name: "" }), partitioned(tokens, { name: "second" })]
    expect(await first.findGrant(sampleLocator(1))).toEqual(sampleGrant(1))
    expect(await second.findGrant(sampleLocator(1))).toBeUndefined()
    expect(await second.findConsent("ann", "one")).toBeUndefined()
  })

  it("an issuer without a name finds nothing by the name of another", async () => {
    const tokens = memoryTokenStore()
    const [first, acme] = [partitioned(tokens, { name: "" }), partitioned(tokens, { name: "acme" })]
    await acme.commit([saveConsent(sampleConsent("ann", "one"), undefined), countAttempt("ann", sampleTime, sampleTime + 60)])
    const forged = inPartition("ann", "acme")
    expect(await first.findConsent(forged, "one")).toBeUndefined()
    expect(await first.findAttempts(forged)).toBeUndefined()
    expect(await first.consentsOf(forged)).toEqual([])
    expect(await first.find(attempts, { key: forged })).toBeUndefined()
    expect(() => first.commit([countAttempt(forged, sampleTime, sampleTime + 60)])).toThrow("another issuer's")
    expect((await acme.findAttempts("ann"))?.count).toBe(1)
  })

  it("guesses of passwords are counted for people who are shared, everything else for the issuer", async () => {
    const tokens = memoryTokenStore()
    const of = (name: string): TokenStorePort => partitioned(tokens, { name, people: "all" })
    const reserve = (key: string) => reserveAttempt({ key, most: 5, resetAt: sampleTime + 60 }, sampleTime)
    for (const name of ["acme", "other"]) await of(name).commit([reserve("password account x"), reserve("device browser x")])
    expect((await of("acme").findAttempts("password account x"))?.count).toBe(2)
    expect((await of("acme").findAttempts("device browser x"))?.count).toBe(1)
    expect(await partitioned(tokens, { name: "acme" }).findAttempts("password account x")).toBeUndefined()
  })

  it("a message of the outbox is one issuer's, and is found by a worker of all", async () => {
    const tokens = memoryTokenStore()
    const acme = partitioned(tokens, { name: "acme" })
    await acme.commit([addMessage(sampleLocator(1), "kind", {}, sampleTime)])
    const [found] = await tokens.list(outbox, "dueOfKind", { kind: "kind", now: sampleTime })
    expect(partitionOf(found?.locator ?? "")).toEqual({ value: sampleLocator(1), name: "acme" })
    expect(await partitioned(tokens, { name: "other" }).list(outbox, "dueOfKind", { kind: "kind", now: sampleTime })).toEqual([])
    expect((await acme.list(outbox, "dueOfKind", { kind: "kind", now: sampleTime })).map(({ locator }) => locator)).toEqual([
      sampleLocator(1),
    ])
  })

  it("a kind of row whose events would find rows of every issuer is refused", () => {
    interface Row {
      readonly id: string
      readonly count: number
      readonly owner: string
    }
    const kind = (events: Parameters<typeof rowKind<Row>>[2]["events"]) =>
      rowKind<Row>("odd_rows", { id: "text", count: "integer", owner: "text" }, { key: ["id"], ...(events && { events }) })
    const withKind = (events: Parameters<typeof kind>[0]) => () => partitioned(memoryTokenStore(), { name: "a", kinds: [kind(events)] })
    const change = [["count", "set", 0]] as const
    expect(withKind({ ClearAll: { by: { owner: ":owner?" }, ways: [{ when: [], change }] } })).toThrow(
      "ClearAll finds rows of every issuer",
    )
    expect(withKind({ Odd: { ways: [{ when: [["id", "is", "x"]], change }] } })).toThrow("with a text of its own")
    expect(withKind({ Torn: { by: { owner: ":id" }, ways: [{ when: [], change }] } })).not.toThrow()
    const torn = rowKind<Row>(
      "odd_rows",
      { id: "text", count: "integer", owner: "text" },
      {
        key: ["id"],
        events: { Torn: { ways: [{ when: [["owner", "equal", ":id"]], change }] } },
      },
    )
    expect(() => partitioned(memoryTokenStore(), { name: "a", kinds: [torn] })).toThrow("which does not")
    const numbered = rowKind<{ readonly id: number }>("odd_numbers", { id: "integer" }, { key: ["id"] })
    expect(() => partitioned(memoryTokenStore(), { name: "a", kinds: [numbered] })).toThrow("which is no text")
  })

  it("rows of every feature that ships can be parted, those that take options too", () => {
    const kinds = rowKindsOf({ features: [...defaultFeatures, registration()] })
    expect(() => partitioned(memoryTokenStore(kinds), { name: "a", kinds })).not.toThrow()
  })

  it("rows of a table that was not described are not written", () => {
    const part = partitioned(memoryTokenStore(), { name: "a", kinds: [] })
    expect(() => part.commit([saveGrant(sampleGrant(1))])).toThrow("not described")
    expect(() => part.find(attempts, { key: "x" })).toThrow("not described")
  })

  it("marks are taken off as they were put on, whatever the value", () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,31}$/), (value, name) => {
        expect(partitionOf(inPartition(value, name))).toEqual({ value, name })
      }),
      { numRuns: runs(10_000, 1000) },
    )
    expect(["acme", "a", "0-9", "x".repeat(32)].every(isPartitionName)).toBe(true)
    expect(["", "-a", "A", "a_b", "é", "x".repeat(33), "a\u001fb", "a b"].some(isPartitionName)).toBe(false)
  })
})
