import { defineClient } from "@postern/core"
import { memoryClientStore, memorySigningKeyStore, memoryTokenStore } from "@postern/core/memory"
import { type Command, happening, putting, rowKind, rowKinds, secretOf } from "@postern/core/model"
import { sampleSigningKey } from "@postern/core/testing"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { runs } from "../tiers/tier.ts"

interface Badge {
  readonly desk: string
  readonly number: number
  readonly name: string
  readonly above: string | undefined
  readonly seen: number
  readonly lost: number | undefined
}

/** A table of no feature: what a description may say that no row of ours says. */
const badges = rowKind<Badge>(
  "badges",
  { desk: "text", number: "integer", name: "text", above: "text?", seen: "integer", lost: "integer?" },
  {
    key: ["name"],
    unique: ["number"],
    keptUntil: "seen",
    endless: true,
    descent: { from: "above", down: ["lost"], up: ["seen"] },
    events: {
      Hand: { ways: [{ when: "absent", change: "insert" }] },
      Lose: { ways: [{ when: [["lost", "unset"]], change: [["lost", "set", ":at"]] }] },
      Find: { ways: [{ when: [], change: [["lost", "unset"]] }] },
      // A change of two columns of which one goes on.
      Show: {
        ways: [
          {
            when: [],
            change: [
              ["desk", "setIfGiven", ":desk"],
              ["seen", "max", ":at"],
            ],
          },
        ],
      },
      LoseAt: {
        by: { desk: ":desk", number: ":number?" },
        ways: [{ when: [["lost", "unset"]], change: [["lost", "set", ":at"]] }],
        otherwise: "nothing",
      },
      Burn: { ways: [{ when: [["lost", "set"]], change: "remove" }] },
      Return: { by: { desk: ":desk" }, ways: [{ when: [], change: "remove" }] },
      Never: { by: { desk: ":desk" }, ways: [] },
    },
    lists: {
      byDesk: {
        all: [["desk", "equal", ":desk"]],
        order: [
          ["seen", "up"],
          ["name", "down"],
        ],
      },
      byName: { all: [], order: [["name", "up"]] },
    },
  },
)
const badge = (name: string, told: Partial<Badge> = {}): Badge => ({
  desk: "front",
  number: Array.from(new TextEncoder().encode(name)).reduce((sum, byte) => sum * 131 + byte, 0),
  name,
  above: undefined,
  seen: 100,
  lost: undefined,
  ...told,
})
const hand = (...all: ReadonlyArray<Badge>): ReadonlyArray<Command> => all.map((each) => putting(badges, "Hand", each))
const event = (name: string, given: Command["given"]): Command => happening(badges, name, given)

const storeWith = (...all: ReadonlyArray<Badge>) => {
  const store = memoryTokenStore([badges])
  expect(store.commit(hand(...all))).toBe("Committed")
  return {
    store,
    commit: (...commands: ReadonlyArray<Command>) => store.commit(commands),
    find: (name: string) => store.find(badges, { name }) as Badge | undefined,
    names: (list = "byName", given = {}) => (store.list(badges, list, given) as ReadonlyArray<Badge>).map(({ name }) => name),
  }
}

