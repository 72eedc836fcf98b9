import { requestCountsContract, signingKeyStoreContract, tokenStoreContract } from "@postern/core/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { casesElsewhere } from "../support/contracts.ts"
import { sample } from "../tiers/tier.ts"
import { patience, startWorkerd, type Workerd } from "./workerd.ts"

let workerd: Workerd
beforeAll(async () => {
  workerd = await startWorkerd()
}, patience)
afterAll(() => workerd?.end())

const contracts = { tokens: casesElsewhere(tokenStoreContract), keys: signingKeyStoreContract, counts: requestCountsContract }
const places = [
  ["D1, in the worker", "contract-d1"],
  ["a Durable Object, from the worker", "contract-object"],
  ["a Durable Object, in the object", "contract-inside"],
] as const

// Outside of the full tier, each database in one place.
describe.each(sample(places, 2))("the contract in workerd: %s", (_, place) => {
  for (const [contract, cases] of Object.entries(contracts))
    for (const { name } of cases)
      it(`${contract}: ${name}`, async () => {
        const answer = await fetch(`${workerd.origin()}/${place}/${contract}/${encodeURIComponent(name)}`, { method: "POST" })
        expect(await answer.text()).toBe("")
        expect(answer.status).toBe(200)
      })
})
