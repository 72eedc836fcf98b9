import { expect, test } from "vitest"
import { areas, filesOf } from "../mutants/areas.ts"
import { lastChangedFirst } from "../mutants/changes.ts"
import { names } from "../mutants/equivalent.ts"
import { equivalents } from "../mutants/equivalents/index.ts"
import { instrument } from "../mutants/instrument.ts"
import { report, wanted } from "../mutants/report.ts"

const mutant = (id: string, told: object = {}) => ({
  id,
  file: "a.ts",
  line: 1,
  text: "if (a < b) return c",
  mutator: "EqualityOperator",
  original: "a < b",
  replacement: "a <= b",
  ...told,
})
const noticed = (...ids: ReadonlyArray<string>) => ids.map((id) => ({ _tag: "Noticed", id, test: "a test" }) as const)
const entry = { file: "a.ts", original: "a < b", replacement: "a <= b", because: "they are never equal" }

test("each area names files that exist, and each mutant that changes nothing is one of a file of some area", () => {
  const sources = new Set(areas.flatMap((area) => [...filesOf(area.sources), ...filesOf(area.tests)]))
  for (const { file } of equivalents) expect(sources, file).toContain(file)
  expect(() => filesOf(["packages/core/src/nowhere/*.ts"])).toThrow("packages/core/src/nowhere/*.ts")
})

test("each mutant that changes nothing is one of the sources as they are", { timeout: 60_000 }, async () => {
  const { mutants } = await instrument([...new Set(areas.flatMap(({ sources }) => filesOf(sources)))])
  expect(equivalents.filter((entry) => mutants.every((each) => !names(entry, each)))).toEqual([])
})

test("an entry names a change by its file and texts, and by part of its line where that is told", () => {
  expect(names(entry, mutant("1"))).toBe(true)
  for (const other of [{ file: "b.ts" }, { original: "a < c" }, { replacement: "true" }])
    expect(names(entry, mutant("1", other))).toBe(false)
  expect([names({ ...entry, on: "return c" }, mutant("1")), names({ ...entry, on: "return d" }, mutant("1"))]).toEqual([true, false])
})

test("nine of ten must be noticed; a mutant that changes nothing counts for neither, and an entry that is stale or refuted fails the run", () => {
  const ten = Array.from({ length: 10 }, (_, at) => mutant(String(at), { original: `a < ${at}` }))
  const enough = (count: number, entries: ReadonlyArray<typeof entry> = []) =>
    report(ten, noticed(...ten.slice(0, count).map(({ id }) => id)), entries, { list: false, dear: false }).enough
  expect(wanted).toBe(0.9)
  expect([enough(10), enough(9), enough(8)]).toEqual([true, true, false])
  const ninth = { ...entry, original: "a < 9" }
  expect([enough(8, [ninth]), enough(8, [ninth, { ...entry, original: "a < 8" }]), enough(10, [ninth]), enough(10, [entry])]).toEqual([
    false,
    true,
    false,
    false,
  ])
})

test("where time is short, the areas whose own files changed last come first, and without a history they keep their order", () => {
  const of = (name: string): string => areas.find((area) => area.name === name)?.sources[0] ?? ""
  const times = new Map([
    [of("rows"), 3],
    [of("jose"), 2],
  ])
  const timeOf = (files: ReadonlyArray<string>): number =>
    Math.max(0, ...[...times].flatMap(([pattern, at]) => (files.includes(filesOf([pattern])[0] ?? "") ? [at] : [])))
  const names = areas.map(({ name }) => name)
  expect(lastChangedFirst(areas, timeOf).map(({ name }) => name)).toEqual([
    "rows",
    "jose",
    ...names.filter((name) => name !== "rows" && name !== "jose"),
  ])
  expect(lastChangedFirst(areas, () => 0).map(({ name }) => name)).toEqual(names)
  // The cases of all areas are no change of one.
  lastChangedFirst(areas, (files) => {
    expect(files.filter((file) => file.startsWith("test/cases/"))).toEqual([])
    return 0
  })
  // The history of this checkout has a time for each.
  expect(lastChangedFirst(areas)).toHaveLength(areas.length)
})