describe("the model of every store: rows as their descriptions have them", () => {
  test("a table, an event or a selection that no description has is a defect", () => {
    const { commit, store } = storeWith()
    expect(() => commit(event("Dance", { name: "a" }))).toThrow("badges has no event Dance")
    expect(() => memoryTokenStore([]).find(badges, { name: "a" })).toThrow("the store keeps no table badges")
    for (const name of ["Return", "Never"])
      expect(() => commit(event(name, { desk: "front" })), name).toThrow(/only selected for assignments/)
    expect(store.list(badges, "unknown", {})).toEqual([])
  })

  test("a secondary key finds its row for as long as it is there, and no other row may have it", () => {
    const { commit, find, store } = storeWith(badge("a", { number: 1 }), badge("b", { number: 2 }))
    const byNumber = (number: number) => (store.find(badges, { number }) as Badge | undefined)?.name
    expect([byNumber(1), byNumber(2), byNumber(3)]).toEqual(["a", "b", undefined])
    expect(commit(...hand(badge("c", { number: 2 })))).toBe("Conflict")
    expect(commit(...hand(badge("a", { number: 9 })))).toBe("Conflict")
    expect(commit(event("Burn", { name: "a" }))).toBe("Conflict")
    expect(commit(event("Lose", { name: "a", at: 1 }), event("Burn", { name: "a" }))).toBe("Committed")
    expect([byNumber(1), find("a")]).toEqual([undefined, undefined])
    expect(commit(...hand(badge("c", { number: 1 })))).toBe("Committed")
    expect(byNumber(1)).toBe("c")
  })

  test("no event of any table changes a key or a secondary key: neither this model nor the databases would look for a second row", () => {
    for (const { name, key, unique, events } of rowKinds)
      for (const [called, { ways }] of Object.entries(events))
        for (const { change } of ways)
          if (typeof change !== "string")
            for (const [column] of change) expect([...key, ...unique], `${name} ${called}`).not.toContain(column)
  })

  test("a value that is not given leaves its column alone, and the greater of two stays", () => {
    const { commit, find } = storeWith(badge("a", { seen: 50 }))
    commit(event("Show", { name: "a", at: 40 }))
    expect(find("a")).toMatchObject({ desk: "front", seen: 50 })
    commit(event("Show", { name: "a", at: 60, desk: "back" }))
    expect(find("a")).toMatchObject({ desk: "back", seen: 60 })
  })

  test("a column that is unset was set, and one that nobody set meets no comparison", () => {
    const { commit, find } = storeWith(badge("a"))
    expect(commit(event("Lose", { name: "a", at: 7 }))).toBe("Committed")
    expect([find("a")?.lost, commit(event("Lose", { name: "a", at: 8 })), find("a")?.lost]).toEqual([7, "Conflict", 7])
    commit(event("Find", { name: "a" }))
    expect(find("a")).toEqual(badge("a"))
    expect(commit(event("Find", { name: "nobody" }))).toBe("Conflict")
  })

  const tree = () =>
    storeWith(
      badge("root"),
      badge("left", { above: "root" }),
      badge("right", { above: "root", desk: "back" }),
      badge("leaf", { above: "left" }),
      badge("apart"),
    )
  const lost = ({ find }: ReturnType<typeof tree>) =>
    ["root", "left", "right", "leaf", "apart"].filter((name) => find(name)?.lost !== undefined)

  test("a change goes down to all that descend and still meet the guard, and stops at one that does not", () => {
    const down = tree()
    down.commit(event("Lose", { name: "left", at: 5 }))
    expect(lost(down)).toEqual(["left", "leaf"])
    down.commit(event("Lose", { name: "root", at: 6 }))
    expect([lost(down), down.find("leaf")?.lost, down.find("right")?.lost]).toEqual([["root", "left", "right", "leaf"], 5, 6])
  })

  test("architecture law 4: a conflict takes back what a change did to rows below and above, in the order that it was done", () => {
    const rows = tree()
    const before = rows.store.list(badges, "byName", {})
    const conflict = hand(badge("root"))
    expect(rows.commit(event("Lose", { name: "root", at: 5 }), ...conflict)).toBe("Conflict")
    expect(rows.commit(event("Show", { name: "leaf", at: 900 }), event("Show", { name: "left", at: 950 }), ...conflict)).toBe("Conflict")
    expect(rows.commit(event("LoseAt", { desk: "front", at: 5 }), ...conflict)).toBe("Conflict")
    expect(rows.store.list(badges, "byName", {})).toEqual(before)
  })

  test("a change goes up to all it descends from, whatever they are, and past a row that has gone no further", () => {
    const up = tree()
    up.commit(event("Show", { name: "leaf", at: 900 }))
    expect(["root", "left", "right", "leaf", "apart"].map((name) => up.find(name)?.seen)).toEqual([900, 900, 100, 900, 100])
    const orphan = storeWith(badge("a", { above: "gone" }))
    expect(orphan.commit(event("Show", { name: "a", at: 900 }))).toBe("Committed")
    expect(orphan.find("a")?.seen).toBe(900)
  })

  test("rows that descend from each other in a circle are each changed once, up and down", () => {
    const circle = storeWith(badge("a", { above: "b" }), badge("b", { above: "a" }))
    expect(circle.commit(event("Show", { name: "a", at: 900 }))).toBe("Committed")
    expect(circle.commit(event("Lose", { name: "a", at: 5 }))).toBe("Committed")
    expect(circle.commit(event("Find", { name: "a" }), event("Lose", { name: "b", at: 5 }))).toBe("Committed")
    expect(["a", "b"].map((name) => circle.find(name))).toMatchObject([
      { seen: 900, lost: 5 },
      { seen: 900, lost: 5 },
    ])
  })

  test("rows are selected by what is given; a value that may be left out narrows only where it is there", () => {
    const rows = () => storeWith(badge("a", { number: 1 }), badge("b", { number: 2 }), badge("c", { number: 3, desk: "back" }))
    const selected = (given: Command["given"]) => {
      const { commit, find } = rows()
      expect(commit(event("LoseAt", { ...given, at: 1 }))).toBe("Committed")
      return ["a", "b", "c"].filter((name) => find(name)?.lost === 1)
    }
    expect(selected({ desk: "front" })).toEqual(["a", "b"])
    expect(selected({ desk: "front", number: 2 })).toEqual(["b"])
    expect(selected({ desk: "front", number: 3 })).toEqual([])
    // One that may not be left out matches nothing then.
    expect(selected({})).toEqual([])
  })

  test("lists are ordered by each column in turn: numbers as numbers, texts as texts", () => {
    const { names } = storeWith(
      badge("b", { seen: 9 }),
      badge("a", { seen: 10 }),
      badge("d", { seen: 10 }),
      badge("c", { seen: 10, desk: "back" }),
    )
    expect(names("byDesk", { desk: "front" })).toEqual(["b", "d", "a"])
    expect(names()).toEqual(["a", "b", "c", "d"])
  })

  test("of rows whose time is over nothing stays; 0 is no time where a table says so", () => {
    const { store, names } = storeWith(
      badge("over", { seen: 99 }),
      badge("now", { seen: 100 }),
      badge("later", { seen: 101 }),
      badge("ever", { seen: 0 }),
    )
    expect(store.sweep(100)).toEqual({ removed: 2, more: false })
    expect(names()).toEqual(["ever", "later"])
    expect(memoryTokenStore([{ ...badges, endless: false }]).sweep(0)).toEqual({ removed: 0, more: false })
    const kept = memoryTokenStore([{ ...badges, keptUntil: undefined } as never])
    kept.commit(hand(badge("a")))
    expect([kept.sweep(1_000_000), kept.find(badges, { name: "a" })]).toEqual([{ removed: 0, more: false }, badge("a")])
  })

  test("architecture law 4: whatever commands there are, a commit does all of them, or leaves every row and key as it was", () => {
    const name = fc.constantFrom("a", "b", "c", "d")
    const above = fc.option(name, { nil: undefined })
    const command = fc.oneof(
      fc.record({ name, above, number: fc.integer({ min: 1, max: 5 }) }).map((told) => putting(badges, "Hand", badge(told.name, told))),
      fc.record({ name, at: fc.integer({ min: 90, max: 110 }) }).map((given) => event("Lose", given)),
      fc
        .record({ name, at: fc.integer({ min: 90, max: 110 }), number: fc.integer({ min: 1, max: 5 }) })
        .map((given) => event("Show", given)),
      fc.record({ desk: fc.constant("front"), at: fc.constant(100) }).map((given) => event("LoseAt", given)),
      name.map((each) => event("Find", { name: each })),
      name.map((each) => event("Burn", { name: each })),
    )
    const state = (store: ReturnType<typeof memoryTokenStore>) => ({
      rows: store.list(badges, "byName", {}),
      keys: [1, 2, 3, 4, 5].map((number) => (store.find(badges, { number }) as Badge | undefined)?.name),
    })
    fc.assert(
      fc.property(fc.array(fc.array(command, { minLength: 1, maxLength: 4 }), { maxLength: 8 }), (commits) => {
        const [whole, single] = [memoryTokenStore([badges]), memoryTokenStore([badges])]
        for (const commands of commits) {
          const before = state(whole)
          const did = whole.commit(commands)
          if (did === "Conflict") expect(state(whole)).toEqual(before)
          // The same, one at a time, is the same.
          else for (const each of commands) expect(single.commit([each])).toBe("Committed")
          expect(state(single)).toEqual(state(whole))
        }
      }),
      { numRuns: runs(1000) },
    )
  })
})

