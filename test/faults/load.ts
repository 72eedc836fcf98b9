import { Actor, csrfOf, signIn } from "./actor.ts"
import { isSettled } from "./facts.ts"
import { type Ledger, Unanswered } from "./ledger.ts"
import { begin, device, raceCode, redeem, replay, revoke, revokeAccess, rotate, session, withdraw } from "./operations.ts"
import { loadClients, people } from "./setting.ts"
import { type Verification, verify } from "./verify.ts"

/** A seeded chance, so that a run can be repeated. */
export const chanceOf = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Everyone of the load; each person signed in once. */
export const assemble = async (ledger: Ledger, count: number, url: (at: number) => string): Promise<ReadonlyArray<Actor>> => {
  const actors = Array.from({ length: count }, (_, at) => {
    const person = people[at % people.length] ?? ""
    const client = loadClients[Math.floor(at / people.length) % loadClients.length]
    if (client === undefined) throw new Error("there is no such client")
    return new Actor(`${person} at ${client.id}`, person, client, ledger, () => url(at))
  })
  for (const person of new Set(actors.map((actor) => actor.person))) {
    const [first, ...others] = actors.filter((actor) => actor.person === person)
    if (first === undefined) continue
    if (!(await signIn(first.browser, first.url(), person))) throw new Error(`${person} is not signed in`)
    first.csrf = await csrfOf(first.browser, first.url())
    for (const other of others) {
      for (const [name, value] of first.browser.cookies) other.browser.cookies.set(name, value)
      other.csrf = first.csrf
    }
  }
  return actors
}

/** Settings of a load. */
export interface Load {
  readonly stop: () => void
  /** Done when every actor has ended its work. */
  readonly ended: Promise<void>
}

const step = async (actor: Actor, chance: () => number): Promise<void> => {
  const dice = chance()
  const chains = actor.chains.filter(isSettled)
  const chain = chains[Math.floor(chance() * chains.length)]
  if (dice < 0.05) return withdraw(actor)
  if (dice < 0.17) return device(actor, chance)
  if (dice < 0.19) return session(actor, chance)
  if (actor.consent === "dead" && dice < 0.3) return void (await begin(actor, "deny"))
  if (chain === undefined || (dice < 0.5 && chains.length < 4)) {
    const begun = await begin(actor)
    if (begun === undefined || chance() < 0.15) return
    return chance() < 0.12 ? raceCode(actor, begun) : redeem(actor, begun)
  }
  if (chain.use === "fresh") return redeem(actor, chain)
  if (dice < 0.82) return rotate(actor, chain)
  if (dice < 0.88) return revoke(actor, chain)
  if (dice < 0.95) return revokeAccess(actor, chain)
  return replay(actor, chain)
}

/** Lets everyone do one thing after another until told to stop. With `untilDown` an actor that is not answered ends too. */
export const startLoad = (
  actors: ReadonlyArray<Actor>,
  chance: () => number,
  { untilDown = true }: { readonly untilDown?: boolean } = {},
): Load => {
  let going = true
  const run = async (actor: Actor): Promise<void> => {
    while (going) {
      try {
        await step(actor, chance)
      } catch (error) {
        if (!(error instanceof Unanswered)) throw error
        if (untilDown) return
      }
      // Chains that nothing more can be done with, while the load goes on, are looked at later.
      const over = actor.chains.filter(({ grant }) => grant === "dead")
      if (over.length > 6) {
        actor.dead = [...actor.dead, ...over].slice(-24)
        actor.chains = actor.chains.filter(({ grant }) => grant !== "dead")
      }
    }
  }
  const ended = Promise.all(actors.map(run)).then(() => undefined)
  return { stop: () => void (going = false), ended }
}

/** Looks at everything that was promised to everyone. */
export const verifyAll = async (actors: ReadonlyArray<Actor>, how: Verification): Promise<void> => {
  await Promise.all(actors.map((actor) => verify(actor, how)))
}
