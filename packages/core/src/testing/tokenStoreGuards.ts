import {
  type Command,
  type Locator,
  consumeCode,
  countAttempt,
  endSession,
  extendRefreshToken,
  keepGrant,
  removeConsent,
  deviceAnswers,
  type Device,
  finishRequest,
  noteAnswer,
  requireConsent,
  requireGrant,
  requireInteraction,
  requireSession,
  revokeAccessToken,
  revokeGrant,
  revokeGrants,
  rotateRefreshToken,
  saveConsent,
  saveGrant,
  saveInteraction,
  signOut,
  touchSession,
  useOnce,
  uses,
} from "../model/index.ts"
import { type ContractCase, expectSame } from "./contract.ts"
import * as samples from "./rows.ts"
import { type TokenStoreSubject, at, committed, conflicts, grant, it, saved } from "./tokenStoreSubject.ts"

const successor = { locator: samples.sampleLocator(9), sealed: "B".repeat(43) }

const saves: ReadonlyArray<Command> = [
  saveGrant(grant),
  saved.code(2),
  saved.accessToken(3),
  saved.refreshToken(4),
  saved.session(5),
  saved.interaction(6),
]

const touch = (locator: Locator): Command => touchSession(locator, { seenAt: at, expiresAt: at + 1, keepUntil: at + 2 })

/**
 * Commands that must fail after everything in `saves` was stored, because they name an unknown row, or one that exists already or has
 * changed.
 */
const failing: ReadonlyArray<readonly [name: string, command: Command]> = [
  ...saves.map((command) => [`${command.event} of a locator that exists`, command] as const),
  ["RequireGrant of an unknown grant", requireGrant(samples.sampleLocator(99))],
  ["KeepGrant of an unknown grant", keepGrant(samples.sampleLocator(99), at)],
  ["ConsumeCode of an unknown code", consumeCode(samples.sampleLocator(99), at, 0)],
  ["ExtendRefreshToken of an unknown token", extendRefreshToken(samples.sampleLocator(99), at)],
  ["RotateRefreshToken of an unknown token", rotateRefreshToken(samples.sampleLocator(99), at, successor)],
  ["RequireSession of an unknown session", requireSession(samples.sampleLocator(99))],
  ["TouchSession of an unknown session", touch(samples.sampleLocator(99))],
  ["SaveDevice of a locator that exists", saved.device(7, { userCode: "another" })],
  ["SaveDevice of a user code that is taken", saved.device(77, { userCode: "user code 7" })],
  ["DenyDevice of an unknown device", deviceAnswers.deny(samples.sampleDevice(99))],
  ["DenyDevice of another version", deviceAnswers.deny(samples.sampleDevice(7, { version: 3 }))],
  ["SaveConsent over another than it read", saveConsent(samples.sampleConsent("subject", "client"), at + 77)],
  ["SaveConsent over one it did not read", saveConsent(samples.sampleConsent("subject", "client"), undefined)],
  ["SaveConsent over one that is gone", saveConsent(samples.sampleConsent("subject", "nobody"), samples.sampleTime)],
  ["RequireConsent of an unknown consent", requireConsent(samples.sampleConsent("subject", "nobody"))],
  ["RequireConsent of another time", requireConsent(samples.sampleConsent("subject", "client", { grantedAt: at + 77 }))],
  ["RequireConsent of another scope", requireConsent(samples.sampleConsent("subject", "client", { scope: ["another"] }))],
  ["NoteAnswer of an unknown interaction", noteAnswer(samples.sampleInteraction(99))],
  ["NoteAnswer that skips a version", noteAnswer(samples.sampleInteraction(6, { version: 3 }))],
  ["RequireInteraction of an unknown interaction", requireInteraction(samples.sampleInteraction(99))],
  ["RequireInteraction of another version", requireInteraction(samples.sampleInteraction(6, { version: 4 }))],
  ["NoteAnswer of the same version", noteAnswer(samples.sampleInteraction(6, { version: 0 }))],
]

/** Changes of every kind, none of which may be visible after a conflict. */
const changes: ReadonlyArray<Command> = [
  saved.grant(21),
  saved.code(22),
  saved.accessToken(23),
  saved.refreshToken(24),
  saved.session(25),
  saved.interaction(26),
  saved.device(27),
  deviceAnswers.deny(samples.sampleDevice(7)),
  countAttempt("key", at, at + 900),
  saveConsent(samples.sampleConsent("subject", "client", { grantedAt: at }), samples.sampleTime),
  saveConsent(samples.sampleConsent("subject", "another client"), undefined),
  removeConsent("subject", "removed client"),
  keepGrant(grant.id, at + 100_000),
  consumeCode(samples.sampleLocator(2), at, 0),
  revokeAccessToken(samples.sampleLocator(3), at),
  extendRefreshToken(samples.sampleLocator(4), at + 100_000),
  rotateRefreshToken(samples.sampleLocator(4), at, successor),
  touch(samples.sampleLocator(5)),
  ...signOut(samples.sampleLocator(5), at),
  useOnce("jti", at, at + 60),
  noteAnswer(samples.sampleInteraction(6, { denied: true })),
  revokeGrant(grant.id, at),
  revokeGrants({ subject: "subject" }, at),
]

