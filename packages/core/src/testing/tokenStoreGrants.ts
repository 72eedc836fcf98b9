import { type Command, endSession, keepGrant, requireGrant, revokeGrant, revokeGrants, saveGrant, signOut } from "../model/index.ts"
import { type ContractCase, expectSame } from "./contract.ts"
import * as samples from "./rows.ts"
import { type TokenStoreSubject, at, committed, conflicts, grant, it, saved } from "./tokenStoreSubject.ts"

/** Four grants: two people, two clients, two sessions. */
const four = [
  samples.sampleGrant(1),
  samples.sampleGrant(2, { clientId: "another client" }),
  samples.sampleGrant(3, { sessionId: samples.sampleLocator(50) }),
  samples.sampleGrant(4, { subject: "another" }),
]

const revokedOf = async ({ store }: TokenStoreSubject): Promise<ReadonlyArray<number>> => {
  const found = await Promise.all(
    [1, 2, 3, 4, 5, 6, 7].map(async (order) => [order, (await store.findGrant(samples.sampleLocator(order)))?.revokedAt] as const),
  )
  return found.flatMap(([order, revokedAt]) => (revokedAt === undefined ? [] : [order]))
}

const revoke = (narrowed: { readonly clientId?: string; readonly sessionId?: string }, subject = "subject"): Command =>
  revokeGrants({ subject, clientId: narrowed.clientId, sessionId: narrowed.sessionId }, at)

const narrowing = (name: string, command: Command, revoked: ReadonlyArray<number>): ContractCase<TokenStoreSubject> =>
  it(name, async (subject) => {
    await committed(subject, ...four.map((each) => saveGrant(each)))
    await committed(subject, command)
    expectSame(await revokedOf(subject), revoked, "revoked grants")
  })

