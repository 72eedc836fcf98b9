import { describe, expect, it, vi } from "vitest"
import { argon2id, sqliteAuthenticator, type People, throttle } from "@postern/adapter-sqlite"
import { sampleTime } from "@postern/core/testing"
import { addressKey, coarseAddress } from "@postern/core/wire"
import { cheap, signIn, temporaryDatabase } from "./support.ts"

const limited = { perAccount: 3, perAddress: 6, firstWait: 30 }
const open = (): People =>
  sqliteAuthenticator(temporaryDatabase(), { hashing: argon2id(cheap), now: () => sampleTime, throttle: throttle(limited) })

describe("throttling", () => {
  it("an account that failed too often waits, with the right password too, and each wait is longer than the last", async () => {
    vi.useFakeTimers({ now: sampleTime * 1000 })
    try {
      const people = open()
      await people.add({ username: "alice", password: "wonderland" })
      const waits: Array<number> = []
      for (let row = 0; row < 7; row++) {
        for (let each = 0; each < 3; each++) expect(await signIn(people, "Alice", "wrong")).toMatchObject({ _tag: "Rejected" })
        const answer = await signIn(people, "alice", "wonderland")
        expect(answer._tag).toBe("Throttled")
        if (answer._tag !== "Throttled") return
        waits.push(answer.retryAfter)
        vi.advanceTimersByTime((answer.retryAfter - 1) * 1000)
        expect(await signIn(people, "alice", "wonderland")).toMatchObject({ _tag: "Throttled", retryAfter: 1 })
        vi.advanceTimersByTime(1000)
      }
      expect(waits).toEqual([30, 60, 120, 240, 480, 900, 900])
      expect(await signIn(people, "alice", "wonderland")).toMatchObject({ _tag: "Verified" })
    } finally {
      vi.useRealTimers()
    }
  })

  it("success forgets an account's failures", async () => {
    const people = open()
    await people.add({ username: "alice", password: "wonderland" })
    for (let round = 0; round < 4; round++) {
      for (let each = 0; each < 2; each++) await signIn(people, "alice", "wrong")
      expect(await signIn(people, "alice", "wonderland")).toMatchObject({ _tag: "Verified" })
    }
  })

  it("an unknown username waits like a known one", async () => {
    const people = open()
    for (let each = 0; each < 3; each++) await signIn(people, "nobody", "wrong")
    expect(await signIn(people, "nobody", "wrong")).toMatchObject({ _tag: "Throttled", retryAfter: 30 })
  })

  it("many tries at once are no more than as many in a row: a lockout cannot be raced", async () => {
    const people = open()
    await people.add({ username: "alice", password: "wonderland" })
    const answers = await Promise.all(Array.from({ length: 60 }, (_, each) => signIn(people, "alice", `guess ${each}`)))
    expect(answers.filter(({ _tag }) => _tag === "Rejected").length).toBe(3)
    expect(answers.filter(({ _tag }) => _tag === "Throttled").length).toBe(57)
  })

  it("an address that failed over many accounts waits, others do not; its own sign-ins cost it nothing and win it nothing", async () => {
    const people = open()
    await people.add({ username: "mallory", password: "own" })
    for (let each = 0; each < 20; each++) expect(await signIn(people, "mallory", "own", "203.0.113.9")).toMatchObject({ _tag: "Verified" })
    for (let each = 0; each < 6; each++) {
      expect(await signIn(people, `victim ${each}`, "password", "203.0.113.9")).toMatchObject({ _tag: "Rejected" })
    }
    expect(await signIn(people, "victim 7", "password", "203.0.113.9")).toMatchObject({ _tag: "Throttled" })
    expect(await signIn(people, "mallory", "own", "203.0.113.9")).toMatchObject({ _tag: "Throttled" })
    expect(await signIn(people, "victim 7", "password", "203.0.113.10")).toMatchObject({ _tag: "Rejected" })
  })

  it("an IPv6 address counts by its /64, a mapped one as its IPv4 address", () => {
    expect(addressKey("203.0.113.9")).toBe("203.0.113.9")
    expect(addressKey("::ffff:203.0.113.9")).toBe("203.0.113.9")
    expect(addressKey("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2::/64")
    expect(addressKey("2001:0db8:0001:0002::6")).toBe("2001:db8:1:2::/64")
    expect(addressKey("2001:db8::1")).toBe("2001:db8:0:0::/64")
    expect(addressKey("fe80::1%eth0")).toBe("fe80:0:0:0::/64")
    expect(addressKey("::1")).toBe("0:0:0:0::/64")
  })

  it.each([
    ["203.0.113.9", "203.0.113.0/24"],
    ["::ffff:203.0.113.9", "203.0.113.0/24"],
    ["2001:0db8:0001:0002::6", "2001:db8:1::/48"],
    ["2001:db8::1", "2001:db8:0::/48"],
    ["::1", "0:0:0::/48"],
  ])("a session keeps no more of %s than %s", (address, coarse) => {
    expect(coarseAddress(address)).toBe(coarse)
  })

  it("remembers a bounded number of accounts: the one counted longest ago makes way", async () => {
    const allow = throttle({ perAccount: 1, remembered: 10 })
    await allow("first", undefined)
    expect(await allow("first", undefined)).toMatchObject({ _tag: "TooMany" })
    for (let each = 0; each < 10; each++) await allow(`other ${each}`, undefined)
    expect(await allow("other 9", undefined)).toMatchObject({ _tag: "TooMany" })
    expect(await allow("first", undefined)).toMatchObject({ _tag: "Allowed" })
  })
})
