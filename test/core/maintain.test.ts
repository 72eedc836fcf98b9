import { addMessage, outbox } from "@postern/core"
import { type SigningKey, defaultKeyPolicy, signingAlgorithms } from "@postern/core/jose"
import { maintain } from "@postern/core/maintain"
import { memorySigningKeyStore, memoryTokenStore } from "@postern/core/memory"
import { describe, expect, test } from "vitest"

const beginning = 1_795_219_200
const locatorOf = (at: number) => String(at).padStart(22, "0") as Parameters<typeof addMessage>[0]

const office = async (count: number) => {
  let time = beginning
  const tokens = memoryTokenStore()
  for (let at = 0; at < count; at++) await tokens.commit([addMessage(locatorOf(at), "notes.told", { at }, time)])
  return { tokens, now: () => time, pass: (by: number) => void (time += by) }
}

describe("work between requests, without timers", () => {
  test("law 13: messages are delivered at least once, as many in a call as it may try, and those that fail come later", async () => {
    const { tokens, now, pass } = await office(5)
    const told: Array<number> = []
    const handlers = {
      "notes.told": async ({ payload }: { readonly payload: unknown }) => {
        const { at } = payload as { readonly at: number }
        if (at === 1 && !told.includes(1)) {
          told.push(1)
          throw new Error("away")
        }
        told.push(at)
      },
    }
    expect(await maintain({ tokens, now, handlers, messages: 3 })).toMatchObject({
      delivered: 2,
      failed: 1,
      dead: 0,
      more: true,
      faults: [],
    })
    expect(await maintain({ tokens, now, handlers, messages: 3 })).toMatchObject({ delivered: 2, failed: 0, more: false })
    expect(await maintain({ tokens, now, handlers })).toMatchObject({ delivered: 0, failed: 0, more: false })
    pass(15)
    expect(await maintain({ tokens, now, handlers })).toMatchObject({ delivered: 1, more: false })
    expect(told.toSorted((one, other) => one - other)).toEqual([0, 1, 1, 2, 3, 4])
    expect(await tokens.list(outbox, "dueOfKind", { kind: "notes.told", now: now() + 86_400 })).toEqual([])
  })

  test("law 13: two calls at once deliver no message twice, and one that is refused is given up", async () => {
    const { tokens, now } = await office(6)
    const told: Array<string> = []
    const handlers = {
      "notes.told": async ({ locator }: { readonly locator: string }) => {
        told.push(locator)
        return { _tag: "Refused", failure: "nobody there" } as const
      },
    }
    const both = await Promise.all([maintain({ tokens, now, handlers }), maintain({ tokens, now, handlers })])
    expect(told).toHaveLength(6)
    expect(new Set(told).size).toBe(6)
    expect(both.reduce((sum, { dead }) => sum + dead, 0)).toBe(6)
  })

  test.each([
    ["claimed, and is due as before", "ClaimMessage", 4, true],
    ["settled, and comes again when its claim has run out", "DeliverMessage", 5, false],
  ])(
    "law 13: a message that a store error keeps from being %s, is a fault; all others are delivered and counted",
    async (_, event, told, more) => {
      const { tokens, now, pass } = await office(5)
      const away = new Error("the store is away")
      let handled = 0
      let broken = false
      const handlers = { "notes.told": async () => void handled++ }
      const commit: typeof tokens.commit = async (commands) => {
        if (!broken && commands[0]?.event === event) {
          broken = true
          throw away
        }
        return tokens.commit(commands)
      }
      const flaky = { list: tokens.list, commit }
      const first = await maintain({ tokens: flaky, now, handlers })
      expect(first).toMatchObject({ delivered: 4, failed: 0, dead: 0, more, faults: [{ part: "delivery", cause: away }] })
      expect(handled).toBe(told)
      pass(more ? 0 : 3600)
      expect(await maintain({ tokens: flaky, now, handlers })).toMatchObject({ delivered: 1, more: false, faults: [] })
    },
  )

  test("keys that are due are made once, and a part that fails is told while the others are done", async () => {
    const { tokens, now } = await office(0)
    const store = memorySigningKeyStore()
    const keys = { store, algorithms: ["ES256"], policy: defaultKeyPolicy, now } as const
    const sweep = () => {
      throw new Error("the disk is full")
    }
    const first = await maintain({ tokens, now, keys, sweep })
    expect(first.keys).toHaveLength(1)
    expect(first.faults).toEqual([{ part: "sweep", cause: new Error("the disk is full") }])
    expect((await maintain({ tokens, now, keys })).keys).toEqual([])
    const rows: ReadonlyArray<SigningKey> = await store.list()
    expect(rows.filter(({ alg }) => signingAlgorithms.some((each) => each === alg)).map(({ kid }) => kid)).toEqual(first.keys)
  })

  test.each([beginning * 1000, Number.NaN])(
    "a clock that answers %d counts no seconds: nothing is swept, and no key is made or removed",
    async (at) => {
      const { tokens, now } = await office(0)
      const keys = { store: memorySigningKeyStore(), algorithms: ["ES256"] as const, policy: defaultKeyPolicy, now }
      await maintain({ tokens, keys, now })
      const before = await keys.store.list()
      let swept = 0
      const sweep = () => ({ more: ++swept < 0 })
      const wrong = () => at
      const done = await maintain({ tokens, sweep, keys: { ...keys, now: wrong }, now: wrong })
      const cause = (called: string) => new TypeError(`${called}: now: answered ${at}, and must count seconds since 1970`)
      expect(done).toMatchObject({
        keys: [],
        slices: 0,
        faults: [
          { part: "keys", cause: cause("tendKeys") },
          { part: "sweep", cause: cause("maintain") },
        ],
      })
      expect([swept, await keys.store.list()]).toEqual([0, before])
    },
  )

  test("slices that were swept before one that failed are counted, and what the last of them left is more to do", async () => {
    const { tokens, now } = await office(0)
    let asked = 0
    const broken = (at: number, more: boolean) => () => {
      if (++asked === at) throw new Error("the disk is full")
      return { more }
    }
    const faults = [{ part: "sweep", cause: new Error("the disk is full") }]
    expect(await maintain({ tokens, now, sweep: broken(4, true) })).toMatchObject({ slices: 3, more: true, faults })
    asked = 0
    // The first slice may find nothing, and a caller that came again at once would meet the same fault.
    expect(await maintain({ tokens, now, sweep: broken(1, true) })).toMatchObject({ slices: 0, more: false, faults })
    expect(await maintain({ tokens, now, sweep: () => ({ more: true }), slices: 0 })).toMatchObject({ slices: 0, more: false, faults: [] })
  })

  test("keys that were made are told although the expired ones could not be removed", async () => {
    const { tokens, now, pass } = await office(0)
    const store = memorySigningKeyStore()
    const keys = { store, algorithms: ["ES256"], policy: defaultKeyPolicy, now } as const
    await maintain({ tokens, now, keys })
    pass(defaultKeyPolicy.active + defaultKeyPolicy.retain + 86_400)
    const cause = new Error("the disk is full")
    const stuck = { ...store, remove: () => Promise.reject(cause) }
    await maintain({ tokens, now, keys: { ...keys, store: stuck } })
    pass(defaultKeyPolicy.active + defaultKeyPolicy.retain + 86_400)
    const before = (await store.list()).map(({ kid }) => kid)
    const { keys: made, faults } = await maintain({ tokens, now, keys: { ...keys, store: stuck } })
    const added = (await store.list()).map(({ kid }) => kid).filter((kid) => !before.includes(kid))
    expect([added.length, made, faults]).toEqual([1, added, [{ part: "keys", cause }]])
  })

  test("it sweeps as many slices as it may, and says if there is more", async () => {
    const { tokens, now } = await office(0)
    let left = 30
    const sweep = () => ({ more: --left > 0 })
    expect(await maintain({ tokens, now, sweep })).toMatchObject({ slices: 20, more: true })
    expect(await maintain({ tokens, now, sweep })).toMatchObject({ slices: 10, more: false })
  })
})