describe("clients and keys in memory", () => {
  const web = defineClient({ client_id: "web", redirect_uris: ["https://web.example/cb"], token_endpoint_auth_method: "none" })
  const unsigned = { ...web, clientId: "unsigned", requestObjects: { ...web.requestObjects, signingAlg: "none" as const } }

  test("RFC 6749 §2.3.1: a client is found by its id, and proves itself by its own secret alone", async () => {
    const store = memoryClientStore([web], { web: "secret", gone: "other" })
    expect([await store.find("web"), await store.find("gone")]).toEqual([web, undefined])
    const verified = ["secret", "SECRET", "other", ""].map(async (text) => store.verifySecret("web", secretOf(text)))
    expect(await Promise.all(verified)).toEqual([true, false, false, false])
    expect(await store.verifySecret("gone", secretOf("other"))).toBe(false)
    expect([(await store.secretOf?.("web"))?.reveal(), await store.secretOf?.("nobody")]).toEqual(["secret", undefined])
  })

  test("OpenID Connect Core §6.1: request objects are unsigned where any client that is not disabled has them so", async () => {
    const any = (...clients: ReadonlyArray<typeof web>) => memoryClientStore(clients).unsignedRequestObjects?.()
    expect([await any(), await any(web), await any(web, unsigned), await any(unsigned)]).toEqual([false, false, true, true])
    expect(await any(web, { ...unsigned, disabled: true })).toBe(false)
  })

  test("keys that a store begins with are listed, and count as seen", async () => {
    const store = memorySigningKeyStore([sampleSigningKey("one")])
    expect((await store.list()).map(({ kid }) => kid)).toEqual(["one"])
    expect(await store.add([sampleSigningKey("two")], [])).toBe("Conflict")
    expect(await store.add([sampleSigningKey("two")], ["one"])).toBe("Committed")
    await store.remove(["one"])
    expect((await store.list()).map(({ kid }) => kid)).toEqual(["two"])
  })
})
