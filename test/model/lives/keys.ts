import fc from "fast-check"
import { defaultKeyPolicy, type KeyCare, KeysContended, listKeys, rotateKeys, tendKeys } from "@postern/core/jose"
import { beginning } from "../../support/world.ts"
import { actorsWith, type Busy, busy, raced } from "../racing.ts"

const algorithms = ["EdDSA", "ES256"] as const
const day = 86_400

/** Operations of servers that share their keys. */
type Act =
  | { readonly tag: "tend"; readonly server: number }
  | { readonly tag: "rotate"; readonly server: number; readonly atOnce: boolean }
  | { readonly tag: "look"; readonly server: number }
  | { readonly tag: "pass"; readonly days: number }

/** One key. What it is called is drawn at random, and told by whoever made it. */
interface Key {
  readonly kid: string
  readonly alg: string
  readonly createdAt: number
  readonly activeAt: number
}

/** The keys made, or every key that is published, with what it is for. */
type Answer =
  | { readonly tag: "made"; readonly keys: ReadonlyArray<Key> }
  | { readonly tag: "seen"; readonly keys: ReadonlyArray<string> }
  | { readonly tag: "done" }

interface State {
  readonly now: number
  readonly keys: ReadonlyArray<Key>
}

const server = fc.nat(2)
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: server.map((each): Act => ({ tag: "tend", server: each })) },
  { weight: 2, arbitrary: fc.record({ tag: fc.constant("rotate" as const), server, atOnce: fc.boolean() }) },
  { weight: 1, arbitrary: server.map((each): Act => ({ tag: "look", server: each })) },
)
/** Just before and after each date in a key's life: its successor is due, takes over, and it leaves. */
const pass = fc.constantFrom(0, 1, 75, 76, 90, 104, 105, 200).map((days): Act => ({ tag: "pass", days }))
const races = fc.record({
  before: fc.array(fc.oneof(act, pass), { maxLength: 4, size: "max" }),
  actors: actorsWith(act),
})

/** The keys of an algorithm in the order in which they sign. */
const line = ({ keys }: State, alg: string): ReadonlyArray<Key> =>
  keys
    .filter((key) => key.alg === alg)
    .toSorted((left, right) => left.activeAt - right.activeAt || left.createdAt - right.createdAt || (left.kid < right.kid ? -1 : 1))

/** Finds the time at which a key made now for an algorithm signs; undefined where none is due. */
const due = (state: State, alg: string): number | undefined => {
  const last = line(state, alg).at(-1)
  if (last === undefined) return state.now
  const end = last.activeAt + 90 * day
  return state.now < end - 14 * day ? undefined : Math.max(end, state.now + 3600)
}

/** Finds the time at which a key that takes another's place off schedule signs: never in the second in which the other began to. */
const offSchedule = (state: State, alg: string, atOnce: boolean): number => {
  const all = line(state, alg)
  const signing = all.findLast(({ activeAt }) => activeAt <= state.now) ?? all[0]
  const earliest = signing?.activeAt === state.now ? state.now + 1 : state.now
  return atOnce ? earliest : Math.max(earliest, state.now + 3600)
}

/** Lists each key until a fortnight after the next took its place, and which of them signs, as everybody sees them. */
const published = (state: State): ReadonlyArray<string> =>
  algorithms.flatMap((alg) => {
    const all = line(state, alg)
    const signing = all.findLast(({ activeAt }) => activeAt <= state.now) ?? all[0]
    return all.flatMap((key, at) => {
      const next = all[at + 1]
      const gone = next !== undefined && next.activeAt + 14 * day <= state.now && key !== signing
      return gone ? [] : [`${alg} ${key.kid} ${key === signing ? "signs" : "waits"}`]
    })
  })

/** Adds keys, if they are for just these algorithms and moments. */
const made = (
  state: State,
  times: ReadonlyArray<readonly [alg: string, activeAt: number]>,
  { keys }: { readonly keys: ReadonlyArray<Key> },
) => {
  const expected = times.map(([alg, activeAt]) => `${alg} ${activeAt} ${state.now}`)
  const observed = keys.map(({ alg, activeAt, createdAt }) => `${alg} ${activeAt} ${createdAt}`)
  return same(expected, observed) ? { ...state, keys: [...state.keys, ...keys] } : undefined
}

const same = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): boolean =>
  left.toSorted().join("\n") === right.toSorted().join("\n")

const step = (state: State, each: Act, answer: Answer): State | undefined => {
  switch (each.tag) {
    case "tend": {
      const times = algorithms.flatMap((alg) => {
        const activeAt = due(state, alg)
        return activeAt === undefined ? [] : [[alg, activeAt] as const]
      })
      return answer.tag === "made" ? made(state, times, answer) : undefined
    }
    case "rotate": {
      const times = algorithms.map((alg) => [alg, offSchedule(state, alg, each.atOnce)] as const)
      return answer.tag === "made" ? made(state, times, answer) : undefined
    }
    case "look":
      return answer.tag === "seen" && same(published(state), answer.keys) ? state : undefined
    case "pass":
      return { ...state, now: state.now + each.days * day }
  }
}

/** The keys that sign. */
export const keys = raced<State, Act, Answer>({
  title:
    "behaviour, keys: tended and rotated by several servers at once, keys are made as some order of them makes them, none twice and none left out",
  races,
  begin: async (subject, { between }) => {
    let now = beginning
    const servers = subject.keys.map((store): KeyCare => ({
      store: between(store),
      algorithms,
      policy: defaultKeyPolicy,
      encryption: undefined,
      now: () => now,
    }))
    const care = (at: number): KeyCare => {
      const found = servers[at % servers.length]
      if (found === undefined) throw new Error("there is no server")
      return found
    }
    const making = async (making: () => Promise<ReadonlyArray<Key>>): Promise<Answer | Busy> => {
      try {
        return { tag: "made", keys: (await making()).map(({ kid, alg, createdAt, activeAt }) => ({ kid, alg, createdAt, activeAt })) }
      } catch (error) {
        if (error instanceof KeysContended) return busy
        throw error
      }
    }
    const seen = async (at: number): Promise<ReadonlyArray<string>> =>
      (await listKeys(care(at))).flatMap(({ key, state }) =>
        state === "expired" ? [] : [`${key.alg} ${key.kid} ${state === "active" ? "signs" : "waits"}`],
      )
    return {
      state: { now, keys: [] },
      perform: async (each) => {
        switch (each.tag) {
          case "tend":
            return making(() => tendKeys(care(each.server)))
          case "rotate":
            return making(() => rotateKeys(care(each.server), { atOnce: each.atOnce }))
          case "look":
            return { tag: "seen", keys: await seen(each.server) }
          case "pass":
            now += each.days * day
            return { tag: "done" }
        }
      },
      shows: async (state) => same(published(state), await seen(0)),
    }
  },
  step,
  kind: ({ tag }, answer) => (answer.tag === "made" ? `${tag}: ${answer.keys.length === 0 ? "nothing" : "keys"}` : tag),
  kinds: ["tend: keys", "tend: nothing", "rotate: keys", "look"],
})