const everything = async ({ store }: TokenStoreSubject): Promise<unknown> => {
  const orders = [1, 2, 3, 4, 5, 6, 21, 22, 23, 24, 25, 26].map(samples.sampleLocator)
  const finds = [store.findGrant, store.findCode, store.findAccessToken, store.findRefreshToken, store.findSession, store.findInteraction]
  const rows = await Promise.all(orders.flatMap((locator) => finds.map(async (find) => (await find(locator)) ?? "absent")))
  const devices = await Promise.all([7, 27].map(async (order) => (await store.findDeviceByUserCode(`user code ${order}`)) ?? "absent"))
  const attempts = (await store.findAttempts("key")) ?? "absent"
  const use = (await store.find(uses, { key: "jti" })) ?? "absent"
  return [rows, devices, attempts, use, await store.sessionsOf("subject"), await store.consentsOf("subject")]
}

const before: ReadonlyArray<Command> = [
  ...saves,
  saved.device(7),
  saveConsent(samples.sampleConsent("subject", "client"), undefined),
  saveConsent(samples.sampleConsent("subject", "removed client"), undefined),
]

const rollbacks = failing.map(([name, command]) =>
  it(`${name} is a conflict and undoes every command before it, whatever follows`, async (subject) => {
    await committed(subject, ...before)
    const kept = await everything(subject)
    await conflicts(subject, command)
    await conflicts(subject, ...changes, command)
    await conflicts(subject, command, ...changes)
    expectSame(await everything(subject), kept, "rows after the conflict")
    await committed(subject, ...changes)
  }),
)

