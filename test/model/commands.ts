import fc from "fast-check"
import { expect } from "vitest"
import { type Actor, type Handed } from "./actor.ts"
import { agreed, confidential, widestFamily } from "./agreement.ts"
import { at, isCertain, step, works } from "./model.ts"
import { type ClientId, type Name, type Operation, type State, allScopes, clientIds } from "./state.ts"

/** The model of a run: its state, and the number of the next operation. */
export interface Model {
  state: State
  next: number
}

/** The provider of a run, and what it handed out. */
export interface Real {
  readonly actor: Actor
  handed: Handed
  /** Count of each outcome. */
  readonly seen: Map<string, number>
}

/** Picks an operation that the state allows; undefined when it allows none. */
type Choice = (state: State, id: number) => Operation | undefined

/** One step of a run: done by the model and by the provider, whose answers must agree. */
class Act implements fc.AsyncCommand<Model, Real> {
  readonly #choose: Choice
  #done: Operation | undefined

  constructor(choose: Choice) {
    this.#choose = choose
  }

  check({ state, next }: Readonly<Model>): boolean {
    const operation = this.#choose(state, next)
    return operation !== undefined && isCertain(state, operation)
  }

  async run(model: Model, real: Real): Promise<void> {
    const operation = this.#choose(model.state, model.next)
    if (operation === undefined) return
    this.#done = operation
    const { state, outcome } = step(model.state, operation)
    const observed = await real.actor.perform(operation, real.handed)
    const handed = agreed(outcome, observed, real.handed)
    if (handed === undefined) expect(observed, this.toString()).toEqual(outcome)
    expect(handed, this.toString()).not.toBe(undefined)
    real.handed = handed ?? real.handed
    const kind = `${operation.tag}: ${outcome.tag === "refused" ? outcome.error : outcome.tag}`
    real.seen.set(kind, (real.seen.get(kind) ?? 0) + 1)
    Object.assign(model, { state, next: model.next + 1 })
    expect(widestFamily(state)).toBeLessThanOrEqual(1)
  }

  toString(): string {
    return JSON.stringify(this.#done ?? "not done")
  }
}

/** The name picked, counted from the newest. */
const picked = (names: ReadonlyArray<Name>, pick: number): Name | undefined => names[names.length - 1 - (pick % Math.max(1, names.length))]

const pick = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(9))
const client = fc.constantFrom(...clientIds)
/** Undefined is the client that the thing is for. */
const asking = fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, client)
const act = <A>(of: fc.Arbitrary<A>, choose: (given: A, state: State, id: number) => Operation | undefined): fc.Arbitrary<Act> =>
  of.map((given) => new Act((state, id) => choose(given, state, id)))

const ownerOf = (state: State, name: Name): ClientId => {
  const { grant } = state.codes[name] ?? state.access[name] ?? at(state.refresh, name)
  return at(state.grants, grant).client
}

/** Chooses what has a token (or code) in it, by its client or another's. */
const onPicked =
  (
    of: (state: State) => ReadonlyArray<Name>,
    given: { readonly pick: number; readonly client: ClientId | undefined },
    make: (name: Name, client: ClientId) => Operation,
  ) =>
  (state: State) => {
    const name = picked(of(state), given.pick)
    return name === undefined ? undefined : make(name, given.client ?? ownerOf(state, name))
  }

const codes = (state: State): ReadonlyArray<Name> => Object.keys(state.codes)
const accessTokens = (state: State): ReadonlyArray<Name> => Object.keys(state.access)
const refreshTokens = (state: State): ReadonlyArray<Name> => Object.keys(state.refresh)
const tokens = (state: State): ReadonlyArray<Name> => [...accessTokens(state), ...refreshTokens(state)]
/** Those that still work, or all when none does. */
const good = (names: ReadonlyArray<Name>, isGood: (name: Name) => boolean): ReadonlyArray<Name> => {
  const those = names.filter(isGood)
  return those.length === 0 ? names : those
}
const goodCodes = (state: State): ReadonlyArray<Name> =>
  good(codes(state), (name) => !at(state.codes, name).used && state.now < at(state.codes, name).expiresAt)
const goodRefreshTokens = (state: State): ReadonlyArray<Name> => good(refreshTokens(state), (name) => works(state, name))

/** Scopes to ask for at first; most of them with a refresh token, or there would be little to tell. */
export const askedScope = fc.oneof(
  fc.constant(allScopes),
  fc.constantFrom(["openid", "offline_access"], ["openid"], ["api.read", "offline_access"]),
)

const proof = fc.oneof(
  { weight: 8, arbitrary: fc.constant("right" as const) },
  fc.constantFrom("wrong verifier" as const, "wrong redirect_uri" as const),
)
/** Scopes to ask for at a refresh; `api.write` is one that nobody was granted. */
export const refreshScope = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  fc.subarray(allScopes, { minLength: 1 }),
  fc.constant(["openid", "api.write"]),
)

const redeem = (of: (state: State) => ReadonlyArray<Name>) =>
  act(fc.record({ pick, client: asking, proof }), (given, state, id) =>
    onPicked(of, given, (code, by) => ({ tag: "redeem", id, code, client: by, proof: given.proof }))(state),
  )
const refresh = (of: (state: State) => ReadonlyArray<Name>) =>
  act(fc.record({ pick, client: asking, scope: refreshScope }), (given, state, id) =>
    onPicked(of, given, (token, by) => ({ tag: "refresh", id, token, client: by, scope: given.scope }))(state),
  )
const grant = act(fc.record({ client, scope: askedScope }), (given, state, id) =>
  state.active ? { tag: "grant", id, ...given } : undefined,
)
/** Operations that end many lives at once, and so must not come too often. */
const endings = [
  act(client, (of, { active }) => (active ? { tag: "withdraw", client: of } : undefined)),
  act(fc.constant(undefined), (_, { active }) => (active ? { tag: "end session" } : undefined)),
  act(fc.oneof({ weight: 2, arbitrary: fc.constant(true) }, fc.constant(false)), (active) => ({ tag: "enable", active })),
]

/** Everything that can be done, often enough for much to happen. */
export const acts: ReadonlyArray<fc.Arbitrary<Act>> = [
  grant,
  grant,
  redeem(goodCodes),
  redeem(goodCodes),
  redeem(codes),
  refresh(goodRefreshTokens),
  refresh(goodRefreshTokens),
  refresh(goodRefreshTokens),
  refresh(refreshTokens),
  refresh(refreshTokens),
  fc.oneof(
    {
      weight: 2,
      arbitrary: act(fc.record({ pick, client: asking }), (given, state) =>
        onPicked(tokens, given, (token, by) => ({ tag: "revoke", token, client: by }))(state),
      ),
    },
    ...endings,
  ),
  act(fc.constantFrom(1, 9, 10, 29, 30, 59, 60, 100, 200), (seconds) => ({ tag: "pass", seconds })),
  act(fc.constant(undefined), () => ({ tag: "sweep" })),
  act(fc.record({ pick, client: fc.constantFrom(...confidential) }), (given, state) =>
    onPicked(tokens, given, (token, by) => ({ tag: "introspect", token, client: by }))(state),
  ),
  act(pick, (given, state) => onPicked(accessTokens, { pick: given, client: undefined }, (token) => ({ tag: "userinfo", token }))(state)),
]
