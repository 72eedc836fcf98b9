import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { inMemory, type SqliteTokenStore, sqliteTokenStore } from "@postern/adapter-sqlite"
import { type MemoryTokenStore, memoryTokenStore } from "@postern/core/memory"
import { type Command, locatorAt } from "@postern/core/model"
import {
  sampleAccessToken,
  sampleCode,
  sampleConsent,
  sampleDevice,
  sampleGrant,
  sampleInteraction,
  sampleLocator,
  sampleRefreshToken,
  sampleSession,
  sampleTime,
} from "@postern/core/testing"
import { temporaryDatabase } from "./support.ts"

/** A world so small that commands keep meeting the same rows. */
const orders = [1, 2, 3]
const order = fc.constantFrom(...orders)
const locator = order.map(sampleLocator)
const subject = fc.constantFrom("ann", "bob")
const clientId = fc.constantFrom("one", "two")
const at = fc.integer({ min: sampleTime, max: sampleTime + 20 })
const version = fc.integer({ min: 1, max: 4 })
const maybe = <A>(value: fc.Arbitrary<A>): fc.Arbitrary<A | undefined> => fc.option(value, { nil: undefined })
const words = fc.array(fc.string({ unit: "grapheme", maxLength: 5 }), { maxLength: 3 })
const made = <Parts extends Record<string, unknown>, Row>(
  parts: { [Name in keyof Parts]: fc.Arbitrary<Parts[Name]> },
  make: (order: number, told: Parts) => Row,
): fc.Arbitrary<Row> => fc.tuple(order, fc.record(parts)).map(([each, told]) => make(each, told as Parts))

const grant = made(
  {
    subject,
    clientId,
    sessionId: locator,
    scope: words,
    resources: words,
    acr: maybe(fc.string()),
    nonce: maybe(fc.string()),
    claims: maybe(fc.record({ userinfo: words, idToken: words, locales: words }, { noNullPrototype: true })),
    endsWithSession: fc.boolean(),
    parentId: maybe(locator),
    extension: maybe(
      fc.record(
        {
          grantType: fc.constant("urn:x"),
          claims: fc.constant({ act: { sub: "one" } }),
          lifetime: fc.constantFrom(60, 600),
          generation: fc.nat(8),
          absoluteExpiresAt: at,
        },
        { noNullPrototype: true },
      ),
    ),
    keepUntil: at,
  },
  sampleGrant,
)
const session = made(
  { subject, keepUntil: at, endedAt: maybe(at), acr: maybe(fc.string()), idp: maybe(fc.string()), amr: words },
  sampleSession,
)
const interaction = made(
  {
    version,
    denied: fc.boolean(),
    consented: maybe(words),
    subject: maybe(subject),
    signedInAt: maybe(at),
    finishedAt: maybe(at),
    keepUntil: at,
  },
  sampleInteraction,
)
const consent = fc
  .tuple(subject, clientId, fc.record({ scope: words, grantedAt: at, expiresAt: fc.oneof(fc.constant(0), at) }))
  .map(([of, to, told]) => sampleConsent(of, to, told))
const device = made(
  {
    version,
    polledAt: maybe(at),
    state: fc.constantFrom("pending" as const, "approved" as const, "denied" as const, "consumed" as const),
    grantId: maybe(locator),
    keepUntil: at,
  },
  sampleDevice,
)
const successor = fc.record({ locator, sealed: fc.string() }, { noNullPrototype: true })

const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ _tag: fc.constant("SaveGrant" as const), grant }),
  fc.record({ _tag: fc.constant("RequireGrant" as const), grantId: locator }),
  fc.record({ _tag: fc.constant("KeepGrant" as const), grantId: locator, keepUntil: at }),
  fc.record({ _tag: fc.constant("RevokeGrant" as const), grantId: locator, at }),
  fc.record({ _tag: fc.constant("RevokeGrants" as const), subject, clientId: maybe(clientId), sessionId: maybe(locator), at }),
  fc.record({ _tag: fc.constant("SaveCode" as const), code: made({ grantId: locator, consumedAt: maybe(at), keepUntil: at }, sampleCode) }),
  fc.record({ _tag: fc.constant("ConsumeCode" as const), locator, at, keepUntil: at }),
  fc.record({ _tag: fc.constant("RequireSession" as const), locator }),
  fc.record({ _tag: fc.constant("RequireConsent" as const), consent }),
  fc.record({
    _tag: fc.constant("SaveAccessToken" as const),
    token: made(
      { grantId: maybe(locator), subject: maybe(subject), audience: words, revokedAt: maybe(at), keepUntil: at },
      sampleAccessToken,
    ),
  }),
  fc.record({ _tag: fc.constant("RevokeAccessToken" as const), locator, at }),
  fc.record({
    _tag: fc.constant("SaveRefreshToken" as const),
    token: made({ grantId: locator, rotatedAt: maybe(at), successor: maybe(successor), keepUntil: at }, sampleRefreshToken),
  }),
  fc.record({ _tag: fc.constant("RotateRefreshToken" as const), locator, at, successor }),
  fc.record({ _tag: fc.constant("SaveSession" as const), session }),
  fc.record({ _tag: fc.constant("TouchSession" as const), locator, seenAt: at, expiresAt: at, keepUntil: at }),
  fc.record({ _tag: fc.constant("EndSession" as const), locator, at, grants: fc.boolean() }),
  fc.record({ _tag: fc.constant("SaveInteraction" as const), interaction }),
  fc.record({ _tag: fc.constant("ReplaceInteraction" as const), interaction }),
  fc.record({ _tag: fc.constant("SaveDevice" as const), device }),
  fc.record({ _tag: fc.constant("ReplaceDevice" as const), device }),
  fc.record({ _tag: fc.constant("CountAttempt" as const), key: subject, at, resetAt: at }),
  fc.record({ _tag: fc.constant("UseOnce" as const), key: subject, at, until: at }),
  fc.record({ _tag: fc.constant("SaveConsent" as const), consent, replaces: maybe(at) }),
  fc.record({ _tag: fc.constant("RemoveConsent" as const), subject, clientId }),
)