/** Grants: required, kept, and revoked individually and together. */
export const grantCases: ReadonlyArray<ContractCase<TokenStoreSubject>> = [
  it("RequireGrant passes while the grant stands and fails once it is revoked", async (subject) => {
    await committed(subject, saveGrant(grant))
    await committed(subject, requireGrant(grant.id))
    expectSame(await subject.store.findGrant(grant.id), grant, "grant")
    await committed(subject, revokeGrant(grant.id, at))
    await conflicts(subject, requireGrant(grant.id))
  }),
  it("KeepGrant moves keepUntil later, never earlier, and fails once the grant is revoked", async (subject) => {
    await committed(subject, saveGrant(grant))
    await committed(subject, keepGrant(grant.id, grant.keepUntil - 1))
    expectSame(await subject.store.findGrant(grant.id), grant, "grant")
    await committed(subject, keepGrant(grant.id, grant.keepUntil + 1))
    expectSame(await subject.store.findGrant(grant.id), { ...grant, keepUntil: grant.keepUntil + 1 }, "grant")
    await committed(subject, revokeGrant(grant.id, at))
    await conflicts(subject, keepGrant(grant.id, at))
  }),
  it("RevokeGrant keeps the first revocation's time, and changes nothing of an unknown grant", async (subject) => {
    await committed(subject, saveGrant(grant))
    for (const time of [at, at + 1]) await committed(subject, revokeGrant(grant.id, time))
    await committed(subject, revokeGrant(samples.sampleLocator(99), at))
    expectSame(await subject.store.findGrant(grant.id), { ...grant, revokedAt: at }, "grant")
  }),
  narrowing("RevokeGrants revokes every grant of one person", revoke({}), [1, 2, 3]),
  narrowing("RevokeGrants narrows to a client", revoke({ clientId: "another client" }), [2]),
  narrowing("RevokeGrants narrows to a session", revoke({ sessionId: samples.sampleLocator(50) }), [3]),
  narrowing(
    "RevokeGrants narrows to a client in a session",
    revoke({ clientId: "another client", sessionId: samples.sampleLocator(50) }),
    [],
  ),
  narrowing("RevokeGrants of a person without grants changes nothing", revoke({}, "nobody"), []),
  it("EndSession with grants revokes those of the session that end with it, and no others", async (subject) => {
    const sessionId = samples.sampleLocator(50)
    await committed(
      subject,
      saved.session(50),
      saved.grant(1, { sessionId, endsWithSession: true }),
      saved.grant(2, { sessionId }),
      saved.grant(3, { endsWithSession: true }),
      saved.grant(4, { sessionId: undefined, endsWithSession: true }),
    )
    await committed(subject, endSession(sessionId, at))
    expectSame(await revokedOf(subject), [], "after another sign-in took the session's place")
    await committed(subject, ...signOut(sessionId, at))
    expectSame(await revokedOf(subject), [1], "after signing out")
  }),
  it("a revoked grant takes along those derived from it, and those derived from them, however it is revoked", async (subject) => {
    const sessionId = samples.sampleLocator(50)
    await committed(
      subject,
      saved.grant(1, { sessionId, endsWithSession: true }),
      saved.grant(2, { parentId: samples.sampleLocator(1), clientId: "another client" }),
      saved.grant(3, { parentId: samples.sampleLocator(2), subject: "another" }),
      saved.grant(4, { subject: "another" }),
      saved.grant(5, { parentId: samples.sampleLocator(4), subject: "another" }),
      saved.grant(6, { clientId: "a third client" }),
      saved.grant(7, { parentId: samples.sampleLocator(6) }),
    )
    const took = async (...commands: ReadonlyArray<Command>): Promise<void> => committed(subject, ...commands)
    await took(revokeGrant(samples.sampleLocator(4), at))
    expectSame(await revokedOf(subject), [4, 5], "after RevokeGrant")
    await took(revoke({ clientId: "a third client" }))
    expectSame(await revokedOf(subject), [4, 5, 6, 7], "after RevokeGrants")
    await took(...signOut(sessionId, at))
    expectSame(await revokedOf(subject), [1, 2, 3, 4, 5, 6, 7], "after EndSession")
    expectSame((await subject.store.findGrant(samples.sampleLocator(3)))?.revokedAt, at, "revokedAt")
  }),
  it("a chain of derived grants is revoked to its end, however long it is and however it is revoked", async (subject) => {
    const sessionId = samples.sampleLocator(50_000)
    const long = 1500
    const ways: ReadonlyArray<readonly [string, ReadonlyArray<Command>]> = [
      ["RevokeGrant", [revokeGrant(samples.sampleLocator(0), at)]],
      ["RevokeGrants", [revoke({ clientId: "of 1" })]],
      ["EndSession", signOut(sessionId, at)],
    ]
    for (const [way, [name, commands]] of ways.entries()) {
      const chain = Array.from({ length: long }, (_, each): Command => {
        const order = way * 10_000 + each
        const told =
          each === 0 ? { clientId: `of ${way}`, sessionId, endsWithSession: way === 2 } : { parentId: samples.sampleLocator(order - 1) }
        return saved.grant(order, told)
      })
      await committed(subject, ...chain)
      await committed(subject, ...commands)
      const ends = await Promise.all(
        [0, 1, long - 1].map(async (each) => subject.store.findGrant(samples.sampleLocator(way * 10_000 + each))),
      )
      expectSame(
        ends.map((each) => each?.revokedAt),
        [at, at, at],
        `revokedAt after ${name}`,
      )
    }
  }),
  it("what was derived from a grant that is revoked in its turn is revoked, and what that was derived from is not", async (subject) => {
    await committed(
      subject,
      saveGrant(grant),
      saved.grant(2, { parentId: samples.sampleLocator(1) }),
      saved.grant(3, { parentId: samples.sampleLocator(2) }),
      saved.grant(4, { parentId: samples.sampleLocator(1) }),
    )
    await committed(subject, revokeGrant(samples.sampleLocator(2), at))
    expectSame(await revokedOf(subject), [2, 3], "revoked grants")
  }),
  it("KeepGrant keeps all that the grant was derived from, and nothing that was derived from those", async (subject) => {
    const keepUntil = grant.keepUntil + 10
    await committed(
      subject,
      saveGrant(grant),
      saved.grant(2, { parentId: samples.sampleLocator(1), keepUntil: keepUntil + 10 }),
      saved.grant(3, { parentId: samples.sampleLocator(2) }),
      saved.grant(4, { parentId: samples.sampleLocator(3) }),
      saved.grant(5, { parentId: samples.sampleLocator(1) }),
      keepGrant(samples.sampleLocator(3), keepUntil),
    )
    const kept = await Promise.all([1, 2, 3, 4, 5].map(async (order) => subject.store.findGrant(samples.sampleLocator(order))))
    expectSame(
      kept.map((each) => (each?.keepUntil ?? 0) - grant.keepUntil),
      [10, 20, 10, 0, 0],
      "how much later each is kept",
    )
    await committed(subject, revokeGrant(samples.sampleLocator(1), at))
    await conflicts(subject, keepGrant(samples.sampleLocator(3), keepUntil + 100))
    expectSame((await subject.store.findGrant(samples.sampleLocator(1)))?.keepUntil, keepUntil, "keepUntil of the first after the conflict")
  }),
  it("RevokeGrants keeps the time of what was revoked before", async (subject) => {
    await committed(subject, saveGrant(grant), revokeGrant(grant.id, at - 1), revoke({}))
    expectSame((await subject.store.findGrant(grant.id))?.revokedAt, at - 1, "revokedAt")
  }),
]
