import { describe, expect, it } from "vitest"
import { type Caught, faults, hunt, requirements } from "@postern/conformance"

describe("our own provider with one fault switched on", () => {
  it("has faults with an id of their own each, that cite a paragraph", () => {
    expect(new Set(faults.map(({ id }) => id)).size).toBe(faults.length)
    expect(faults.filter(({ paragraph }) => !/§[\dA-Z]/.test(paragraph)).map(({ id }) => id)).toEqual([])
  })

  it("is caught by a requirement in at least 95 of 100 cases", { timeout: 240_000 }, async () => {
    const caught: Array<Caught> = []
    for (const fault of faults) caught.push(await hunt(fault, requirements))
    const missed = caught.filter(({ by }) => by === undefined).map(({ fault }) => fault.id)
    const rate = (100 * (caught.length - missed.length)) / caught.length
    console.info(
      `faults: ${caught.length - missed.length} of ${caught.length} caught (${rate.toFixed(1)} %); missed: ${missed.join(", ") || "none"}`,
    )
    expect(rate).toBeGreaterThanOrEqual(95)
  })
})
