import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { scopeWords } from "@postern/core"
import { exchange, world as exchanging } from "../cases/tokenExchange.ts"
import { claimsOf, tokensFor } from "../support/flows.ts"
import { issuer, known, world } from "../support/world.ts"
import { runs } from "../tiers/tier.ts"
import { patient } from "./arbitraries.ts"

const names = ["openid", "email", "api.read", "api.write", "billing"]
const resources = ["https://api.example", "https://billing.example"]
const some = (values: ReadonlyArray<string>, minLength = 0) => fc.subarray([...values], { minLength })
const maybe = <A>(value: fc.Arbitrary<A>) => fc.option(value, { nil: undefined })

const exchanged = fc.record({
  /** Scopes that Alice granted the first client. */
  granted: some(names, 2).map((scope) => ["openid", ...scope]),
  client: some(names, 3),
  scope: maybe(some(names, 2)),
  add: maybe(some(names, 1)),
  resources: maybe(some(resources)),
  life: maybe(fc.integer({ min: 1, max: 5000 })),
  asked: fc.option(some(names, 1), { nil: undefined, freq: 1 }),
  target: fc.option(fc.constantFrom(...resources), { nil: undefined, freq: 1 }),
  waited: fc.integer({ min: 0, max: 3599 }),
  reference: fc.boolean(),
})

describe("token exchange", () => {
  test("RFC 8693 §5: no exchange gives a scope, a resource or a second beyond client, policy and subject token", patient, async () => {
    let given = 0
    await fc.assert(
      fc.asyncProperty(exchanged, async (x) => {
        const policy = {
          clients: ["web"],
          impersonation: true,
          ...(x.scope === undefined ? {} : { scope: x.scope.join(" ") }),
          ...(x.add === undefined ? {} : { add_scope: x.add.join(" ") }),
          ...(x.resources === undefined ? {} : { resources: x.resources }),
          ...(x.life === undefined ? {} : { max_lifetime: x.life }),
        }
        const w = await world(
          exchanging(policy, {
            scope: x.client.join(" "),
            access_token_format: x.reference ? "reference" : "jwt",
            grant_types: grantTypes,
          }),
        )
        const subject = (await tokensFor(w, "web", [...new Set(x.granted)].join(" "))).access_token
        w.pass(x.waited)
        const answer = await exchange(w, subject, {
          ...(x.asked === undefined ? {} : { scope: x.asked.join(" ") }),
          ...(x.target === undefined ? {} : { resource: x.target }),
        })
        if (answer.status !== 200) {
          expect(["invalid_scope", "invalid_target"]).toContain(answer.json?.["error"])
          return
        }
        given++
        const scope = scopeWords(String(answer.json?.["scope"]))
        const mayHave = (name: string): boolean =>
          x.client.includes(name) &&
          (x.add?.includes(name) === true || (x.granted.includes(name) && (x.scope === undefined || x.scope.includes(name))))
        expect(scope.length).toBeGreaterThan(0)
        expect(scope.filter((name) => !mayHave(name) || x.asked?.includes(name) === false)).toEqual([])
        expect(answer.json?.["expires_in"]).toBeLessThanOrEqual(Math.min(3600 - x.waited, x.life ?? 3600))
        if (x.reference) return
        const audience = [claimsOf(String(answer.json?.["access_token"]))["aud"]].flat()
        const before = [claimsOf(subject)["aud"]].flat()
        const reachable = x.resources ?? [...before, ...(x.add ?? []).flatMap((name) => known.owners.get(name) ?? [])]
        expect(audience.filter((each) => each !== issuer && !reachable.includes(each))).toEqual([])
        if (x.target !== undefined) expect(audience).toEqual([x.target])
      }),
      { numRuns: runs(500) },
    )
    expect(given).toBeGreaterThan(runs(100, 5))
  })
})

const grantTypes = ["urn:ietf:params:oauth:grant-type:token-exchange"]
