import { setImmediate as turn } from "node:timers/promises"
import { secretOf } from "@postern/core"
import type { TokenStorePort } from "@postern/core/ports"
import { describe, expect, it } from "vitest"
import { basic, token } from "../support/flows.ts"
import { type World, clients, world } from "../support/world.ts"
import { type Ground, grounds, statuses } from "./grounds.ts"

const right = "secret of machine"

interface Judging {
  readonly w: World
  readonly judged: Array<string>
  readonly remembered: Set<string>
  /** Work that judging waits for. */
  held: Promise<void>
}

/** A provider whose client secrets take as long to judge as slow hashes do, but for those it remembers as right; and what it judged. */
const provider = async (tokens: TokenStorePort): Promise<Judging> => {
  const judged: Array<string> = []
  const remembered = new Set<string>()
  const judging: { held: Promise<void> } = { held: Promise.resolve() }
  const w = await world({
    tokens,
    clientStore: (store) => ({
      ...store,
      verifySecret: (clientId, secret) => {
        judged.push(secret.reveal())
        if (remembered.has(secret.reveal())) return true
        return (async () => {
          for (let turns = 0; turns < 5; turns++) await turn()
          await judging.held
          const matches = await store.verifySecret(clientId, secret)
          if (matches) remembered.add(secret.reveal())
          return matches
        })()
      },
    }),
  })
  return Object.assign(judging, { w, judged, remembered })
}

const ask = (w: World, secret: string) =>
  token(w, undefined, { grant_type: "client_credentials" }, { authorization: basic("machine", secret) })
const guesses = (count: number): ReadonlyArray<string> => Array.from({ length: count }, (_, each) => `guess ${each}`)
const opened = async ({ open }: Ground, processes: number) => Promise.all((await open(processes)).map(provider))

describe.each(grounds())("client secrets on $name", (ground) => {
  it("240 wrong secrets at once are twenty that are judged: no more than as many in a row (RFC 6749 §2.3.1)", async () => {
    for (const known of [false, true]) {
      const [one] = await opened(ground, 1)
      if (one === undefined) return
      const { w, judged, remembered } = one
      // The memory of right secrets is asked as little as the hash.
      if (known) remembered.add(right)
      const answers = await Promise.all(guesses(240).map((secret) => ask(w, secret)))
      expect([judged.length, statuses(answers)]).toEqual([20, { 401: 20, 429: 220 }])
      expect((await ask(w, right)).status).toBe(429)
    }
  })

  it("of more than four hundred that wait the others are told to come again, and what guesses at nothing is served meanwhile (RFC 9110 §15.6.4)", async () => {
    const [one] = await opened(ground, 1)
    if (one === undefined) return
    const { w, judged } = one
    let early = 0
    let judge = (): void => undefined
    one.held = new Promise((release) => (judge = release))
    const asked = guesses(600).map(async (secret) => {
      const answer = await ask(w, secret)
      early++
      return answer
    })
    // Those who are one too many are answered while nobody is judged yet.
    await expect.poll(() => early, { timeout: 20_000 }).toBeGreaterThan(0)
    judge()
    const answers = await Promise.all(asked)
    const { 401: wrong, 429: limited = 0, 503: unavailable = 0 } = statuses(answers)
    expect([judged.length, wrong, limited + unavailable]).toEqual([20, 20, 580])
    expect(limited).toBeGreaterThanOrEqual(400)
    expect(unavailable).toBeGreaterThan(0)
  })

  it("the right secret among wrong ones at once is judged in its turn, and late in the row not at all", async () => {
    const [one] = await opened(ground, 1)
    if (one === undefined) return
    const { w, judged, remembered } = one
    remembered.add(right)
    const answers = await Promise.all([...guesses(100), right].map((secret) => ask(w, secret)))
    expect([judged.length, answers.at(-1)?.status]).toEqual([20, 429])
    const early = await opened(ground, 1)
    const first = await Promise.all([right, ...guesses(100)].map((secret) => ask(early[0]?.w ?? w, secret)))
    expect(statuses(first)).toEqual({ 200: 1, 401: 20, 429: 80 })
  })

  it("a hundred right secrets at once are all answered, and cost nobody a try", async () => {
    const [one] = await opened(ground, 1)
    if (one === undefined) return
    const { w } = one
    expect(statuses(await Promise.all(guesses(100).map(() => ask(w, right))))).toEqual({ 200: 100 })
    expect(statuses(await Promise.all(guesses(19).map((secret) => ask(w, secret))))).toEqual({ 401: 19 })
    expect((await ask(w, right)).status).toBe(200)
  })

  it("of guesses sent to two processes at once each judges twenty at the most, and from then on neither any", async () => {
    const two = await opened(ground, 2)
    const answers = await Promise.all(guesses(240).map((secret, each) => ask(two[each % 2]?.w ?? expect.fail(), secret)))
    const judged = two.flatMap((each) => each.judged).length
    expect(judged).toBeLessThanOrEqual(40)
    expect(statuses(answers)).toEqual({ 401: judged, 429: 240 - judged })
    for (const { w } of two) expect((await ask(w, right)).status).toBe(429)
  })
})

describe("guesses at a client's secret", () => {
  it("a secret that cannot be judged now is no failure", async () => {
    let failing = true
    const w = await world({
      clientStore: (store) => ({
        ...store,
        verifySecret: (clientId, secret) =>
          failing ? Promise.reject(new Error("too much to hash")) : store.verifySecret(clientId, secret),
      }),
    })
    expect(statuses(await Promise.all(guesses(50).map((secret) => ask(w, secret))))).toEqual({ 503: 50 })
    failing = false
    expect((await ask(w, right)).status).toBe(200)
  })

  it("a client_secret_jwt that was signed with another secret counts as a wrong secret (RFC 7523 §3 (9))", async () => {
    let verified = 0
    const w = await world({
      clients: clients.map((each) =>
        each.client_id === "machine" ? { ...each, token_endpoint_auth_method: "client_secret_jwt" as const } : each,
      ),
      clientStore: (store) => ({ ...store, secretOf: () => secretOf(right) }),
      more: {
        jwts: {
          verify: () => ({ _tag: "NoKey", reason: "" }),
          verifySecret: () => (verified++, { _tag: "Invalid", reason: "" }),
          encrypt: () => undefined,
        },
      },
    })
    const signed = (jti: number): string =>
      ["HS256", { iss: "machine", sub: "machine", aud: "https://op.example", exp: w.now() + 60, jti: String(jti) }]
        .map((part) => Buffer.from(JSON.stringify(typeof part === "string" ? { alg: part } : part)).toString("base64url"))
        .concat("c2ln")
        .join(".")
    const answers = await Promise.all(
      guesses(60).map((_, each) =>
        token(w, undefined, {
          grant_type: "client_credentials",
          client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
          client_assertion: signed(each),
        }),
      ),
    )
    expect([verified, statuses(answers)]).toEqual([20, { 401: 20, 429: 40 }])
  })
})
