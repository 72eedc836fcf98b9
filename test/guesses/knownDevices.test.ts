import { secretOf } from "@postern/core"
import type { TokenStorePort } from "@postern/core/ports"
import { describe, expect, it } from "vitest"
import type { Said, Visitor } from "../support/visitor.ts"
import { type World, type WorldOptions, password, world } from "../support/world.ts"
import { type Ground, grounds, statuses } from "./grounds.ts"

const accountKey = secretOf("a key of the accounts, 32 characters")
const provider = (tokens: TokenStorePort): Promise<World> => world({ tokens, more: { accountKey } })
const first = async ({ open }: Ground): Promise<World> => provider((await open(1))[0] ?? expect.fail())

const cookieName = "__Host-postern-known"
const knownAs = (visitor: Visitor): string => visitor.cookies.get(cookieName) ?? expect.fail("the browser is not known")

/** Types a password on the sign-in page. */
const type = async (visitor: Visitor, username: string, typed: string): Promise<Said> =>
  visitor.submit((await visitor.get("/login", { another: "1" })).page, [
    ["username", username],
    ["password", typed],
  ])

/** A browser that somebody has signed in from. */
const signedInAt = async (w: World, ...usernames: ReadonlyArray<string>): Promise<Visitor> => {
  const visitor = w.visitor()
  for (const username of usernames) expect((await type(visitor, username, password)).status).toBe(303)
  return visitor
}

/** Somebody elsewhere uses up the tries of an account. */
const lockOut = async (w: World, username = "alice"): Promise<void> => {
  for (let each = 0; each < 5; each++) expect((await type(w.visitor(), username, "guess")).status).toBe(400)
  expect((await type(w.visitor(), username, password)).status).toBe(429)
}

describe.each(grounds())("a known device on $name", (ground) => {
  it("signs its person in while somebody elsewhere has used up the account's tries, and the address's (NIST SP 800-63B §3.2.2)", async () => {
    const w = await first(ground)
    const visitor = await signedInAt(w, "alice")
    await lockOut(w)
    expect((await type(visitor, "alice", password)).status).toBe(303)
    for (let each = 0; each < 45; each++) await type(w.visitor(), `victim ${each}`, "guess")
    expect((await type(w.visitor(), "bob", password)).status).toBe(429)
    expect((await type(visitor, "alice", password)).status).toBe(303)
    // Whoever guesses elsewhere wins no tries by that.
    expect((await type(w.visitor(), "alice", password)).status).toBe(429)
  })

  it("judges five of sixty guesses at once, and locks nobody out elsewhere (NIST SP 800-63B §3.2.2)", async () => {
    const w = await first(ground)
    const visitor = await signedInAt(w, "alice")
    const form = (await visitor.get("/login", { another: "1" })).page
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, each) =>
        visitor.submit(form, [
          ["username", "alice"],
          ["password", `guess ${each}`],
        ]),
      ),
    )
    expect(statuses(answers)).toEqual({ 400: 5, 429: 55 })
    expect((await type(w.visitor(), "alice", password)).status).toBe(303)
  })

  it("gives its account 25 tries at all known devices together: many made known are no way to guess on (NIST SP 800-63B §3.2.2)", async () => {
    const w = await first(ground)
    const visitors: Array<Visitor> = []
    for (let each = 0; each < 6; each++) visitors.push(await signedInAt(w, "alice"))
    const answers: Array<Said> = []
    for (const visitor of visitors) for (let each = 0; each < 5; each++) answers.push(await type(visitor, "alice", `guess ${each}`))
    expect(statuses(answers)).toEqual({ 400: 25, 429: 5 })
    expect((await type(w.visitor(), "alice", password)).status).toBe(303)
  })

  it("is known to each machine that has the key, and after a restart", async () => {
    const two = await Promise.all((await ground.open(2)).map(provider))
    const [here = expect.fail(), there = expect.fail()] = two
    const visitor = await signedInAt(here, "alice")
    await lockOut(there)
    const elsewhere = there.visitor()
    for (const [name, value] of visitor.cookies) elsewhere.cookies.set(name, value)
    expect((await type(elsewhere, "alice", password)).status).toBe(303)
  })
})

describe("the cookie of known devices", () => {
  const options: WorldOptions = { more: { accountKey } }

  it("names nobody, says another thing after each sign-in, and stays when its person signs out", async () => {
    const w = await world(options)
    const visitor = await signedInAt(w, "alice")
    const before = knownAs(visitor)
    expect(before).toMatch(/^[\w-]{22}\.[0-9a-z]+\.[\w-]{43}$/)
    const elsewhere = await signedInAt(w, "alice")
    expect(knownAs(elsewhere).split(".")[0]).not.toBe(before.split(".")[0])
    await type(visitor, "alice", password)
    const parts = [before, knownAs(visitor)].map((each) => each.split("."))
    expect(parts[0]?.[0]).not.toBe(parts[1]?.[0])
    expect(parts[0]?.[2]).not.toBe(parts[1]?.[2])
    const home = (await visitor.get("/")).page
    await visitor.submit(home, [], "logout")
    expect(knownAs(visitor)).toBe(parts[1]?.join("."))
  })

  it("is good for its own account, unchanged, for 90 days, and for the provider that made it", async () => {
    const w = await world(options)
    const visitor = await signedInAt(w, "alice")
    const value = knownAs(visitor)
    await lockOut(w, "bob")
    expect((await type(visitor, "bob", password)).status).toBe(429)
    await lockOut(w)
    const [id = "", expiresAt = "", seal = ""] = value.split(".")
    const later = (Number.parseInt(expiresAt, 36) + 1).toString(36)
    for (const wrong of [
      `${id.slice(1)}A.${expiresAt}.${seal}`,
      `${id}.${later}.${seal}`,
      `${id}.${expiresAt}`,
      "~~",
      "",
      "x".repeat(4000),
    ]) {
      const forger = w.visitor()
      forger.cookies.set(cookieName, wrong)
      expect((await type(forger, "alice", password)).status).toBe(429)
    }
    const stranger = await world({ more: { accountKey: secretOf("another key, of 32 characters too.") } })
    await lockOut(stranger)
    const guest = stranger.visitor()
    guest.cookies.set(cookieName, value)
    expect((await type(guest, "alice", password)).status).toBe(429)
    w.pass(7_776_000 - 900)
    await lockOut(w)
    const last = w.visitor()
    last.cookies.set(cookieName, value)
    expect((await type(last, "alice", "guess")).status).toBe(400)
    w.pass(900)
    await lockOut(w)
    last.cookies.set(cookieName, value)
    expect((await type(last, "alice", password)).status).toBe(429)
  })

  it("holds five accounts at the most, the latest", async () => {
    const w = await world(options)
    const names = ["ann", "ben", "cyd", "dan", "eve", "fay"]
    for (const username of names) w.people.set(username, { subject: `sub-${username}`, username, active: true, claims: {} })
    const visitor = await signedInAt(w, ...names, "fay")
    expect(knownAs(visitor).split("~")).toHaveLength(5)
    expect(knownAs(visitor).length).toBeLessThan(400)
    for (const username of ["fay", "ben", "ann"]) await lockOut(w, username)
    const form = async (username: string) => (await type(visitor, username, "guess")).status
    expect([await form("fay"), await form("ben"), await form("ann")]).toEqual([400, 400, 429])
  })

  it("is good for the provider's life where no key is given", async () => {
    const w = await world()
    const visitor = await signedInAt(w, "alice")
    await lockOut(w)
    expect((await type(visitor, "alice", password)).status).toBe(303)
  })
})
