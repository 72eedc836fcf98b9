import fc from "fast-check"
import { expect } from "vitest"
import type { Awaitable } from "@postern/core/ports"
import { full } from "../tiers/tier.ts"
import type { StoreSubject } from "./actor.ts"
import { type Done, linearised, type Sequential } from "./linear.ts"
import type { StoreUnderTest } from "./stores.ts"

/** Stores whose calls, while a race is on, wait for the turn that a scheduler draws. */
export interface Turns {
  readonly between: <Store extends object>(store: Store) => Store
  /** Count of commits that met a conflict in a race. */
  readonly conflicts: () => number
  /** Lets actors do things at once, each its own one after the other, and tells what each came to. */
  readonly race: <Act, Answer>(
    actors: ReadonlyArray<ReadonlyArray<Act>>,
    perform: (act: Act) => Promise<Answer>,
  ) => Promise<ReadonlyArray<Done<Act, Answer>>>
}

/** Whatever a scheduler draws, in turn. */
export const inTurn = (scheduler: fc.Scheduler): Turns => {
  let racing = false
  let conflicts = 0
  return {
    between: <Store extends object>(store: Store) => {
      const turned = Object.entries(store).map(([name, call]: readonly [string, (...args: ReadonlyArray<unknown>) => unknown]) => [
        name,
        async (...args: ReadonlyArray<unknown>) => {
          if (!racing) return call(...args)
          await scheduler.schedule(Promise.resolve(), name)
          const answer = await call(...args)
          if (answer === "Conflict") conflicts++
          return answer
        },
      ])
      // Each call goes on to the same call of the store; only the wait before it is new.
      return Object.fromEntries(turned) as Store
    },
    conflicts: () => conflicts,
    race: async <Act, Answer>(actors: ReadonlyArray<ReadonlyArray<Act>>, perform: (act: Act) => Promise<Answer>) => {
      const history: Array<Done<Act, Answer>> = []
      let moment = 0
      const one = async (acts: ReadonlyArray<Act>): Promise<void> => {
        for (const act of acts) {
          const began = moment++
          const answer = await perform(act)
          history.push({ act, answer, began, ended: moment++ })
        }
      }
      racing = true
      const running = Promise.all(actors.map(one))
      await scheduler.waitFor(running)
      racing = false
      return history
    },
  }
}

/** Steps before a race, one after the other, and those that each actor then takes at the same time as the others. */
export interface Race<Act> {
  readonly before: ReadonlyArray<Act>
  readonly actors: ReadonlyArray<ReadonlyArray<Act>>
}

/** Answer to an actor whom the others were in the way of, three times over: 503. Nothing was done. */
export const busy = "busy"
export type Busy = typeof busy

/** A provider in which something lives. */
export interface Player<State, Act, Answer> {
  readonly state: State
  readonly perform: (act: Act) => Promise<Answer | Busy>
  /** Tells if the provider answers from now on as a state does. */
  readonly shows: (state: State) => Awaitable<boolean>
}

/** Something that lives, told once more as a sequential model, and how it is raced. */
export interface Lifecycle<State, Act, Answer> {
  /** The rule and its paragraph. */
  readonly title: string
  readonly races: fc.Arbitrary<Race<Act>>
  readonly begin: (subject: StoreSubject, turns: Turns) => Promise<Player<State, Act, Answer>>
  readonly step: Sequential<State, Act, Answer>
  /** Outcome in words, to count. */
  readonly kind: (act: Act, answer: Answer) => string
  /** Those that must come about often, or the races prove little. */
  readonly kinds: ReadonlyArray<string>
}

/** Races on one store. */
export interface Raced {
  readonly title: string
  readonly run: (store: StoreUnderTest) => Promise<void>
}

/** One or two things that an actor does, one after the other. */
export const actsOf = <Act>(act: fc.Arbitrary<Act>): fc.Arbitrary<ReadonlyArray<Act>> =>
  fc.array(act, { minLength: 1, maxLength: 2, size: "max" })

/** Two or three actors. */
export const actorsWith = <Act>(act: fc.Arbitrary<Act>): fc.Arbitrary<ReadonlyArray<ReadonlyArray<Act>>> =>
  fc.array(actsOf(act), { minLength: 2, maxLength: 3, size: "max" })

/** Races a lifecycle: whatever came of things done at once, some order of them must explain. */
export const raced = <State, Act, Answer>({ title, races, begin, step, kind, kinds }: Lifecycle<State, Act, Answer>): Raced => ({
  title,
  run: async ({ open, races: runs }) => {
    const seen = new Map<string, number>()
    let conflicts = 0
    await fc.assert(
      fc.asyncProperty(races, fc.scheduler(), async ({ before, actors }, scheduler) => {
        const subject = await open()
        try {
          const turns = inTurn(scheduler)
          const player = await begin(subject, turns)
          let { state } = player
          for (const act of before) {
            const answer = await player.perform(act)
            const after = answer === busy ? undefined : step(state, act, answer)
            if (after === undefined) throw new Error(`not as the model says: ${JSON.stringify({ state, act, answer })}`)
            state = after
          }
          const history = await turns.race(actors, player.perform)
          conflicts += turns.conflicts()
          for (const { act, answer } of history) {
            const came = answer === busy ? busy : kind(act, answer)
            seen.set(came, (seen.get(came) ?? 0) + 1)
          }
          const raceStep = (each: State, act: Act, answer: Answer | Busy) => (answer === busy ? each : step(each, act, answer))
          const order = await linearised(history, state, raceStep, player.shows)
          expect(order, `no order explains ${JSON.stringify(history)}`).not.toBe(undefined)
        } finally {
          await subject.close()
        }
      }),
      { numRuns: runs },
    )
    // Few races may come by without a rare answer; that it comes about at all is shown by the full tier.
    const often = full ? runs / 50 : -1
    expect(conflicts).toBeGreaterThan(often)
    expect(seen.get(busy) ?? 0).toBeLessThan(runs / (full ? 5 : 2))
    for (const each of kinds) expect(seen.get(each) ?? 0, `${each} of ${JSON.stringify([...seen])}`).toBeGreaterThan(often)
  },
})
