import type { Command, Instant } from "../model/index.ts"
import { type ContractCase, contractCase, expectSame } from "./contract.ts"
import { sampleGrant, sampleTime } from "./rows.ts"
import { type TokenStoreSubject, committed, conflicts } from "./tokenStoreSubject.ts"

const it = contractCase<TokenStoreSubject>
const at = sampleTime + 10
const grant = sampleGrant(1)

const reserve = (time: Instant, fullUntil?: Instant): Extract<Command, { readonly _tag: "ReserveAttempt" }> => ({
  _tag: "ReserveAttempt",
  key: "key",
  at: time,
  most: 3,
  resetAt: time + 900,
  fullUntil,
})

/** Counted tries: their limits, and what may be used once. */
export const attemptCases: ReadonlyArray<ContractCase<TokenStoreSubject>> = [
  it("CountAttempt counts until its time is over, and then from one again", async (subject) => {
    const count = (time: number): Command => ({ _tag: "CountAttempt", key: "key", at: time, resetAt: time + 900 })
    await committed(subject, count(at), count(at + 1))
    await committed(subject, count(at + 899))
    expectSame(await subject.store.findAttempts("key"), { key: "key", count: 3, resetAt: at + 900 }, "attempts")
    await committed(subject, count(at + 900))
    expectSame(await subject.store.findAttempts("key"), { key: "key", count: 1, resetAt: at + 1800 }, "attempts anew")
    expectSame(await subject.store.findAttempts("another"), undefined, "another key")
  }),
  it("ReserveAttempt counts no more than so many until their time is over, and then from one again (RFC 8628 §5.1)", async (subject) => {
    await committed(subject, reserve(at), reserve(at + 1))
    await committed(subject, reserve(at + 899))
    await conflicts(subject, reserve(at + 899))
    expectSame(await subject.store.findAttempts("key"), { key: "key", count: 3, resetAt: at + 900 }, "attempts")
    await conflicts(subject, { _tag: "SaveGrant", grant }, reserve(at + 899))
    expectSame(await subject.store.findGrant(grant.id), undefined, "what was to be saved with one too many")
    await committed(subject, reserve(at + 900))
    expectSame(await subject.store.findAttempts("key"), { key: "key", count: 1, resetAt: at + 1800 }, "attempts anew")
  }),
  it("ReserveAttempt: the last that may be counted has all of them end when it says", async (subject) => {
    const until = at + 50
    await committed(subject, reserve(at, until), reserve(at + 1, until))
    expectSame((await subject.store.findAttempts("key"))?.resetAt, at + 900, "the end before the last")
    await committed(subject, reserve(at + 2, until))
    expectSame(await subject.store.findAttempts("key"), { key: "key", count: 3, resetAt: until }, "the end after the last")
    await conflicts(subject, reserve(until - 1, until))
    await committed(subject, reserve(until, until + 50))
    await committed(subject, { ...reserve(at, until), key: "one", most: 1 })
    expectSame(await subject.store.findAttempts("one"), { key: "one", count: 1, resetAt: until }, "the only one")
    await conflicts(subject, { ...reserve(at, until), key: "one", most: 1 })
    await committed(subject, { ...reserve(until, until + 9), key: "one", most: 1 })
    expectSame((await subject.store.findAttempts("one"))?.resetAt, until + 9, "the only one, anew")
  }),
  it("ReturnAttempt takes one try back, and none of a time that began later", async (subject) => {
    await committed(subject, reserve(at), reserve(at), reserve(at))
    await committed(subject, { _tag: "ReturnAttempt", key: "key", until: at + 900 })
    expectSame((await subject.store.findAttempts("key"))?.count, 2, "the count")
    await committed(subject, { _tag: "ReturnAttempt", key: "key", until: at + 899 })
    expectSame((await subject.store.findAttempts("key"))?.count, 2, "the count of a later time")
    for (let each = 0; each < 3; each++) await committed(subject, { _tag: "ReturnAttempt", key: "key", until: at + 900 })
    expectSame((await subject.store.findAttempts("key"))?.count, 0, "the count, never below none")
    await committed(subject, { _tag: "ReturnAttempt", key: "another", until: at + 900 }, reserve(at), reserve(at), reserve(at))
    await conflicts(subject, reserve(at))
  }),
  it("ForgetAttempts forgets one key, and no other", async (subject) => {
    await committed(subject, reserve(at), { ...reserve(at), key: "another" })
    await committed(subject, { _tag: "ForgetAttempts", key: "key" }, { _tag: "ForgetAttempts", key: "unknown" })
    expectSame(await subject.store.findAttempts("key"), undefined, "the forgotten one")
    expectSame((await subject.store.findAttempts("another"))?.count, 1, "the other")
  }),
  it("UseOnce is a conflict until its time is over (RFC 7523 §3 jti)", async (subject) => {
    const use = (time: number): Command => ({ _tag: "UseOnce", key: "jti", at: time, until: at + 60 })
    await committed(subject, use(at))
    await conflicts(subject, use(at))
    await conflicts(subject, use(at + 59))
    expectSame(await subject.store.findAttempts("jti"), { key: "jti", count: 1, resetAt: at + 60 }, "the use")
    await committed(subject, { _tag: "UseOnce", key: "jti", at: at + 60, until: at + 120 })
    expectSame((await subject.store.findAttempts("jti"))?.resetAt, at + 120, "the next use")
  }),
]
