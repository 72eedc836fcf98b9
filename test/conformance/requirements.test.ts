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

  it("are in sets with names of their own, none of them empty", () => {
    expect(sets.map(({ name }) => [name, (requirementsOf(name) ?? []).length > 0])).toEqual(sets.map(({ name }) => [name, true]))
  })

  it("are all met by our own provider in process, and all tried that its metadata offers", { timeout: 120_000 }, async () => {
    const { results } = await run(inProcess(), requirements, { write: true })
    const others = results.filter(({ verdict }) => verdict !== "pass" && verdict !== "not applicable")
    expect(others.map(({ requirement, verdict, reason }) => [requirement.id, verdict, reason])).toEqual([])
  })
})
