import {
  type Command,
  type Instant,
  countAttempt,
  keepGrant,
  revokeGrant,
  saveAccessToken,
  saveConsent,
  touchSession,
  useOnce,
  uses,
} from "../model/index.ts"
import { type ContractCase, expectSame } from "./contract.ts"
import * as samples from "./rows.ts"
import { type TokenStoreSubject, committed, it, saved } from "./tokenStoreSubject.ts"

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
  Array.from({ length: count }, (_, order) => saved.accessToken(order, { keepUntil: keepUntil(order) }))

/** Retention: rows stay until their time has come and are then removed. */
export const sweepCases: ReadonlyArray<ContractCase<TokenStoreSubject>> = [
  it("a sweep drops a row of each kind at its keepUntil and not a second before", async (subject) => {
    const keepUntil = samples.sampleTime + 500
    await committed(
      subject,
      saved.grant(1, { keepUntil }),
      saved.code(2, { keepUntil }),
      saved.accessToken(3, { keepUntil }),
      saved.refreshToken(4, { keepUntil }),
      saved.session(5, { keepUntil }),
      saved.interaction(6, { keepUntil }),
      saved.device(7, { keepUntil }),
      countAttempt("key", samples.sampleTime, keepUntil),
      saveConsent(samples.sampleConsent("subject", "client", { expiresAt: keepUntil }), undefined),
      useOnce("jti", samples.sampleTime, keepUntil),
    )
    expectSame(await sweepAll(subject, keepUntil - 1), 0, "rows swept early")
    const { store } = subject
    expectSame((await store.findCode(samples.sampleLocator(2)))?.grant.id, samples.sampleLocator(1), "code before its time")
    expectSame(await sweepAll(subject, keepUntil), 10, "rows swept")
    const left = {
      grant: () => store.findGrant(samples.sampleLocator(1)),
      "access token": () => store.findAccessToken(samples.sampleLocator(3)),
      session: () => store.findSession(samples.sampleLocator(5)),
      interaction: () => store.findInteraction(samples.sampleLocator(6)),
      device: () => store.findDeviceByUserCode("user code 7"),
      attempts: () => store.findAttempts("key"),
      consent: () => store.findConsent("subject", "client"),
      use: () => store.find(uses, { key: "jti" }),
    }
    for (const [row, find] of Object.entries(left)) expectSame(await find(), undefined, row)
  }),
  it("a consent without end is never swept", async (subject) => {
    await committed(subject, saveConsent(samples.sampleConsent("subject", "client"), undefined))
    expectSame(await sweepAll(subject, samples.sampleTime * 2), 0, "rows swept")
  }),
  it("rows that expire later stay when rows around them leave, and leave in their turn", async (subject) => {
    const rows = 5000
    await committed(subject, ...manyTokens(rows, (order) => samples.sampleTime + 100 * (1 + (order % 3))))
    for (const turn of [1, 2, 3]) {
      const removed = await sweepAll(subject, samples.sampleTime + 100 * turn)
      const expected = Array.from({ length: rows }, (_, order) => order % 3).filter((rest) => rest === turn - 1).length
      expectSame(removed, expected, `rows swept in turn ${turn}`)
    }
  }),
  it("a row saved between rows that were swept over is swept too", async (subject) => {
    await committed(subject, ...manyTokens(10, () => samples.sampleTime + 10_000))
    expectSame(await sweepAll(subject, samples.sampleTime + 100), 0, "rows swept")
    const late = samples.sampleAccessToken(5, { locator: `${samples.sampleLocator(5).slice(0, 15)}z`, keepUntil: samples.sampleTime + 200 })
    await committed(subject, saveAccessToken(late))
    expectSame(await sweepAll(subject, samples.sampleTime + 4000), 1, "rows swept")
  }),
  it("what a kept grant was derived from, through any number of grants, is there to be revoked for as long as it is", async (subject) => {
    const { store } = subject
    const keepUntil = samples.sampleTime + 100
    await committed(
      subject,
      saved.grant(1, { keepUntil }),
      saved.grant(2, { keepUntil, parentId: samples.sampleLocator(1) }),
      saved.grant(3, { keepUntil, parentId: samples.sampleLocator(2) }),
      keepGrant(samples.sampleLocator(3), samples.sampleTime + 900),
    )
    expectSame(await sweepAll(subject, samples.sampleTime + 899), 0, "rows swept")
    await committed(subject, revokeGrant(samples.sampleLocator(1), samples.sampleTime + 899))
    expectSame((await store.findGrant(samples.sampleLocator(3)))?.revokedAt, samples.sampleTime + 899, "revokedAt")
    expectSame(await sweepAll(subject, samples.sampleTime + 900), 3, "rows swept")
  }),
  it("a session that was touched, and a grant that was kept, stay until their new time", async (subject) => {
    const { store } = subject
    const keepUntil = samples.sampleTime + 100
    await committed(subject, saved.session(5, { keepUntil }), saved.grant(1, { keepUntil }))
    await sweepAll(subject, samples.sampleTime + 50)
    await committed(
      subject,
      touchSession(samples.sampleLocator(5), {
        seenAt: samples.sampleTime,
        expiresAt: samples.sampleTime + 900,
        keepUntil: samples.sampleTime + 900,
      }),
      keepGrant(samples.sampleLocator(1), samples.sampleTime + 900),
    )
    expectSame(await sweepAll(subject, samples.sampleTime + 899), 0, "rows swept")
    expectSame((await store.findSession(samples.sampleLocator(5)))?.keepUntil, samples.sampleTime + 900, "session")
    expectSame(await sweepAll(subject, samples.sampleTime + 900), 2, "rows swept")
  }),
]