type Step = { readonly commit: ReadonlyArray<Command> } | { readonly sweep: number }
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 9, arbitrary: fc.record({ commit: fc.array(command, { maxLength: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ sweep: at }) },
)

type AnyStore = MemoryTokenStore | SqliteTokenStore

const everything = (store: AnyStore): unknown => [
  ...orders
    .map(sampleLocator)
    .map((each) => [
      store.findGrant(each),
      store.findCode(each),
      store.findAccessToken(each),
      store.findRefreshToken(each),
      store.findSession(each),
      store.findInteraction(each),
      store.findDevice(each),
    ]),
  ...orders.map((each) => store.findDeviceByUserCode(`user code ${each}`)),
  ...["ann", "bob"].map((of) => [
    store.findAttempts(of),
    store.grantsOf(of),
    store.sessionsOf(of),
    store.consentsOf(of),
    store.findConsent(of, "one"),
    store.findConsent(of, "two"),
  ]),
]

const sweepAll = (store: AnyStore, now: number): number => {
  let removed = 0
  for (let more = true; more;) {
    const slice = store.sweep(now)
    removed += slice.removed
    more = slice.more
  }
  return removed
}

const take = (store: AnyStore, sweeper: () => AnyStore, each: Step): unknown =>
  "commit" in each ? store.commit(each.commit) : sweepAll(sweeper(), each.sweep)

describe("SQLite is what memory is", () => {
  it("any commands and sweeps, in any order, come to the same answers and the same rows", () => {
    const database = temporaryDatabase(inMemory)
    const tables = ["grants", "codes", "access_tokens", "refresh_tokens", "sessions", "interactions", "consents", "devices", "attempts"]
    const wipe = database.transaction(() => tables.forEach((table) => database.exec(`DELETE FROM ${table}`)))
    const sqlite = sqliteTokenStore(database)
    // A store that knows nothing of the tables yet sweeps exactly; one that does may come to a row put behind its back a little later.
    const sweeper = (): SqliteTokenStore => sqliteTokenStore(database)
    let conflicts = 0
    let commits = 0
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
        wipe()
        const memory = memoryTokenStore()
        for (const each of steps) {
          const expected = take(memory, () => memory, each)
          expect(take(sqlite, sweeper, each)).toBe(expected)
          if (expected === "Conflict") conflicts++
          if (expected === "Committed") commits++
        }
        expect(everything(sqlite)).toStrictEqual(everything(memory))
      }),
      { numRuns: 2000 },
    )
    // Both answers are met often, or this test proves little.
    expect(Math.min(conflicts, commits)).toBeGreaterThan(1000)
  }, 60_000)

  it("whatever the lifetimes and however often it sweeps, no row stays a minute longer than it may, and none leaves early", () => {
    const database = temporaryDatabase(inMemory)
    const left = database.prepare<[], [number, number]>("SELECT keep_until, created_at FROM access_tokens").raw()
    const batch = fc.record({ pause: fc.integer({ min: 0, max: 400 }), rows: fc.integer({ min: 0, max: 1500 }), sweeps: fc.boolean() })
    const lifetimes = fc.uniqueArray(fc.integer({ min: 1, max: 4000 }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(fc.array(batch, { minLength: 3, maxLength: 12 }), lifetimes, (batches, lives) => {
        database.exec("DELETE FROM access_tokens")
        const store = sqliteTokenStore(database)
        let now = sampleTime
        let sequence = 0
        const expected: Array<number> = []
        for (const { pause, rows, sweeps } of batches) {
          now += pause
          const commands = Array.from({ length: rows }, (_, each): Command => {
            const keepUntil = now + (lives[each % lives.length] ?? 1)
            expected.push(keepUntil)
            const told = {
              createdAt: now,
              keepUntil,
              locator: locatorAt(now * 1000, new Uint8Array([0, 0, 0, 0, ++sequence >> 8, sequence])),
            }
            return { _tag: "SaveAccessToken", token: sampleAccessToken(0, told) }
          })
          expect(store.commit(commands)).toBe("Committed")
          if (!sweeps) continue
          sweepAll(store, now)
          const kept = left.all()
          expect(kept.filter(([keepUntil]) => keepUntil <= now - 60)).toEqual([])
          expect(kept.filter(([keepUntil]) => keepUntil > now).length).toBe(expected.filter((keepUntil) => keepUntil > now).length)
        }
      }),
      { numRuns: 30 },
    )
  }, 60_000)
})
