import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { patient } from "../properties/arbitraries.ts"
import { explained, track } from "./racing.ts"
import { type ClientId, type Name, type Operation, allScopes, clientIds, clientModels } from "./state.ts"
import { stores } from "./stores.ts"

const client = fc.constantFrom(...clientIds)

/** What goes before: a code; most times tokens for it; at times one or two rotations, just done, within their grace or beyond it. */
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

const race = before.chain(({ of, operations, codes, tokens, access }) =>
  fc.record({
    before: fc.constant(operations),
    atOnce: fc
      .array(fc.nat(), { minLength: 2, maxLength: 4 })
      .chain((some) => fc.tuple(...some.map((_, index) => at(10 + index, of, codes, tokens, access)))),
  }),
)

const issued = (of: ClientId): ReadonlyArray<Operation> => [
  { tag: "grant", id: 1, client: of, scope: allScopes },
  { tag: "redeem", id: 2, code: "c1", client: of, proof: "right" },
]

for (const { name, open, runs } of stores) {
  describe(`races: ${name}`, () => {
    test(
      "architecture law 4: things done at once to the same code and tokens come to what some order of them comes to",
      patient,
      async () => {
        const seen = new Map<string, number>()
        let conflicts = 0
        await fc.assert(
          fc.asyncProperty(race, fc.scheduler(), async ({ before: prefix, atOnce }, scheduler) => {
            const subject = await open()
            try {
              const ready = await track(subject, scheduler, prefix)
              const outcomes = await ready.race(atOnce)
              for (const [index, { tag }] of outcomes.entries())
                seen.set(`${atOnce[index]?.tag}: ${tag}`, (seen.get(`${atOnce[index]?.tag}: ${tag}`) ?? 0) + 1)
              conflicts += ready.conflicts
              const order = await explained(ready, atOnce, outcomes)
              expect(order, `no order explains ${JSON.stringify(outcomes)}`).not.toBe(undefined)
            } finally {
              await subject.close()
            }
          }),
          { numRuns: runs },
        )
        expect(conflicts).toBeGreaterThan(runs / 20)
        for (const kind of ["redeem: tokens", "redeem: refused", "refresh: tokens", "refresh: refused"])
          expect(seen.get(kind) ?? 0, kind).toBeGreaterThan(runs / 20)
      },
    )

    test(
      "RFC 6749 §4.1.2: of any number of redemptions at once one succeeds, and the others, replays all, revoke what it issued",
      patient,
      async () => {
        await fc.assert(
          fc.asyncProperty(client, fc.integer({ min: 2, max: 8 }), fc.scheduler(), async (of, number, scheduler) => {
            const subject = await open()
            try {
              const ready = await track(subject, scheduler, issued(of).slice(0, 1))
              const atOnce = Array.from({ length: number }, (_, index): Operation => ({
                tag: "redeem",
                id: 10 + index,
                code: "c1",
                client: of,
                proof: "right",
              }))
              const outcomes = await ready.race(atOnce)
              const [winner, ...others] = outcomes.filter(({ tag }) => tag === "tokens")
              expect(others).toEqual([])
              expect(outcomes.filter(({ tag }) => tag === "refused")).toEqual(
                Array(number - 1).fill({ tag: "refused", status: 400, error: "invalid_grant" }),
              )
              const handed = new Map([
                ["a", winner?.tag === "tokens" ? winner.access : ""],
                ["r", winner?.tag === "tokens" ? (winner.refresh ?? "") : ""],
              ])
              expect(await ready.actor.perform({ tag: "userinfo", token: "a" }, handed)).toEqual({
                tag: "refused",
                status: 401,
                error: "invalid_token",
              })
              const tried = await ready.actor.perform({ tag: "refresh", id: 99, token: "r", client: of, scope: undefined }, handed)
              expect(tried).toEqual({ tag: "refused", status: 400, error: "invalid_grant" })
            } finally {
              await subject.close()
            }
          }),
          { numRuns: runs / 2 },
        )
      },
    )

    test(
      "RFC 9700 §4.14.2: of any number of refreshes at once one rotates; the others get its successor within the grace, and without one revoke the family",
      patient,
      async () => {
        await fc.assert(
          fc.asyncProperty(client, fc.integer({ min: 2, max: 8 }), fc.scheduler(), async (of, number, scheduler) => {
            const subject = await open()
            try {
              const ready = await track(subject, scheduler, issued(of))
              const atOnce = Array.from({ length: number }, (_, index): Operation => ({
                tag: "refresh",
                id: 10 + index,
                token: "r2",
                client: of,
                scope: undefined,
              }))
              const outcomes = await ready.race(atOnce)
              const given = outcomes.flatMap((outcome) => (outcome.tag === "tokens" ? [outcome] : []))
              expect(given.length).toBe(clientModels[of].grace > 0 ? number : 1)
              expect(new Set(given.map(({ refresh }) => refresh)).size).toBe(1)
              expect(new Set(given.map(({ access }) => access)).size).toBe(given.length)
              const handed = new Map([["r", given[0]?.refresh ?? ""]])
              const next = await ready.actor.perform({ tag: "refresh", id: 99, token: "r", client: of, scope: undefined }, handed)
              expect(next.tag).toBe(clientModels[of].grace > 0 ? "tokens" : "refused")
            } finally {
              await subject.close()
            }
          }),
          { numRuns: runs / 2 },
        )
      },
    )
  })
}
