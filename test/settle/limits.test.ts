import { defineClient } from "@postern/core"
import { sampleMessage } from "@postern/core/testing"
import fc from "fast-check"
import { expect, test } from "vitest"
import { buryMessage, deferMessage, deliverMessage, postponeMessage, releaseMessage } from "../../packages/core/src/model/index.ts"
import { deferred, deliveryPolicy, settled } from "../../packages/core/src/settle/outbox.ts"
import { addressLimited, clientLimited, takeOfAddress, takeOfClient, visitorsLimited } from "../../packages/core/src/settle/rate.ts"
import { Decided } from "../../packages/core/src/settle/stage.ts"
import { inquiryOf, now, run } from "./inquiry.ts"

const redirects = { redirect_uris: ["https://app.example/cb"] }
const open = defineClient({ ...redirects, client_id: "open", token_endpoint_auth_method: "none" })
const web = defineClient({ ...redirects, client_id: "web", token_endpoint_auth_method: "client_secret_basic" })

/** An inquiry with a limiter that tells who was limited and keeps them waiting as told. */
const limiting = (wait: number | undefined, told: object = {}) => {
  const taken: Array<unknown> = []
  const take = (...asked: ReadonlyArray<unknown>) => (taken.push(asked), wait)
  return { inquiry: inquiryOf({ limiter: { take } }, told), taken }
}

test("RFC 6749 §10.2: an address is limited as its network is, and nobody without one or without a limiter", () => {
  const { inquiry, taken } = limiting(7, { address: "2001:db8:1:2::1" })
  expect(takeOfAddress("token" as never, inquiry)).toBe(7)
  expect(takeOfAddress("token" as never, { ...inquiry, address: "2001:db8:1:2::9" })).toBe(7)
  expect(taken[0]).toEqual(taken[1])
  expect(taken[0]).toEqual(["token", expect.any(String), now * 1000])
  expect(takeOfAddress("token" as never, { ...inquiry, address: undefined })).toBeUndefined()
  expect([takeOfAddress("token" as never, inquiryOf()), takeOfClient("token" as never, web, inquiryOf())]).toEqual([undefined, undefined])
  expect(taken.length).toBe(2)
})

test("anybody may give a public client's name: it is limited for each address, a confidential client in all", () => {
  const { inquiry, taken } = limiting(undefined)
  const elsewhere = { ...inquiry, address: "198.51.100.1" }
  for (const each of [inquiry, elsewhere])
    for (const client of [open, web]) expect(takeOfClient("token" as never, client, each)).toBeUndefined()
  const senders = taken.map((asked) => (asked as ReadonlyArray<string>)[1])
  expect(senders[1]).toBe("web")
  expect([senders[0] === senders[2], senders[1] === senders[3]]).toEqual([false, true])
  expect(senders[0]).toContain("open")
})

test("RFC 6585 §4: whoever is over a limit is told when to come again, a program by JSON and a person by a page", async () => {
  const stages = [
    addressLimited("token", "token" as never),
    visitorsLimited("login", "login" as never),
    clientLimited("token", "token" as never),
  ]
  for (const stage of stages) {
    const seen = { client: web }
    expect(await run(stage.run(seen, limiting(undefined).inquiry))).toBe(seen)
    const end = await run(stage.run(seen, limiting(7).inquiry))
    expect(end).toBeInstanceOf(Decided)
    expect(JSON.stringify(end)).toContain("7")
    expect(stage.tables.length).toBe(1)
  }
  const tagOf = async (at: number) =>
    ((await run((stages[at] as (typeof stages)[0]).run({ client: web } as never, limiting(7).inquiry))) as Decided).decision._tag
  expect([await tagOf(0), await tagOf(1), await tagOf(2)]).toEqual(["RefuseJson", "RefusePage", "RefuseJson"])
})

test("an attempt that was broken off gives its message back at once, one that succeeded ends it", () => {
  const message = sampleMessage(1)
  const end = (delivery: Parameters<typeof settled>[2]) => settled(message, "claim", delivery, now, 0.5, deliveryPolicy)
  expect(end({ _tag: "Delivered" })).toEqual(deliverMessage(message.locator, "claim"))
  expect(end({ _tag: "BrokenOff" })).toEqual(releaseMessage(message.locator, "claim", now))
})

test("a message that failed comes back after twice the time of the time before, spread over its second half, and is buried after the last attempt", () => {
  const policy = { lease: 60, first: 10, longest: 100, most: 6, keepDead: 500 }
  const failed = (attempts: number, chance: number, failure = "down") =>
    settled(sampleMessage(1, { attempts }), "claim", { _tag: "Failed", failure }, now, chance, policy)
  const { locator } = sampleMessage(1)
  for (const [attempts, pause] of [
    [0, 10],
    [1, 20],
    [2, 40],
    [3, 80],
    [4, 100],
  ] as const) {
    expect(failed(attempts, 0)).toEqual(postponeMessage(locator, "claim", now + pause / 2, "down"))
    expect(failed(attempts, 1)).toEqual(postponeMessage(locator, "claim", now + pause, "down"))
  }
  expect(failed(5, 0)).toEqual(buryMessage(locator, "claim", now, now + 500, "down"))
  fc.assert(
    fc.property(fc.nat(4), fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), (attempts, chance) => {
      const at = Number(JSON.stringify(failed(attempts, chance)).match(/18\d{8}/)?.[0])
      const pause = Math.min(10 * 2 ** attempts, 100)
      expect(at - now).toBeGreaterThanOrEqual(pause / 2)
      expect(at - now).toBeLessThanOrEqual(pause)
    }),
  )
  expect(failed(0, 0, "x".repeat(600)), "a bounded part of a failure is kept").toEqual(failed(0, 0, "x".repeat(500)))
  expect(failed(0, 0, "x".repeat(499))).not.toEqual(failed(0, 0, "x".repeat(500)))
})

test("a message to a busy destination is put off for a quarter of a lease, rounded up", () => {
  const message = sampleMessage(1)
  expect(deferred(message, now, { ...deliveryPolicy, lease: 61 })).toEqual(deferMessage(message.locator, message.attempts, now, now + 16))
})
