import * as Effect from "effect/Effect"
import { expect, test } from "vitest"
import { knownCookie, knownDevice } from "../../packages/core/src/settle/knownDevice.ts"
import type { Inquiry } from "../../packages/core/src/settle/request.ts"
import type { Message } from "../../packages/core/src/wire/index.ts"
import { inquiryOf, later, now, run } from "./inquiry.ts"

const ninetyDays = 90 * 86_400

const withCookie = (value: string | undefined): Message => ({
  method: "POST",
  path: "/login",
  query: "",
  headers: value === undefined ? {} : { cookie: `a=b; __Host-postern-known=${value}` },
  body: "",
  address: undefined,
})

/** Signs people in at one browser, one after the other, and answers its cookie. */
const signIns = async (inquiry: Inquiry, names: ReadonlyArray<string>, before?: string): Promise<string> => {
  let cookie = before
  for (const name of names) cookie = (await run(knownCookie(withCookie(cookie), name, inquiry))).value
  return cookie ?? ""
}
const isKnown = async (cookie: string, name: string, inquiry: Inquiry) =>
  (await run(knownDevice(withCookie(cookie), name, inquiry))) !== undefined

test("a browser is known by an id of an earlier sign-in for whoever signed in there, whatever the case of the name, and for nobody else", async () => {
  const inquiry = inquiryOf()
  const { name, value = "" } = await run(knownCookie(withCookie(undefined), "Alice", inquiry))
  expect(name).toBe("known")
  expect(value).toMatch(/^[\w-]{22}\.[0-9a-z]{1,8}\.[\w-]{43}$/)
  const [id, expiresAt] = value.split(".")
  expect(Number.parseInt(expiresAt ?? "", 36)).toBe(now + ninetyDays)
  expect(await run(knownDevice(withCookie(value), "alice", inquiry))).toBe(id)
  expect(await run(knownDevice(withCookie(value), "bob", inquiry))).toBeUndefined()
  expect(await run(knownDevice(withCookie(undefined), "alice", inquiry))).toBeUndefined()
  expect(await isKnown(value, "alice", inquiryOf({ accountKey: () => ({ reveal: () => "another" }) })), "sealed by another key").toBe(false)
})

test("an earlier sign-in counts for ninety days, up to the second", async () => {
  const inquiry = inquiryOf()
  const cookie = await signIns(inquiry, ["alice"])
  const known = [ninetyDays - 1, ninetyDays, ninetyDays + 1].map((after) => isKnown(cookie, "alice", later(inquiry, { now: now + after })))
  expect(await Promise.all(known)).toEqual([true, false, false])
})

test("an id is another after each sign-in: the browser's tries are counted anew", async () => {
  const inquiry = inquiryOf()
  const first = await signIns(inquiry, ["alice"])
  const second = await signIns(inquiry, ["alice"], first)
  expect(second.split("~").length, "it takes the place of the one before").toBe(1)
  const ids = [first, second].map((cookie) => run(knownDevice(withCookie(cookie), "alice", inquiry)))
  expect(new Set(await Promise.all(ids)).size).toBe(2)
})

test("a browser is known for five accounts; a sixth takes the place of the one that signed in longest ago", async () => {
  const inquiry = inquiryOf()
  const names = ["alice", "bob", "carol", "dave", "erin"]
  const five = await signIns(inquiry, names)
  expect(five.split("~").length).toBe(5)
  expect(await Promise.all(names.map((name) => isKnown(five, name, inquiry)))).toEqual([true, true, true, true, true])
  const again = await signIns(inquiry, ["alice"], five)
  expect(again.split("~").length).toBe(5)
  const sixth = await signIns(inquiry, ["frank"], again)
  expect(sixth.split("~").length).toBe(5)
  const kept = await Promise.all([...names, "frank"].map((name) => isKnown(sixth, name, inquiry)))
  expect(kept, "bob's is the oldest").toEqual([true, false, true, true, true, true])
  const more = `${five}~${await signIns(inquiry, ["frank"])}`
  expect(await isKnown(more, "frank", inquiry), "no more of a cookie is read").toBe(false)
})

test("an earlier sign-in that was changed anywhere, or is not written as we write it, is none; those beside it are", async () => {
  const inquiry = inquiryOf()
  const [bob = "", alice = ""] = (await signIns(inquiry, ["alice", "bob"])).split("~")
  const [id = "", expiresAt = "", seal = ""] = alice.split(".")
  const flip = (text: string) => (text.startsWith("A") ? "B" : "A") + text.slice(1)
  const changed = [
    `${flip(id)}.${expiresAt}.${seal}`,
    `${id}.${(Number.parseInt(expiresAt, 36) + 1).toString(36)}.${seal}`,
    `${id}.${expiresAt}.${flip(seal)}`,
    `${id}.${expiresAt}`,
    `x${alice}`,
    `${alice}x`,
    `${id.slice(1)}.${expiresAt}.${seal}`,
    `${id}.${expiresAt.toUpperCase()}.${seal}`,
    `${id}..${seal}`,
    `${id}.0${"0".repeat(8)}${expiresAt}.${seal}`,
    "",
  ]
  for (const each of changed) {
    expect(await isKnown(`${each}~${bob}`, "alice", inquiry), each).toBe(false)
    expect(await isKnown(`${each}~${bob}`, "bob", inquiry), each).toBe(true)
  }
  expect((await signIns(inquiry, ["carol"], changed.slice(3).join("~"))).split("~").length).toBe(1)
})

test("a seal whose key cannot be used fails, and takes nobody for known", async () => {
  const failing = inquiryOf({ digest: { sha256: () => Effect.fail("no digest") } })
  expect(await run(Effect.flip(knownCookie(withCookie(undefined), "alice", failing)))).toBe("no digest")
})
