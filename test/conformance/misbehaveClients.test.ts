import { misbehaviors, startMisbehaving } from "@postern/conformance/misbehave"
import { describe, expect, it, onTestFinished } from "vitest"
import { clients, drivers, tryAll } from "./misbehaveDrivers.ts"

describe("client libraries and a provider that misbehaves", { timeout: 240_000 }, () => {
  it.each(drivers)("$name is judged by what it does next", async (driver) => {
    // One for each: who fetches metadata does not say who it is.
    const op = await startMisbehaving({ clients: clients.filter(({ client_id }) => client_id === driver.client) })
    onTestFinished(() => op.stop())
    await tryAll(op, driver)
    const scores = op.scores()
    const shown = scores.filter(({ verdict, right }) => verdict !== "not reached" && !right)
    console.info(
      [
        `${driver.name}: ${scores.filter(({ right }) => right).length} as they should be, ${scores.filter(({ verdict }) => verdict === "not reached").length} not reached`,
        ...shown.map(
          ({ misbehavior: { id, level, paragraph }, verdict, because }) => `  ${id} (${level}, ${paragraph}): ${verdict}; ${because}`,
        ),
        `  not reached: ${scores
          .filter(({ verdict }) => verdict === "not reached")
          .map(({ misbehavior }) => misbehavior.id)
          .join(", ")}`,
      ].join("\n"),
    )
    expect(scores).toHaveLength(misbehaviors.length)
    // What every one of them is known to do: the rest is for the table.
    const verdictOf = (id: string): string | undefined => scores.find(({ misbehavior }) => misbehavior.id === id)?.verdict
    expect(["response.state-wrong", "id-token.iss-wrong", "id-token.aud-wrong"].map(verdictOf)).toEqual(["noticed", "noticed", "noticed"])
    expect(["token.type-case", "token.expires-in-missing"].map(verdictOf)).toEqual(["accepted", "accepted"])
  })
})
