import fc from "fast-check"
import { actor, type Handed, type StoreSubject } from "../actor.ts"
import { agreed, questions } from "../agreement.ts"
import { step } from "../model.ts"
import { raced, type Turns } from "../racing.ts"
import { type ClientId, type Name, type Operation, type Outcome, type State, allScopes, clientIds, initialState } from "../state.ts"

const client = fc.constantFrom(...clientIds)

/** Steps before the race: a code; most times tokens for it; at times one or two rotations, just done, within their grace or beyond it. */
const before = fc
  .record({
    client,
    redeemed: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.constant(false)),
    rotations: fc.nat(2),
    wait: fc.constantFrom(0, 5, 15, 35),
  })
  .map(({ client: of, redeemed, rotations, wait }) => {
    const rotated = Array.from({ length: rotations }, (_, at): Operation => ({
      tag: "refresh",
      id: 3 + at,
      token: `r${2 + at}`,
      client: of,
      scope: undefined,
    }))
    const after: ReadonlyArray<Operation> = [{ tag: "redeem", id: 2, code: "c1", client: of, proof: "right" }, ...rotated]
    const operations: ReadonlyArray<Operation> = [
      { tag: "grant", id: 1, client: of, scope: allScopes },
      ...(redeemed ? after : []),
      { tag: "pass", seconds: wait },
    ]
    return {
      of,
      operations,
      codes: ["c1"],
      tokens: redeemed ? Array.from({ length: rotations + 1 }, (_, at) => `r${2 + at}`) : [],
      access: redeemed ? ["a2"] : [],
    }
  })

/** One thing that may be done at the same time as others, to the same code and tokens. */
const at = (
  id: number,
  of: ClientId,
  codes: ReadonlyArray<Name>,
  tokens: ReadonlyArray<Name>,
  access: ReadonlyArray<Name>,
): fc.Arbitrary<Operation> => {
  const by = fc.oneof({ weight: 6, arbitrary: fc.constant(of) }, client)
  const proof = fc.oneof({ weight: 4, arbitrary: fc.constant("right" as const) }, fc.constant("wrong verifier" as const))
  const scope = fc.constantFrom(undefined, undefined, ["openid"], ["api.write"])
  const redeem = fc.record({ tag: fc.constant("redeem" as const), id: fc.constant(id), code: fc.constantFrom(...codes), client: by, proof })
  const withdraw = fc.constant<Operation>({ tag: "withdraw", client: of })
  if (tokens.length === 0) return fc.oneof({ weight: 5, arbitrary: redeem }, withdraw)
  const token = fc.constantFrom(...tokens)
  const refresh = fc.record({ tag: fc.constant("refresh" as const), id: fc.constant(id), token, client: by, scope })
  const revoke = fc.record({ tag: fc.constant("revoke" as const), token: fc.constantFrom(...tokens, ...access), client: by })
  const look = fc.constantFrom(...access).map((each): Operation => ({ tag: "userinfo", token: each }))
  return fc.oneof({ weight: 6, arbitrary: refresh }, { weight: 2, arbitrary: redeem }, revoke, withdraw, look)
}

const races = before.chain(({ of, operations, codes, tokens, access }) =>
  fc.record({
    before: fc.constant(operations),
    actors: fc
      .array(fc.nat(), { minLength: 2, maxLength: 4 })
      .chain((some) => fc.tuple(...some.map((_, index) => at(10 + index, of, codes, tokens, access).map((one) => [one])))),
  }),
)

/** Memory of the model, and the value that each of its names was handed out as. */
interface Known {
  readonly state: State
  readonly handed: Handed
}

/** Begins with nothing handed out; what is later goes by the number of the operation that made it. */
export const begin = async (subject: StoreSubject, { between }: Turns) => {
  const { perform } = await actor(subject, between)
  const named = new Map<Name, string>()
  const answers = new Map<string, Promise<Outcome>>()
  const ask = (question: Operation, handed: Handed): Promise<Outcome> => {
    const key = JSON.stringify(question) + ("token" in question ? (handed.get(question.token) ?? "") : "")
    const answer = answers.get(key) ?? perform(question, handed)
    answers.set(key, answer)
    return answer
  }
  return {
    state: { state: initialState, handed: new Map() },
    perform: async (operation: Operation): Promise<Outcome> => {
      const outcome = await perform(operation, named)
      const id = "id" in operation ? operation.id : 0
      if (outcome.tag === "code") named.set(`c${id}`, outcome.code)
      if (outcome.tag === "tokens") named.set(`a${id}`, outcome.access).set(`r${id}`, outcome.refresh ?? "")
      return outcome
    },
    // Names of a race stand for values as its order says.
    shows: async ({ state, handed }: Known): Promise<boolean> => {
      for (const question of questions(state)) {
        if (agreed(step(state, question).outcome, await ask(question, handed), handed) === undefined) return false
      }
      return true
    },
  }
}

/** Codes, access and refresh tokens. */
export const tokens = raced<Known, Operation, Outcome>({
  title: "architecture law 4: things done at once to the same code and tokens come to what some order of them comes to",
  races,
  begin,
  step: ({ state, handed }, operation, observed) => {
    const { state: after, outcome } = step(state, operation)
    const known = agreed(outcome, observed, handed)
    return known && { state: after, handed: known }
  },
  kind: ({ tag }, outcome) => `${tag}: ${outcome.tag}`,
  kinds: ["redeem: tokens", "redeem: refused", "refresh: tokens", "refresh: refused"],
})
