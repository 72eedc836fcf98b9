import {
  type Command,
  type Instant,
  countAttempt,
  keepGrant,
  revokeGrant,
  saveAccessToken,
  saveCode,
  saveConsent,
  saveDevice,
  saveGrant,
  saveInteraction,
  saveRefreshToken,
  saveSession,
  touchSession,
} from "../model/index.ts"
import { type ContractCase, contractCase, expectSame } from "./contract.ts"
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
} from "./rows.ts"
import { type TokenStoreSubject, committed } from "./tokenStoreSubject.ts"

const it = contractCase<TokenStoreSubject>

const sweepAll = async ({ sweep }: TokenStoreSubject, now: Instant): Promise<number> => {
  let total = 0
  for (let slice = 0; slice < 100_000; slice++) {
    const { removed, more } = await sweep(now)
    total += removed
    if (!more) return total
  }
  throw new Error("a sweep never ends")
}

const manyTokens = (count: number, keepUntil: (order: number) => Instant): ReadonlyArray<Command> =>
  Array.from({ length: count }, (_, order) => saveAccessToken(sampleAccessToken(order, { keepUntil: keepUntil(order) })))

/** Retention: rows stay until their time has come and leave when it has. */
export const sweepCases: ReadonlyArray<ContractCase<TokenStoreSubject>> = [
  it("a sweep drops a row of each kind at its keepUntil and not a second before", async (subject) => {
    const { store } = subject
    const keepUntil = sampleTime + 500
    await committed(
      subject,
      saveGrant(sampleGrant(1, { keepUntil })),
      saveCode(sampleCode(2, { keepUntil })),
      saveAccessToken(sampleAccessToken(3, { keepUntil })),
      saveRefreshToken(sampleRefreshToken(4, { keepUntil })),
      saveSession(sampleSession(5, { keepUntil })),
      saveInteraction(sampleInteraction(6, { keepUntil })),
      saveDevice(sampleDevice(7, { keepUntil })),
      countAttempt("key", sampleTime, keepUntil),
      saveConsent(sampleConsent("subject", "client", { expiresAt: keepUntil }), undefined),
    )
    expectSame(await sweepAll(subject, keepUntil - 1), 0, "rows swept early")
    expectSame((await store.findCode(sampleLocator(2)))?.grant.id, sampleLocator(1), "code before its time")
    expectSame(await sweepAll(subject, keepUntil), 9, "rows swept")
    expectSame(await store.findGrant(sampleLocator(1)), undefined, "grant")
    expectSame(await store.findAccessToken(sampleLocator(3)), undefined, "access token")
    expectSame(await store.findSession(sampleLocator(5)), undefined, "session")
    expectSame(await store.findInteraction(sampleLocator(6)), undefined, "interaction")
    expectSame(await store.findDeviceByUserCode("user code 7"), undefined, "device")
    expectSame(await store.findAttempts("key"), undefined, "attempts")
    expectSame(await store.findConsent("subject", "client"), undefined, "consent")
  }),
  it("a consent without end is never swept", async (subject) => {
    await committed(subject, saveConsent(sampleConsent("subject", "client"), undefined))
    expectSame(await sweepAll(subject, sampleTime * 2), 0, "rows swept")
  }),
  it("rows that expire later stay when rows around them leave, and leave in their turn", async (subject) => {
    const rows = 5000
    await committed(subject, ...manyTokens(rows, (order) => sampleTime + 100 * (1 + (order % 3))))
    for (const turn of [1, 2, 3]) {
      const removed = await sweepAll(subject, sampleTime + 100 * turn)
      const expected = Array.from({ length: rows }, (_, order) => order % 3).filter((rest) => rest === turn - 1).length
      expectSame(removed, expected, `rows swept in turn ${turn}`)
    }
  }),
  it("a row saved between rows that were swept over is swept too", async (subject) => {
    await committed(subject, ...manyTokens(10, () => sampleTime + 10_000))
    expectSame(await sweepAll(subject, sampleTime + 100), 0, "rows swept")
    const late = sampleAccessToken(5, { locator: `${sampleLocator(5).slice(0, 15)}z`, keepUntil: sampleTime + 200 })
    await committed(subject, saveAccessToken(late))
    expectSame(await sweepAll(subject, sampleTime + 4000), 1, "rows swept")
  }),
  it("what a kept grant was derived from, through any number of grants, is there to be revoked for as long as it is", async (subject) => {
    const { store } = subject
    const keepUntil = sampleTime + 100
    await committed(
      subject,
      saveGrant(sampleGrant(1, { keepUntil })),
      saveGrant(sampleGrant(2, { keepUntil, parentId: sampleLocator(1) })),
      saveGrant(sampleGrant(3, { keepUntil, parentId: sampleLocator(2) })),
      keepGrant(sampleLocator(3), sampleTime + 900),
    )
    expectSame(await sweepAll(subject, sampleTime + 899), 0, "rows swept")
    await committed(subject, revokeGrant(sampleLocator(1), sampleTime + 899))
    expectSame((await store.findGrant(sampleLocator(3)))?.revokedAt, sampleTime + 899, "revokedAt")
    expectSame(await sweepAll(subject, sampleTime + 900), 3, "rows swept")
  }),
  it("a session that was touched, and a grant that was kept, stay until their new time", async (subject) => {
    const { store } = subject
    const keepUntil = sampleTime + 100
    await committed(subject, saveSession(sampleSession(5, { keepUntil })), saveGrant(sampleGrant(1, { keepUntil })))
    await sweepAll(subject, sampleTime + 50)
    await committed(
      subject,
      touchSession(sampleLocator(5), { seenAt: sampleTime, expiresAt: sampleTime + 900, keepUntil: sampleTime + 900 }),
      keepGrant(sampleLocator(1), sampleTime + 900),
    )
    expectSame(await sweepAll(subject, sampleTime + 899), 0, "rows swept")
    expectSame((await store.findSession(sampleLocator(5)))?.keepUntil, sampleTime + 900, "session")
    expectSame(await sweepAll(subject, sampleTime + 900), 2, "rows swept")
  }),
]
