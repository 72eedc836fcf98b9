import type fc from "fast-check"
import type { TokenStorePort } from "@postern/core/ports"
import { type Actor, type Handed, type StoreSubject, actor } from "./actor.ts"
import { agreed, questions } from "./agreement.ts"
import { step } from "./model.ts"
import { type Operation, type Outcome, type State, initialState } from "./state.ts"

/** A provider whose every call of its store, once the race is on, waits for its turn. */
export interface Track {
  readonly actor: Actor
  state: State
  handed: Handed
  /** How many commits met a conflict in a race. */
  conflicts: number
  /** Does things at once, in whatever order the scheduler draws, and tells what each came to. */
  readonly race: (operations: ReadonlyArray<Operation>) => Promise<ReadonlyArray<Outcome>>
}

/** Stores whose calls, while a race is on, wait for the turn that a scheduler draws. */
export interface Turns {
  readonly between: (store: TokenStorePort) => TokenStorePort
  /** Begins things at once, and lets them go on in the order drawn. */
  readonly race: <A>(things: ReadonlyArray<() => Promise<A>>) => Promise<ReadonlyArray<A>>
}

/** `heard` is told what each call of a race was answered. */
export const inTurn = (scheduler: fc.Scheduler, heard: (answer: unknown) => void = () => {}): Turns => {
  let racing = false
  return {
    between: (store) => {
      const turned = Object.entries(store).map(([name, call]: readonly [string, (...args: ReadonlyArray<unknown>) => unknown]) => [
        name,
        async (...args: ReadonlyArray<unknown>) => {
          if (!racing) return call(...args)
          await scheduler.schedule(Promise.resolve(), name)
          const answer = await call(...args)
          heard(answer)
          return answer
        },
      ])
      // Each call goes on to the same call of the store; only the wait before it is new.
      return Object.fromEntries(turned) as TokenStorePort
    },
    race: async (things) => {
      racing = true
      const running = Promise.all(things.map((begin) => begin()))
      await scheduler.waitFor(running)
      racing = false
      return running
    },
  }
}

/** Prepares a race: what goes before is done in order, and must go as the model says. */
export const track = async (subject: StoreSubject, scheduler: fc.Scheduler, before: ReadonlyArray<Operation>): Promise<Track> => {
  const turns = inTurn(scheduler, (answer) => {
    if (answer === "Conflict") ready.conflicts++
  })
  const made = await actor(subject, turns.between)
  const ready: Track = {
    actor: made,
    state: initialState,
    handed: new Map(),
    conflicts: 0,
    race: (operations) => turns.race(operations.map((operation) => () => made.perform(operation, ready.handed))),
  }
  for (const operation of before) {
    const { state, outcome } = step(ready.state, operation)
    const handed = agreed(outcome, await made.perform(operation, ready.handed), ready.handed)
    if (handed === undefined) throw new Error(`not as the model says: ${JSON.stringify(operation)}`)
    Object.assign(ready, { state, handed })
  }
  return ready
}

const orders = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  items.length === 0 ? [[]] : items.flatMap((item, at) => orders(items.toSpliced(at, 1)).map((rest) => [item, ...rest]))

/**
 * The order of things that explains a race: done so one after the other, the model gives each the answer it got, and ends in the state that
 * the provider shows. Undefined when no order does.
 */
export const explained = async (
  { actor: made, state, handed }: Track,
  operations: ReadonlyArray<Operation>,
  outcomes: ReadonlyArray<Outcome>,
): Promise<ReadonlyArray<Operation> | undefined> => {
  const answers = new Map<string, Promise<Outcome>>()
  const ask = (question: Operation, known: Handed): Promise<Outcome> => {
    const key = JSON.stringify(question) + ("token" in question ? (known.get(question.token) ?? "") : "")
    const answer = answers.get(key) ?? made.perform(question, known)
    answers.set(key, answer)
    return answer
  }
  for (const order of orders(operations.map((operation, at) => ({ operation, outcome: outcomes[at] })))) {
    let after: { readonly state: State; readonly handed: Handed } | undefined = { state, handed }
    for (const { operation, outcome } of order) {
      const next: ReturnType<typeof step> = step(after.state, operation)
      const known: Handed | undefined = outcome && agreed(next.outcome, outcome, after.handed)
      after = known && { state: next.state, handed: known }
      if (after === undefined) break
    }
    if (after !== undefined && (await shows(after.state, after.handed, ask))) return order.map(({ operation }) => operation)
  }
  return undefined
}

const shows = async (state: State, handed: Handed, ask: (question: Operation, known: Handed) => Promise<Outcome>): Promise<boolean> => {
  for (const question of questions(state)) {
    if (agreed(step(state, question).outcome, await ask(question, handed), handed) === undefined) return false
  }
  return true
}
