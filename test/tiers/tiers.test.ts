import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import {
  filesOf,
  importsOf,
  jsx,
  longest,
  measuring,
  narrowed,
  places,
  placesOf,
  shared,
  testFiles,
  tierOf,
  unmeasured,
  wayOf,
} from "./list.ts"
import { planOf } from "./plan.ts"
import { tiers, variable, widthOf } from "./tier.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const text = (path: string): string => readFileSync(join(root, path), "utf8")
const listed = tiers.flatMap((tier) => places[tier])
/** Every source of the tests that some test file imports, but those of the tiers themselves. */
const sources = [...new Set(testFiles.flatMap((file) => [...importsOf(file)]))].filter((path) => !path.startsWith("test/tiers/"))

describe("the list of tiers", () => {
  it("has each test file of the workspace in exactly one tier", () => {
    expect(testFiles.length).toBeGreaterThan(200)
    expect(testFiles.filter((file) => tierOf(file) === undefined)).toEqual([])
    // Of two places that hold a file the longer one counts: none may stand there twice.
    expect(listed.filter((place, at) => listed.indexOf(place) !== at)).toEqual([])
  })

  it("names folders and test files that are there, and none for nothing", () => {
    const counts = new Set(testFiles.map((file) => placesOf(file)[0]?.place))
    for (const place of listed) {
      expect([place, existsSync(join(root, place)) && statSync(join(root, place)).isFile()]).toEqual([place, place.endsWith(".test.ts")])
      // Packages may have tests of their own, and have none now.
      if (place !== "packages") expect([place, counts.has(place)]).toEqual([place, true])
    }
  })

  it("gives each tier what the one before it has, and the last one everything", () => {
    const [quick = [], standard = [], full = []] = tiers.map(filesOf)
    expect(standard).toEqual(expect.arrayContaining([...quick]))
    expect(full).toEqual(testFiles)
  })

  it("keeps every rule, real client and browser test, and both databases, in the standard tier", () => {
    const left = testFiles.filter((file) => tierOf(file) === "full")
    for (const folder of ["browser", "cases", "clients", "core", "interop", "model", "properties", "store"])
      expect(left.filter((file) => file.startsWith(`test/${folder}/`))).toEqual([])
    expect(filesOf("standard")).toEqual(expect.arrayContaining(["test/postgres/contract.test.ts", "test/postgres/stores.test.ts"]))
  })
})

describe("the quick tier", () => {
  it("starts no process, no server and no browser, and opens no database", () => {
    const modules =
      "node:(?:child_process|cluster|https?|http2|net|tls)|playwright-core|better-sqlite3|@postern/(?:adapter-sqlite|adapter-postgres|cli)"
    const heavy = new RegExp(`^import (?!type )[^"]*"(?:${modules})["/]`, "m")
    expect(heavy.test('import { spawn } from "node:child_process"')).toBe(true)
    const found = filesOf("quick").flatMap((file) =>
      [...importsOf(file)].filter((source) => heavy.test(text(source))).map((source) => `${file}: ${source}`),
    )
    expect(found).toEqual([])
  })
})

