import {
  type Command,
  type Instant,
  countAttempt,
  forgetAttempts,
  reserveAttempt,
  returnAttempt,
  saveGrant,
  useOnce,
  uses,
} from "../model/index.ts"
import { type ContractCase, expectSame } from "./contract.ts"
import { type TokenStoreSubject, at, committed, conflicts, grant, it } from "./tokenStoreSubject.ts"

const reserve = (time: Instant, fullUntil?: Instant, key = "key", most = 3): Command =>
  reserveAttempt({ key, most, resetAt: time + 900, fullUntil }, time)

/** Counted attempts with their limits, and values that may be used once. */
export const attemptCases: ReadonlyArray<ContractCase<TokenStoreSubject>> = [
  it("CountAttempt counts until its time is over, and then from one again", async (subject) => {
    const count = (time: number): Command => countAttempt("key", time, time + 900)
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
    await conflicts(subject, saveGrant(grant), reserve(at + 899))
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
    await committed(subject, reserve(at, until, "one", 1))
    expectSame(await subject.store.findAttempts("one"), { key: "one", count: 1, resetAt: until }, "the only one")
    await conflicts(subject, reserve(at, until, "one", 1))
    await committed(subject, reserve(until, until + 9, "one", 1))
    expectSame((await subject.store.findAttempts("one"))?.resetAt, until + 9, "the only one, anew")
  }),
  it("ReturnAttempt takes one try back, and none of a time that began later", async (subject) => {
    await committed(subject, reserve(at), reserve(at), reserve(at))
    await committed(subject, returnAttempt("key", at + 900))
    expectSame((await subject.store.findAttempts("key"))?.count, 2, "the count")
    await committed(subject, returnAttempt("key", at + 899))
    expectSame((await subject.store.findAttempts("key"))?.count, 2, "the count of a later time")
    for (let each = 0; each < 3; each++) await committed(subject, returnAttempt("key", at + 900))
    expectSame((await subject.store.findAttempts("key"))?.count, 0, "the count, never below none")
    await committed(subject, returnAttempt("another", at + 900), reserve(at), reserve(at), reserve(at))
    await conflicts(subject, reserve(at))
  }),
  it("ForgetAttempts forgets one key, and no other", async (subject) => {
    await committed(subject, reserve(at), reserve(at, undefined, "another"))
    await committed(subject, forgetAttempts("key"), forgetAttempts("unknown"))
    expectSame(await subject.store.findAttempts("key"), undefined, "the forgotten one")
    expectSame((await subject.store.findAttempts("another"))?.count, 1, "the other")
  }),
  it("UseOnce is a conflict until its time is over (RFC 7523 §3 jti)", async (subject) => {
    const use = (time: number): Command => useOnce("jti", time, at + 60)
    await committed(subject, use(at))
    await conflicts(subject, use(at))
    await conflicts(subject, use(at + 59))
    expectSame(await subject.store.find(uses, { key: "jti" }), { key: "jti", expiresAt: at + 60 }, "the use")
    await committed(subject, useOnce("jti", at + 60, at + 120))
    expectSame(await subject.store.find(uses, { key: "jti" }), { key: "jti", expiresAt: at + 120 }, "the next use")
    expectSame(await subject.store.find(uses, { key: "another" }), undefined, "another")
    await conflicts(subject, useOnce("another", at, at + 60), useOnce("another", at, at + 60))
    await committed(subject, useOnce("another", at, at + 60))
  }),
]