/** Guards of single rows, and atomic commits. */
export const guardCases: ReadonlyArray<ContractCase<TokenStoreSubject>> = [
  ...rollbacks,
  it("a command sees what the commands before it in its set did", async (subject) => {
    await committed(subject, saveGrant(grant), requireGrant(grant.id), saved.code(2))
    const consume: Command = consumeCode(samples.sampleLocator(2), at, 0)
    await conflicts(subject, consume, consume)
    await conflicts(subject, saved.code(7), saved.code(7))
    await committed(subject, consume)
  }),
  it("ConsumeCode consumes once (RFC 6749 §4.1.2)", async (subject) => {
    await committed(subject, saveGrant(grant), saved.code(2))
    await committed(subject, consumeCode(samples.sampleLocator(2), at, 0))
    await conflicts(subject, consumeCode(samples.sampleLocator(2), at + 1, 0))
    expectSame((await subject.store.findCode(samples.sampleLocator(2)))?.code, samples.sampleCode(2, { consumedAt: at }), "code")
  }),
  it("ConsumeCode keeps a code for as long as what it made, and never for less", async (subject) => {
    await committed(subject, saveGrant(grant), saved.code(2))
    const keepUntil = samples.sampleCode(2).keepUntil + 1000
    await committed(subject, consumeCode(samples.sampleLocator(2), at, keepUntil))
    expectSame((await subject.store.findCode(samples.sampleLocator(2)))?.code.keepUntil, keepUntil, "keepUntil")
  }),
  it("RequireSession passes until the session has ended, and changes nothing", async (subject) => {
    await committed(subject, saved.session(5), requireSession(samples.sampleLocator(5)))
    expectSame(await subject.store.findSession(samples.sampleLocator(5)), samples.sampleSession(5), "session")
    await committed(subject, endSession(samples.sampleLocator(5), at))
    await conflicts(subject, requireSession(samples.sampleLocator(5)))
  }),
  it("RequireInteraction passes for the version that was read, and changes nothing", async (subject) => {
    const read = samples.sampleInteraction(6, { version: 1 })
    await committed(subject, saveInteraction(read), requireInteraction(read))
    expectSame(await subject.store.findInteraction(read.locator), read, "interaction")
    await committed(subject, noteAnswer(read))
    await conflicts(subject, requireInteraction(read))
  }),
  it("RequireConsent passes for the consent that stands, until it is removed", async (subject) => {
    const require: Command = requireConsent(samples.sampleConsent("subject", "client"))
    await committed(subject, saveConsent(samples.sampleConsent("subject", "client"), undefined), require)
    await committed(subject, removeConsent("subject", "client"))
    await conflicts(subject, require)
  }),
  it("RotateRefreshToken rotates once and keeps the successor (RFC 9700 §4.14.2)", async (subject) => {
    await committed(subject, saveGrant(grant), saved.refreshToken(4))
    await committed(subject, rotateRefreshToken(samples.sampleLocator(4), at, successor))
    await conflicts(subject, rotateRefreshToken(samples.sampleLocator(4), at + 1, { ...successor, sealed: "C" }))
    expectSame(
      (await subject.store.findRefreshToken(samples.sampleLocator(4)))?.token,
      samples.sampleRefreshToken(4, { rotatedAt: at, successor }),
      "token",
    )
  }),
  it("ExtendRefreshToken moves expiresAt and keepUntil later, never earlier, and fails once the token is rotated", async (subject) => {
    const { locator, expiresAt } = samples.sampleRefreshToken(4)
    await committed(subject, saveGrant(grant), saved.refreshToken(4, { keepUntil: expiresAt }))
    await committed(subject, extendRefreshToken(locator, expiresAt + 100))
    await committed(subject, extendRefreshToken(locator, expiresAt + 50))
    const extended = samples.sampleRefreshToken(4, { expiresAt: expiresAt + 100, keepUntil: expiresAt + 100 })
    expectSame((await subject.store.findRefreshToken(locator))?.token, extended, "token")
    await committed(subject, rotateRefreshToken(locator, at, successor))
    await conflicts(subject, extendRefreshToken(locator, expiresAt + 200))
  }),
  it("RevokeAccessToken keeps the first revocation's time, and changes nothing of an unknown token", async (subject) => {
    await committed(subject, saved.accessToken(3))
    for (const time of [at, at + 1]) await committed(subject, revokeAccessToken(samples.sampleLocator(3), time))
    await committed(subject, revokeAccessToken(samples.sampleLocator(99), at))
    expectSame((await subject.store.findAccessToken(samples.sampleLocator(3)))?.token.revokedAt, at, "revokedAt")
  }),
  it("TouchSession moves a session's times until it has ended", async (subject) => {
    await committed(subject, saved.session(5), touch(samples.sampleLocator(5)))
    const touched = samples.sampleSession(5, { seenAt: at, expiresAt: at + 1, keepUntil: at + 2 })
    expectSame(await subject.store.findSession(samples.sampleLocator(5)), touched, "session")
    await committed(subject, endSession(samples.sampleLocator(5), at))
    await conflicts(subject, touch(samples.sampleLocator(5)))
  }),
  it("EndSession keeps the first ending's time, and changes nothing of an unknown session", async (subject) => {
    await committed(subject, saved.session(5))
    for (const time of [at, at + 1]) await committed(subject, endSession(samples.sampleLocator(5), time))
    await committed(subject, ...signOut(samples.sampleLocator(99), at))
    expectSame(await subject.store.findSession(samples.sampleLocator(5)), samples.sampleSession(5, { endedAt: at }), "session")
  }),
  it("FinishRequest replaces the version it read, whole", async (subject) => {
    await committed(subject, saved.interaction(6))
    const next = samples.sampleInteraction(6, {
      version: 2,
      params: [],
      signedInAt: at,
      consented: ["openid"],
      denied: true,
      finishedAt: at,
      answer: { outcome: "granted", subject: "subject" },
      keepUntil: at,
      expiresAt: at,
    })
    const finished = finishRequest({ ...next, version: 1, finishedAt: undefined }, at, { outcome: "granted", subject: "subject" })
    await committed(subject, finished)
    await conflicts(subject, finished)
    expectSame(await subject.store.findInteraction(samples.sampleLocator(6)), next, "interaction")
  }),
  it("a device is found by its locator and by its user code, and replaced by the version that was read (RFC 8628 §3.3)", async (subject) => {
    const { store } = subject
    await committed(subject, saved.device(7))
    await committed(subject, deviceAnswers.poll(samples.sampleDevice(7), at, 10))
    await conflicts(subject, deviceAnswers.poll(samples.sampleDevice(7), at, 10))
    const polled = samples.sampleDevice(7, { version: 2, polledAt: at, interval: 10 })
    await committed(subject, deviceAnswers.approve(polled, samples.sampleLocator(1)))
    await conflicts(subject, deviceAnswers.deny(polled))
    const next: Device = { ...polled, version: 3, state: "approved", grantId: samples.sampleLocator(1) }
    expectSame(await store.findDevice(samples.sampleLocator(7)), next, "by locator")
    expectSame(await store.findDeviceByUserCode("user code 7"), next, "by user code")
    expectSame(await store.findDeviceByUserCode("nobody's"), undefined, "an unknown user code")
  }),
  it("SaveConsent replaces the consent it read, and RemoveConsent removes without a guard", async (subject) => {
    const { store } = subject
    const first = samples.sampleConsent("subject", "client", { expiresAt: at })
    await committed(subject, saveConsent(first, undefined))
    const last = samples.sampleConsent("subject", "client", { scope: ["openid", "email"], grantedAt: at })
    await committed(subject, saveConsent(last, first.grantedAt))
    expectSame(await store.consentsOf("subject"), [last], "consents")
    for (let time = 0; time < 2; time++) await committed(subject, removeConsent("subject", "client"))
    expectSame(await store.findConsent("subject", "client"), undefined, "consent")
  }),
]
