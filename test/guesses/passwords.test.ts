import { setImmediate as turn } from "node:timers/promises"
import type { TokenStorePort } from "@postern/core/ports"
import { describe, expect, it } from "vitest"
import { token } from "../support/flows.ts"
import { fakeProviders, withUpstream } from "../support/upstream.ts"
import type { Said } from "../support/visitor.ts"
import { type World, password, world } from "../support/world.ts"
import { type Ground, grounds, statuses } from "./grounds.ts"

interface Judging {
  readonly w: World
  /** Every password that was looked at. */
  readonly judged: Array<string>
}

/** A provider whose passwords, its own and another provider's, take a while to judge. */
const provider = async (tokens: TokenStorePort): Promise<Judging> => {
  const judged: Array<string> = []
  const slowly = async (typed: string): Promise<boolean> => {
    judged.push(typed)
    for (let turns = 0; turns < 5; turns++) await turn()
    return typed === password
  }
  const identityProviders = fakeProviders()
  const w = await world({
    ...withUpstream({}, { tokens }),
    authenticator: {
      verify: async ({ username, password: typed }) => {
        const person = [...w.people.values()].find((each) => each.username === username)
        if (!(await slowly(typed.reveal())) || person === undefined) return { _tag: "Rejected", reason: "wrong" }
        return { _tag: "Verified", person, amr: ["pwd"], acr: undefined }
      },
    },
    more: {
      ...withUpstream().more,
      identityProviders: {
        ...identityProviders,
        password: async (request) => {
          await slowly(request.password.reveal())
          return identityProviders.password(request)
        },
      },
    },
  })
  return { w, judged }
}

const opened = async ({ open }: Ground, processes = 1) => Promise.all((await open(processes)).map(provider))
const first = async (ground: Ground): Promise<Judging> => (await opened(ground))[0] ?? expect.fail()
const guesses = (count: number): ReadonlyArray<string> => Array.from({ length: count }, (_, each) => `guess ${each}`)

/** Types a password on the sign-in page, in a browser of its own. */
const type = async (w: World, username: string, typed: string): Promise<Said> => {
  const visitor = w.visitor()
  return visitor.submit((await visitor.get("/login")).page, [
    ["username", username],
    ["password", typed],
  ])
}
const grant = (w: World, username: string, typed: string): Promise<Said> =>
  token(w, "ropc", { grant_type: "password", username, password: typed })
const elsewhere = (w: World, username: string, typed: string): Promise<Said> =>
  token(w, "ropc-work", { grant_type: "password", username, password: typed, acr_values: "idp:corp" })

