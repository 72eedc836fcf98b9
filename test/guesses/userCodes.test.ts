import type { TokenStorePort } from "@postern/core/ports"
import { describe, expect, it } from "vitest"
import { post, signedIn } from "../support/flows.ts"
import { type Said, said } from "../support/visitor.ts"
import { type World, world } from "../support/world.ts"
import { type Ground, grounds, statuses } from "./grounds.ts"

const provider = (tokens: TokenStorePort): Promise<World> => world({ tokens })
const opened = async ({ open }: Ground, processes = 1): Promise<ReadonlyArray<World>> => Promise.all((await open(processes)).map(provider))
const first = async (ground: Ground): Promise<World> => (await opened(ground))[0] ?? expect.fail()

const letters = "BCDFGHJKLMNPQRSTVWXZ"
/** User codes that no device has. */
const guesses = (count: number): ReadonlyArray<string> =>
  Array.from(
    { length: count },
    (_, each) => `BBBBB${letters[Math.floor(each / 400)]}${letters[Math.floor(each / 20) % 20]}${letters[each % 20]}`,
  )

const deviceOf = async (w: World): Promise<string> =>
  String((await post(w, "/connect/deviceauthorization", "tv", { scope: "openid" })).json?.["user_code"])

/** Opens the page with a code; each in a browser of its own, at one address. */
const open = async (w: World, code: string, address = "192.0.2.1"): Promise<Said> =>
  said(await w.send({ path: "/device", query: `user_code=${code}`, address }))

describe.each(grounds())("user codes on $name", (ground) => {
  it("six hundred wrong codes at once are ten that are judged (RFC 8628 §5.1)", async () => {
    const w = await first(ground)
    const answers = await Promise.all(guesses(600).map((code) => open(w, code)))
    expect(statuses(answers)).toEqual({ 400: 10, 429: 590 })
  })

  it("so they are from one browser that moves about, and the right one after them is not looked at (RFC 8628 §5.1)", async () => {
    const w = await first(ground)
    const right = await deviceOf(w)
    const visitor = await signedIn(w)
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const from = async (code: string, each: number) =>
      said(await w.send({ path: "/device", query: `user_code=${code}`, headers: { cookie }, address: `198.51.100.${each}` }))
    expect(statuses(await Promise.all(guesses(100).map(from)))).toEqual({ 400: 10, 429: 90 })
    expect((await from(right, 100)).status).toBe(429)
  })

  it("codes sent to two processes at once count together (RFC 8628 §5.1)", async () => {
    const two = await opened(ground, 2)
    const answers = await Promise.all(guesses(200).map((code, each) => open(two[each % 2] ?? expect.fail(), code)))
    expect(statuses(answers)).toEqual({ 400: 10, 429: 190 })
  })

  it("a right code takes back its own try and no other: nobody types free of a limit by knowing one (RFC 8628 §5.1)", async () => {
    const w = await first(ground)
    const right = await deviceOf(w)
    await Promise.all(guesses(9).map((code) => open(w, code)))
    for (let each = 0; each < 3; each++) expect((await open(w, right)).status).toBe(303)
    expect((await open(w, "BBBBBBBB")).status).toBe(400)
    expect((await open(w, right)).status).toBe(429)
  })
})
