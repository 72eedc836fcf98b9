import { type Misbehaving, misbehaviors, startMisbehaving } from "@postern/conformance/misbehave"
import { describe, expect, it, onTestFinished } from "vitest"
import { type Driver, clients, drivers, tryAll } from "./misbehaveDrivers.ts"
import { person, sites } from "./misbehaveSites.ts"

/** Prints which faults a client went on after, and answers with its verdicts by fault. */
const verdictsOf = async (op: Misbehaving, driver: Driver): Promise<ReadonlyMap<string, string>> => {
  await tryAll(op, driver)
  const scores = op.scores()
  const missed = scores.filter(({ verdict }) => verdict === "not reached")
  console.info(
    [
      `${driver.name}: ${scores.filter(({ right }) => right).length} as they should be, ${missed.length} not reached`,
      ...scores
        .filter(({ verdict, right }) => verdict !== "not reached" && !right)
        .map(({ misbehavior: { id, level, paragraph }, verdict, because }) => `  ${id} (${level}, ${paragraph}): ${verdict}; ${because}`),
      `  not reached: ${missed.map(({ misbehavior }) => misbehavior.id).join(", ")}`,
    ].join("\n"),
  )
  expect(scores).toHaveLength(misbehaviors.length)
  return new Map(scores.map(({ misbehavior, verdict }) => [misbehavior.id, verdict]))
}

// Each has a provider of its own, since who fetches metadata does not say who it is.
describe("what client libraries make of a provider that misbehaves", { timeout: 240_000 }, () => {
  it.each(drivers)("$name", async (driver) => {
    const op = await startMisbehaving({ clients: clients.filter(({ client_id }) => client_id === driver.client) })
    onTestFinished(() => op.stop())
    const verdicts = await verdictsOf(op, driver)
    for (const id of ["response.state-wrong", "id-token.iss-wrong", "id-token.aud-wrong"])
      expect([id, verdicts.get(id)]).toEqual([id, "noticed"])
    for (const id of ["token.type-case", "token.expires-in-missing"]) expect([id, verdicts.get(id)]).toEqual([id, "accepted"])
  })

  it.each(Object.entries(sites))("%s", async (_, open) => {
    const driver = await open()
    onTestFinished(() => driver.close())
    const op = await startMisbehaving({ clients: [driver.registration], person })
    onTestFinished(() => op.stop())
    const verdicts = await verdictsOf(op, driver)
    for (const id of ["response.state-wrong", "id-token.iss-wrong", "id-token.aud-wrong"])
      expect([id, verdicts.get(id)]).toEqual([id, "noticed"])
  })
})
