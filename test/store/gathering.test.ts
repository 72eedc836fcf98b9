import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Action, atRest, bounds, type Event, type Gathering, step } from "../../packages/adapter-sqlite/src/writer/gathering.ts"
import { runs } from "../tiers/tier.ts"

const arrived: Event = { _tag: "Arrived" }
const turnEnded: Event = { _tag: "TurnEnded" }
const ended: Event = { _tag: "Ended" }
const checkpointed: Event = { _tag: "Checkpointed" }
const logged = (sets: number): Event => ({ _tag: "Logged", sets })

/** The state after some events, and the actions that each of them led to, by their tags. */
const after = (events: ReadonlyArray<Event>, { from = atRest, inline = true }: { from?: Gathering; inline?: boolean } = {}) => {
  let state = from
  const actions: Array<ReadonlyArray<Action>> = []
  for (const event of events) {
    const [next, due] = step(inline, state, event)
    state = next
    actions.push(due)
  }
  return { state, last: actions.at(-1) ?? [], tags: actions.map((each) => each.map(({ _tag }) => _tag).join(" ")) }
}

const repeated = (event: Event, times: number): ReadonlyArray<Event> => Array.from({ length: times }, () => event)
const committing: Gathering = { ...atRest, phase: { _tag: "Committing" } }
const gathering: Gathering = { ...atRest, waiting: 1, phase: { _tag: "Gathering", seen: 1, ...bounds.turns } }

describe("group commit, as a table of transitions", () => {
  it("a set alone is committed after two turns that brought nothing", () => {
    const { state, tags, last } = after([arrived, turnEnded, turnEnded])
    expect(tags).toEqual(["AwaitTurn", "AwaitTurn", "Commit"])
    expect(last).toEqual([{ _tag: "Commit", sets: 1, by: "inline", restartWal: false }])
    expect(state).toEqual(committing)
  })

  it("sets that keep coming are committed together after six turns at most", () => {
    const { tags, last } = after(Array.from({ length: 6 }, () => [arrived, turnEnded]).flat())
    expect(tags.filter((tag) => tag !== "")).toEqual([...Array.from({ length: 6 }, () => "AwaitTurn"), "Commit"])
    expect(last).toMatchObject([{ _tag: "Commit", sets: 6 }])
  })

  it("a turn that brings a set makes the two quiet turns begin again", () => {
    expect(after([arrived, turnEnded, arrived, turnEnded, turnEnded]).tags.at(-1)).toBe("AwaitTurn")
    expect(after([arrived, turnEnded, arrived, turnEnded, turnEnded, turnEnded]).tags.at(-1)).toBe("Commit")
  })

  it("a full group is committed with the turn that fills it, and the others wait for the next", () => {
    const { state, last } = after([...repeated(arrived, bounds.together + 3), turnEnded])
    expect(last).toMatchObject([{ _tag: "Commit", sets: bounds.together }])
    expect(state.waiting).toBe(3)
    expect(after([ended], { from: state }).tags).toEqual(["AwaitTurn"])
  })

  it("what arrives during a commit begins to gather when that ends", () => {
    expect(after([arrived, turnEnded, logged(1)], { from: committing }).tags).toEqual(["", "", "AwaitTurn"])
    expect(after([arrived, ended], { from: committing }).state).toEqual(gathering)
  })

  it("more sets than may wait are refused, and change nothing", () => {
    const full = { ...committing, waiting: bounds.waiting }
    expect(step(true, full, arrived)).toEqual([full, [{ _tag: "Refuse" }]])
  })

  it.each([
    ["commits", repeated(logged(1), bounds.checkpoint.commits)],
    ["sets", repeated(logged(bounds.together), bounds.checkpoint.sets / bounds.together)],
  ])("after so many %s the log is checkpointed, once; the worker's next commit restarts it, and the event loop goes on", (_, events) => {
    let state = atRest
    const seen: Array<string> = []
    for (const event of events) {
      const { state: next, tags } = after([event], { from: { ...state, phase: committing.phase } })
      seen.push(...tags)
      state = next
    }
    expect(seen.filter((tag) => tag === "Checkpoint")).toHaveLength(1)
    expect(seen.at(-1)).toBe("Checkpoint")
    expect(after(repeated(logged(bounds.together), 1), { from: { ...state, phase: committing.phase } }).tags).toEqual([""])
    const next = after([checkpointed, arrived, turnEnded, turnEnded], { from: state })
    expect(next.last).toEqual([{ _tag: "Commit", sets: 1, by: "worker", restartWal: true }])
    const then = after([ended, arrived, turnEnded, turnEnded], { from: next.state })
    expect(then.last).toEqual([{ _tag: "Commit", sets: 1, by: "inline", restartWal: false }])
  })

  it("where the event loop does not write, the worker commits everything", () => {
    expect(after([arrived, turnEnded, turnEnded], { inline: false }).last).toMatchObject([{ by: "worker", restartWal: false }])
  })

  it.each<readonly [string, Gathering, Event]>([
    ["a turn at rest", atRest, turnEnded],
    ["a turn during a commit", committing, turnEnded],
    ["an answer at rest", atRest, ended],
    ["an answer while sets gather", gathering, ended],
    ["a durable group at rest", atRest, logged(1)],
    ["a durable group while sets gather", gathering, logged(1)],
    ["a checkpoint that nobody asked for", gathering, checkpointed],
  ])("%s is an illegal move: nothing changes", (_, state, event) => {
    expect(step(true, state, event)).toEqual([state, []])
  })

  it("commits one group at a time, each set once, in at most six turns, and checkpoints one at a time", () => {
    const move = fc.constantFrom("arrive", "arrive", "turn", "turn", "end", "log", "checkpoint")
    fc.assert(
      fc.property(fc.array(move, { maxLength: 300 }), fc.boolean(), (moves, inline) => {
        let state = atRest
        let [came, left, group, turns, waitsForTurn, checkpoints] = [0, 0, 0, 0, false, 0]
        for (const name of moves) {
          if (name === "turn" && !waitsForTurn) continue
          if ((name === "end" || name === "log") && group === 0) continue
          if (name === "checkpoint" && checkpoints === 0) continue
          if (name === "arrive") came++
          // Large groups, so that checkpoints fall due.
          const event = { arrive: arrived, turn: turnEnded, end: ended, log: logged(bounds.together), checkpoint: checkpointed }[name]
          if (name === "turn") [waitsForTurn, turns] = [false, turns + 1]
          if (name === "end" || name === "log") group = 0
          if (name === "checkpoint") checkpoints--
          const [next, actions] = step(inline, state, event)
          state = next
          for (const action of actions) {
            if (action._tag === "AwaitTurn") {
              expect(waitsForTurn).toBe(false)
              waitsForTurn = true
            }
            if (action._tag === "Checkpoint") expect(++checkpoints).toBe(1)
            if (action._tag === "Commit") {
              expect(group).toBe(0)
              expect(turns).toBeLessThanOrEqual(bounds.turns.most)
              expect(action.by === "inline").toBe(inline && !action.restartWal)
              ;[group, left, turns] = [action.sets, left + action.sets, 0]
            }
          }
          expect(state.waiting + left).toBe(came)
          expect(state.phase._tag).toBe(group > 0 ? "Committing" : waitsForTurn ? "Gathering" : "Idle")
          expect(state.phase._tag === "Idle" && state.waiting > 0).toBe(false)
        }
      }),
      { numRuns: runs(3000) },
    )
  })
})