describe.each(grounds())("passwords on $name", (ground) => {
  it("sixty guesses at one account at once, by page and by grant, are five that are judged (NIST SP 800-63B §3.2.2)", async () => {
    const { w, judged } = await first(ground)
    const answers = await Promise.all(guesses(60).map((typed, each) => (each % 2 === 0 ? type : grant)(w, "alice", typed)))
    expect([judged.length, statuses(answers)]).toEqual([5, { 400: 5, 429: 55 }])
    expect((await grant(w, "Alice", password)).status).toBe(429)
    w.pass(30)
    expect((await grant(w, "alice", password)).status).toBe(200)
  })

  it("eighty guesses of one address at once at as many accounts are fifty that are judged (NIST SP 800-63B §3.2.2)", async () => {
    const { w, judged } = await first(ground)
    const answers = await Promise.all(guesses(80).map((typed, each) => grant(w, `victim ${each}`, typed)))
    expect([judged.length, statuses(answers)]).toEqual([50, { 400: 50, 429: 30 }])
  })

  it("eighty passwords for another provider at once are ten that reach it for one account, and fifty from one address (RFC 6749 §4.3.2)", async () => {
    const { w, judged } = await first(ground)
    const one = await Promise.all(guesses(80).map((typed) => elsewhere(w, "ann", typed)))
    expect([judged.length, statuses(one)]).toEqual([10, { 400: 10, 429: 70 }])
    const many = await Promise.all(guesses(80).map((typed, each) => elsewhere(w, `victim ${each}`, typed)))
    expect([judged.length, statuses(many)]).toEqual([50, { 400: 40, 429: 40 }])
  })

  it("guesses sent to two processes at once count together, and a restart gives no fresh tries (NIST SP 800-63B §3.2.2)", async () => {
    const two = await opened(ground, 2)
    const answers = await Promise.all(guesses(60).map((typed, each) => grant(two[each % 2]?.w ?? expect.fail(), "alice", typed)))
    expect([two.flatMap(({ judged }) => judged).length, statuses(answers)]).toEqual([5, { 400: 5, 429: 55 }])
    const ropc = await Promise.all(guesses(60).map((typed, each) => elsewhere(two[each % 2]?.w ?? expect.fail(), "ann", typed)))
    expect(statuses(ropc)).toEqual({ 400: 10, 429: 50 })
    const [restarted] = await Promise.all([two[0]?.w.tokens ?? expect.fail()].map(provider))
    expect((await grant(restarted?.w ?? expect.fail(), "alice", password)).status).toBe(429)
  })

  it("a success takes back its own try of the address and no other: whoever signs in wins no tries (NIST SP 800-63B §3.2.2)", async () => {
    const { w } = await first(ground)
    for (let each = 0; each < 49; each++) await grant(w, `victim ${each}`, "guess")
    for (let each = 0; each < 3; each++) expect((await grant(w, "bob", password)).status).toBe(200)
    expect((await grant(w, "victim 49", "guess")).status).toBe(400)
    expect((await grant(w, "victim 50", "guess")).status).toBe(429)
    expect((await grant(w, "bob", password)).status).toBe(429)
  })

  it("so it is with passwords that another provider checks: a success takes back its own tries alone (RFC 6749 §4.3.2)", async () => {
    const { w } = await first(ground)
    for (let each = 0; each < 9; each++) await elsewhere(w, "ann", "guess")
    for (let each = 0; each < 3; each++) expect((await elsewhere(w, "ann", "corp secret")).status).toBe(200)
    expect((await elsewhere(w, "ann", "guess")).status).toBe(400)
    expect((await elsewhere(w, "ann", "corp secret")).status).toBe(429)
  })

  it("an account's own success forgets its tries, and the waits before (NIST SP 800-63B §3.2.2)", async () => {
    const { w } = await first(ground)
    for (let round = 0; round < 3; round++) {
      for (let each = 0; each < 4; each++) await grant(w, "alice", "guess")
      expect((await grant(w, "alice", password)).status).toBe(200)
    }
    for (let each = 0; each < 5; each++) await grant(w, "alice", "guess")
    expect((await grant(w, "alice", password)).header("retry-after")).toBe("30")
  })
})

describe("an account that failed too often", () => {
  it("waits longer each time, a quarter of an hour at most, and until the end of its wait (NIST SP 800-63B §3.2.2)", async () => {
    const { w } = await provider((await world()).tokens)
    const waits: Array<number> = []
    for (let row = 0; row < 7; row++) {
      for (let each = 0; each < 5; each++) expect((await grant(w, "alice", "guess")).status).toBe(400)
      const wait = Number((await grant(w, "alice", password)).header("retry-after"))
      waits.push(wait)
      w.pass(wait - 1)
      expect((await grant(w, "alice", password)).header("retry-after")).toBe("1")
      w.pass(1)
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 900, 900])
    expect((await grant(w, "alice", password)).status).toBe(200)
  })

  it("waits whether or not anybody is called so", async () => {
    const { w } = await provider((await world()).tokens)
    for (let each = 0; each < 5; each++) await grant(w, "nobody", "guess")
    expect((await grant(w, "nobody", "guess")).header("retry-after")).toBe("30")
  })

  it("a password that cannot be judged now is no failed try", async () => {
    let failing = true
    const w = await world({
      authenticator: { verify: () => (failing ? Promise.reject(new Error("too much to hash")) : { _tag: "Rejected", reason: "" }) },
    })
    for (let each = 0; each < 60; each++) expect((await grant(w, "alice", "guess")).status).toBe(503)
    failing = false
    for (let each = 0; each < 5; each++) expect((await grant(w, "alice", "guess")).status).toBe(400)
    expect((await grant(w, "alice", "guess")).header("retry-after")).toBe("30")
  })

  it("a right password of somebody disabled is a failed try like a wrong one: the count tells nobody that it was right", async () => {
    const w = await world()
    const answers = []
    for (let each = 0; each < 6; each++) answers.push(await grant(w, "mallory", password))
    expect(statuses(answers)).toEqual({ 400: 5, 429: 1 })
  })
})
