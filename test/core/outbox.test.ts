import { claimOf, type DeliveryPolicy, deliveryPolicy, hasAttemptLeft, settled } from "@postern/core/outbox"
import { memoryTokenStore } from "@postern/core/memory"
import { addMessage, outbox, type OutboxMessage } from "@postern/core/model"
import { sampleLocator, sampleMessage } from "@postern/core/testing"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

const at = 1_800_000_000
const policy: DeliveryPolicy = { lease: 60, first: 15, longest: 600, most: 5, keepDead: 1000 }
const failure = { _tag: "Failed", failure: "no answer" } as const
const locator = sampleLocator(1)

/** A store with one message, and what becomes of it. */
const world = () => {
  const store = memoryTokenStore()
  store.commit([addMessage(locator, "kind", { to: "somebody" }, at)])
  const found = (): OutboxMessage | undefined => store.find(outbox, { locator }) as OutboxMessage | undefined
  return { ...store, found }
}

describe("the outbox (architecture law 13)", () => {
  it("a message that is claimed is due again when the claim runs out, and not a second before", () => {
    const { commit, found, list } = world()
    const message = found() ?? sampleMessage(1)
    expect(commit([claimOf(message, "one", at, policy)])).toBe("Committed")
    expect(commit([claimOf(message, "two", at + policy.lease - 1, policy)])).toBe("Conflict")
    expect(list(outbox, "due", { now: at + policy.lease - 1 })).toEqual([])
    expect(list(outbox, "due", { now: at + policy.lease })).toHaveLength(1)
    // A copy from before the first claim says nothing of how often it was tried.
    expect(commit([claimOf(message, "two", at + policy.lease, policy)])).toBe("Conflict")
    expect(commit([claimOf(found() ?? message, "two", at + policy.lease, policy)])).toBe("Committed")
    // The first one settles nothing any more.
    expect(commit([settled(message, "one", { _tag: "Delivered" }, at + 61, 0, policy)])).toBe("Conflict")
    expect(commit([settled(message, "two", { _tag: "Delivered" }, at + 61, 0, policy)])).toBe("Committed")
    expect(found()).toBeUndefined()
  })

  it("a message that always fails is tried as often as the policy says, ever later, and then kept as a dead letter until it is swept", () => {
    const { commit, found, list, sweep } = world()
    const times: Array<number> = []
    let now = at
    for (let message = found(); message?.diedAt === undefined; message = found()) {
      if (message === undefined) throw new Error("the message is gone")
      now = message.dueAt
      times.push(now - at)
      expect(hasAttemptLeft(message, policy)).toBe(true)
      commit([claimOf(message, `${now}`, now, policy)])
      commit([settled(message, `${now}`, failure, now, 0, policy)])
    }
    expect(times).toEqual([0, 8, 8 + 15, 8 + 15 + 30, 8 + 15 + 30 + 60])
    expect(found()).toMatchObject({ attempts: 5, lastFailure: "no answer", diedAt: now, keepUntil: now + 1000, claimedBy: undefined })
    expect([list(outbox, "due", { now: now + 999_999 }), (list(outbox, "dead", {}) as ReadonlyArray<unknown>).length]).toEqual([[], 1])
    expect([sweep(now + 999).removed, sweep(now + 1000).removed]).toEqual([0, 1])
  })

  it("RFC 9110 §10.2.3: a message is tried not before the moment that its destination names, but no later than the longest pause", () => {
    const { commit, found } = world()
    const tried = (notBefore: number): number => {
      const message = found() ?? sampleMessage(1)
      commit([claimOf(message, "one", message.dueAt, policy)])
      commit([settled(message, "one", { ...failure, notBefore }, at, 0, policy)])
      return (found()?.dueAt ?? 0) - at
    }
    expect([tried(at + 200), tried(at + 100_000), tried(at - 1)]).toEqual([200, policy.longest, 30])
  })

  it("OpenID Connect Back-Channel Logout §2.8: a message that its destination refuses for good is a dead letter at once", () => {
    const { commit, found, list } = world()
    const message = found() ?? sampleMessage(1)
    commit([claimOf(message, "one", at, policy)])
    commit([settled(message, "one", { _tag: "Refused", failure: "400" }, at, 0, policy)])
    expect(found()).toMatchObject({ attempts: 1, lastFailure: "400", diedAt: at, keepUntil: at + policy.keepDead })
    expect(list(outbox, "due", { now: at + 999_999 })).toEqual([])
  })

  it("a message that waits is never swept, and a process that died of a message has used an attempt", () => {
    const { commit, found, sweep } = world()
    for (let now = at; now < at + policy.most * policy.lease; now += policy.lease) {
      commit([claimOf(found() ?? sampleMessage(1), `${now}`, now, policy)])
      expect(sweep(now + 9e8).removed).toBe(0)
    }
    expect(hasAttemptLeft(found() ?? sampleMessage(1), policy)).toBe(false)
  })

  it("the pause before the next attempt grows, is never longer than the policy says, and is spread over its second half", () => {
    fc.assert(
      fc.property(fc.nat(60), fc.double({ min: 0, max: 0.999, noNaN: true }), (attempts, chance) => {
        const message = sampleMessage(1, { attempts })
        const pauseOf = (spread: number): number =>
          Number(settled(message, "one", failure, at, spread, { ...deliveryPolicy, most: 1000 }).given["dueAt"]) - at
        const whole = Math.min(deliveryPolicy.first * 2 ** attempts, deliveryPolicy.longest)
        expect(pauseOf(chance)).toBeGreaterThanOrEqual(whole / 2)
        expect(pauseOf(chance)).toBeLessThanOrEqual(whole)
        expect(pauseOf(0)).toBeLessThanOrEqual(pauseOf(0.999))
      }),
    )
  })
})