describe("the ways to run files", () => {
  it("are given to places and files that are there", () => {
    for (const place of [...shared, ...measuring, ...unmeasured, ...jsx, ...longest])
      expect([place, existsSync(join(root, place))]).toEqual([place, true])
    expect(longest.filter((file) => !testFiles.includes(file))).toEqual([])
  })

  it("are five, and each has files in the full tier", () => {
    expect([...new Set(filesOf("full").map(wayOf))].toSorted()).toEqual(["alone", "core", "jsx", "measuring", "shared"])
    expect(filesOf("standard").filter((file) => wayOf(file) === "measuring")).toEqual([])
    expect(unmeasured.map(wayOf)).toEqual(unmeasured.map(() => "alone"))
  })

  it("have Vitest's own loader for the files that import JSX, and for no other", () => {
    expect(testFiles.filter((file) => /from "[^"]+\.tsx"/.test(text(file)))).toEqual(jsx)
  })

  it("mock modules only where Vitest's own loader reads them: elsewhere Node does, and a mock would do nothing", () => {
    const mocks = /\bvi\.(?:mock|doMock|hoisted|resetModules|importActual)\b/
    expect(mocks.test('vi.mock("node:fs")') && mocks.test("await vi.importActual<object>(path)")).toBe(true)
    const others = new Set(testFiles.filter((file) => wayOf(file) !== "jsx").flatMap((file) => [...importsOf(file)]))
    const itself = "test/tiers/tiers.test.ts"
    expect([...others].filter((source) => source !== itself && mocks.test(text(source)))).toEqual([])
  })

  it("share a process only where no helper holds what ends with one file: it would be gone for the next", () => {
    const ends =
      /^(?:(?:before|after)(?:All|Each)\(|(?:export )?(?:const|let) \w+(?:: [^=]+)? = (?:await )?(?:postgresServer|sharedDatabase|redisServer|sharedRedis|sharedStores)\()/m
    expect(ends.test("const shared = sharedDatabase()") && ends.test("afterAll(async () => {")).toBe(true)
    const files = testFiles.filter((file) => ["core", "shared"].includes(wayOf(file)))
    const helpers = new Set(files.flatMap((file) => [...importsOf(file)]).filter((source) => !source.endsWith(".test.ts")))
    expect(helpers.size).toBeGreaterThan(50)
    expect([...helpers].filter((source) => ends.test(text(source)))).toEqual([])
  })
})

describe("waiting", () => {
  it("has a limit that a busy machine keeps, which Vitest's second for vi.waitFor is not", () => {
    const asked = (source: string, words: RegExp): number => text(source).match(words)?.length ?? 0
    const waiting = sources.filter((source) => asked(source, /vi\.waitFor\(/g) > 0)
    expect(waiting.length).toBeGreaterThan(10)
    expect(waiting.filter((source) => asked(source, /vi\.waitFor\(/g) > asked(source, /\btimeout: /g))).toEqual([])
  })
})

describe("runs and rows outside of the full tier", () => {
  it("are fewer by tier.ts alone: nothing else reads the tier", () => {
    expect(sources.filter((source) => text(source).includes(variable))).toEqual([])
    expect(narrowed().length).toBeGreaterThan(20)
    // A file of the full tier runs in no other, and has nothing to leave out.
    expect(narrowed().filter((file) => tierOf(file) === "full")).toEqual([])
  })

  it("are fewer for every property of two hundred runs or more", () => {
    const wide = /numRuns: (?:[2-9]\d\d|[\d_]{4,})\b/
    expect(wide.test("{ numRuns: 2_000 }") && wide.test("{ numRuns: 300 }")).toBe(true)
    // Files of the full tier run in no other, and have nothing to leave out.
    expect(sources.filter((source) => tierOf(source) !== "full" && wide.test(text(source)))).toEqual([])
  })

  it.each(tiers)("are counted by the tier: %s", (tier) => {
    const { full, runs, sample } = widthOf(tier)
    const given = [full, runs(1000), runs(40, 15), runs(3), sample(["a", "b", "c", "d", "e", "f", "g"], 3).join("")]
    expect(given).toEqual(tier === "full" ? [true, 1000, 40, 3, "abcdefg"] : [false, 100, 15, 1, "adg"])
  })

  it("are all there for tests that something else starts, and a tier that there is not is refused", () => {
    expect(widthOf(undefined)).toMatchObject({ tier: "full", full: true })
    expect(() => widthOf("fast")).toThrow('there is no tier "fast"')
  })
})

describe("npm test", () => {
  const files = ["test/wire/web.test.ts", "test/cli/doctor.test.ts"]

  it.each([
    ["", "standard", false],
    ["quick", "quick", false],
    ["standard test/wire", "standard", true],
    ["full --reporter=json", "full", false],
    ["--reporter json", "standard", false],
    ["test/wire", "full", true],
    ["./test/wire/web.test.ts:12", "full", true],
    ["doctor", "full", true],
    ["-t words", "full", true],
    ["--testNamePattern=words", "full", true],
  ])("-- %s runs the tier %s; it names tests: %s", (line, tier, named) => {
    const words = line.split(" ").filter((word) => word !== "")
    const args = tiers.some((each) => each === words[0]) ? words.slice(1) : words
    expect(planOf(words, files)).toEqual({ tier, args, named })
  })

  it("runs everything in CI", () => {
    expect(text(".ci/run")).toContain("npm test -- full --reporter=default")
  })
})
