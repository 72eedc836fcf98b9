import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { patient } from "../properties/arbitraries.ts"
import { consents } from "./lives/consents.ts"
import { devices } from "./lives/devices.ts"
import { keys } from "./lives/keys.ts"
import { sessions } from "./lives/sessions.ts"
import { begin, tokens } from "./lives/tokens.ts"
import { inTurn } from "./racing.ts"
import { type ClientId, type Name, type Operation, allScopes, clientIds, clientModels } from "./state.ts"
import { stores } from "./stores.ts"

const client = fc.constantFrom(...clientIds)

const invalidGrant = { tag: "refused", status: 400, error: "invalid_grant" }

const refresh = (id: number, token: Name, of: ClientId): Operation => ({ tag: "refresh", id, token, client: of, scope: undefined })

/** As many actors as there are things to do. */
const each = (operations: ReadonlyArray<Operation>): ReadonlyArray<ReadonlyArray<Operation>> => operations.map((one) => [one])

/** Everything that lives and is raced. */
const lives = [tokens, devices, consents, sessions, keys]

for (const store of stores()) {
  const { name, open, runs } = store
  describe(`races: ${name}`, () => {
    for (const { title, run } of lives) test(title, patient, () => run(store))

    test(
      "RFC 6749 §4.1.2: of any number of redemptions at once one succeeds, and the others, replays all, revoke what it issued",
      patient,
      async () => {
        await fc.assert(
          fc.asyncProperty(client, fc.integer({ min: 2, max: 8 }), fc.scheduler(), async (of, number, scheduler) => {
            const subject = await open()
            try {
              const turns = inTurn(scheduler)
              const { perform } = await begin(subject, turns)
              await perform({ tag: "grant", id: 1, client: of, scope: allScopes })
              const redeem = (id: number): Operation => ({ tag: "redeem", id, code: "c1", client: of, proof: "right" })
              const atOnce = Array.from({ length: number }, (_, index) => redeem(10 + index))
              const history = await turns.race(each(atOnce), perform)
              const [winner, ...others] = history.filter(({ answer }) => answer.tag === "tokens")
              expect(others).toEqual([])
              const refused = history.flatMap(({ answer }) => (answer.tag === "refused" ? [answer] : []))
              expect(refused).toEqual(Array(number - 1).fill(invalidGrant))
              const id = winner !== undefined && "id" in winner.act ? winner.act.id : 0
              expect(await perform({ tag: "userinfo", token: `a${id}` })).toEqual({ tag: "refused", status: 401, error: "invalid_token" })
              expect(await perform(refresh(99, `r${id}`, of))).toEqual(invalidGrant)
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
              const turns = inTurn(scheduler)
              const { perform } = await begin(subject, turns)
              await perform({ tag: "grant", id: 1, client: of, scope: allScopes })
              await perform({ tag: "redeem", id: 2, code: "c1", client: of, proof: "right" })
              const atOnce = Array.from({ length: number }, (_, index) => refresh(10 + index, "r2", of))
              const history = await turns.race(each(atOnce), perform)
              const given = history.flatMap(({ answer }) => (answer.tag === "tokens" ? [answer] : []))
              expect(given.length).toBe(clientModels[of].grace > 0 ? number : 1)
              expect(new Set(given.map(({ refresh }) => refresh)).size).toBe(1)
              expect(new Set(given.map(({ access }) => access)).size).toBe(given.length)
              const next = await perform(refresh(99, "r10", of))
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
