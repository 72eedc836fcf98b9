import { describe, expect, it } from "vitest"
import { inProcess, requirements, requirementsOf, run, sets } from "@postern/conformance"

describe("the requirements", () => {
  it("have an id of their own each, of an area and a name", () => {
    const ids = requirements.map(({ id }) => id)
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
    expect(ids.filter((id) => !/^[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*$/.test(id))).toEqual([])
  })

  it("cite a paragraph each", () => {
    expect(requirements.filter(({ paragraph }) => !/§[\dA-Z]/.test(paragraph)).map(({ id }) => id)).toEqual([])
  })

  it("are in sets with names of their own, none of them empty, that name no requirement which is not there", () => {
    expect(new Set(sets.map(({ name }) => name)).size).toBe(sets.length)
    for (const { name, ids } of sets) {
      expect(ids.length).toBeGreaterThan(0)
      expect([name, requirementsOf(name)?.map(({ id }) => id)]).toEqual([name, ids])
    }
  })

  it("are at least 300", () => {
    expect(requirements.length).toBeGreaterThanOrEqual(300)
  })

  it("are all met by our own provider in process, and all tried that its metadata offers", { timeout: 120_000 }, async () => {
    const { results } = await run(inProcess(), requirements, { write: true })
    const others = results.filter(({ verdict }) => verdict !== "pass" && verdict !== "not applicable")
    expect(others.map(({ requirement, verdict, reason }) => [requirement.id, verdict, reason])).toEqual([])
  })
})
