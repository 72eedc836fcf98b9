import { type Misbehaving, type Misbehavior, startMisbehaving } from "@postern/conformance/misbehave"
import { describe, expect, it } from "vitest"
import { apacheThere } from "../interop/apache/apache.ts"
import { openApache } from "./misbehaveApache.ts"
import { type Driver, clients, drivers, isFor, isSlow, tryAll } from "./misbehaveDrivers.ts"
import { person, sites } from "./misbehaveSites.ts"
import { type Outcome, outcomes } from "./misbehaveOutcomes.ts"

/** Faults where a client's limits of time and the machine's speed decide. */
const isOfSpeed = (misbehavior: Misbehavior): boolean => isSlow(misbehavior) || misbehavior.id === "metadata.huge"

/** Tries everything with a client, prints what was not as it should be, and compares all of it with what docs/testing.md says. */
const asDocumented = async (op: Misbehaving, driver: Driver): Promise<void> => {
  await tryAll(op, driver)
  const scores = op
    .scores()
    .filter(({ misbehavior }) => misbehavior.transform.logout === undefined && isFor(driver, misbehavior) && !isOfSpeed(misbehavior))
  const missed = scores.filter(({ verdict }) => verdict === "not reached").map(({ misbehavior }) => misbehavior.id)
  const wrong = scores.filter(({ verdict, right }) => verdict !== "not reached" && !right)
  console.info(
    [
      `${driver.name}: ${scores.filter(({ right }) => right).length} as they should be, ${missed.length} not reached`,
      ...wrong.map(
        ({ misbehavior: { id, level, paragraph }, verdict, because }) => `  ${id} (${level}, ${paragraph}): ${verdict}; ${because}`,
      ),
      `  not reached: ${missed.join(", ")}`,
    ].join("\n"),
  )
  const found: Outcome = {
    wentOn: wrong.filter(({ verdict }) => verdict === "accepted").map(({ misbehavior }) => misbehavior.id),
    refused: wrong.filter(({ verdict }) => verdict === "noticed").map(({ misbehavior }) => misbehavior.id),
    notReached: missed,
  }
  expect(found).toEqual(outcomes[driver.name])
}

/** Apache in the code flow and, so that c_hash is reached, in the hybrid one. */
const apaches: ReadonlyArray<readonly [name: string, responseType: string, responseMode?: string]> = [
  ["mod_auth_openidc", "code"],
  ["mod_auth_openidc, hybrid", "code id_token", "form_post"],
]

// Each has a provider of its own, since who fetches metadata does not say who it is. Tests at the same time say by their own context what is to be done at
// their end: after an await, the one of vitest knows no test.
describe("clients of a provider that misbehaves do what docs/testing.md says", { timeout: 400_000 }, () => {
  it.concurrent.for(drivers)("$name", async (driver, { onTestFinished }) => {
    const op = await startMisbehaving({ clients: clients.filter(({ client_id }) => client_id === driver.client) })
    onTestFinished(() => op.stop())
    await asDocumented(op, driver)
  })

  it.concurrent.for(Object.entries(sites))("%s", async ([name, open], { onTestFinished }) => {
    const driver = await open()
    onTestFinished(() => driver.close())
    const op = await startMisbehaving({ clients: [driver.registration], person })
    onTestFinished(() => op.stop())
    await asDocumented(op, { ...driver, name })
  })

  it.for(apacheThere ? apaches : [])("%s", async ([name, type, mode], { onTestFinished }) => {
    const { driver, registration, start, close, log } = await openApache(name.replace(/\W+/g, "-"), type, mode)
    const op = await startMisbehaving({ clients: [registration], person })
    onTestFinished(() => op.stop())
    onTestFinished(close)
    await start(op.issuer)
    await driver.signIn(op.issuer).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${log()}`)
    })
    await asDocumented(op, { ...driver, name })
  })
})
