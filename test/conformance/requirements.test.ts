import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { faults, inProcess, requirements, requirementsOf, run, sets } from "@postern/conformance"

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

  it("are as many as docs/testing.md says, in the sets that it names, and so are the faults", () => {
    const page = readFileSync(fileURLToPath(new URL("../../docs/testing.md", import.meta.url)), "utf8")
    const numbers = (what: string) => [...page.matchAll(new RegExp(`\\b(\\d+) ${what}`, "g"))].map(([, number]) => Number(number))
    expect(numbers("requirements")).toEqual([requirements.length])
    expect(numbers("faults; at least")).toEqual([faults.length])
    const listed = /The sets are frozen: (.*?); `all`/s.exec(page)?.[1] ?? ""
    expect([...listed.matchAll(/`([^`]+)`/g)].map(([, name]) => name)).toEqual(
      sets.map(({ name }) => name).filter((name) => name !== "all"),
    )
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
