import { spawnSync } from "node:child_process"
import { existsSync, globSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { full } from "../tiers/tier.ts"
import { manifestOf, root } from "./packed.ts"

const packages = readdirSync(join(root, "packages")).filter((name) => existsSync(join(root, "packages", name, "package.json")))
const read = (path: string): string => readFileSync(join(root, path), "utf8")
const blocksOf = (path: string): ReadonlyArray<string> => [...read(path).matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => code)

describe("packages/*/README.md, which is in each tarball", () => {
  test.each(packages)("%s says what it is, how it is installed, what to do first, and where there is more", (name) => {
    const text = read(`packages/${name}/README.md`)
    expect(text.startsWith(`# ${manifestOf(join(root, "packages", name)).name}\n\n`)).toBe(true)
    expect(text).toMatch(/^ {4}npm install /m)
    expect(text).toMatch(/```ts\n|^ {4}postern /m)
    const named = [...text.matchAll(/`(docs\/[\w-]+\.md)`/g)].map(([, path = ""]) => path)
    expect(named.length).toBeGreaterThan(0)
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  test.each(packages)("%s names, until it is published, the files of it and of all that it depends on, for one call", (name) => {
    const [first = ""] = installsOf(read(`packages/${name}/README.md`)).filter((line) => line.includes(".tgz"))
    const files = [...first.matchAll(/postern-build\/([\w-]+)\.tgz/g)].map(([, file = ""]) => file)
    const due = name === "stores" ? ["stores", "adapter-sqlite"] : [name]
    expect(files.toSorted()).toEqual([...new Set(due.flatMap(dependenciesOf))].toSorted())
  })
})

const installsOf = (text: string): ReadonlyArray<string> => text.split("\n").filter((line) => line.includes("npm install "))

const dependenciesOf = (name: string): ReadonlyArray<string> => {
  const { dependencies = {} } = manifestOf(join(root, "packages", name)) as { readonly dependencies?: Readonly<Record<string, string>> }
  return [name, ...Object.keys(dependencies).flatMap((each) => (each.startsWith("@postern/") ? dependenciesOf(each.slice(9)) : []))]
}

test("a page that says npm install @postern/… says how it is had until it is published", () => {
  const pages = [
    "README.md",
    ...packages.map((name) => `packages/${name}/README.md`),
    ...globSync(["docs/*.md", "examples/**/*.md"], { cwd: root }),
  ]
  const silent = pages.filter(
    (path) => installsOf(read(path)).some((line) => line.includes("@postern/")) && !read(path).includes("not published yet"),
  )
  expect(silent).toEqual([])
})

test.runIf(full)(
  "every ts block of the packages' READMEs and of docs/ type-checks as it stands (exactOptionalPropertyTypes); a fragment is marked as one",
  { timeout: 60_000 },
  () => {
    // Below test/, which has all of our packages and what they are used with.
    const home = mkdtempSync(join(root, "test", "node_modules", "postern-blocks-"))
    try {
      const files = [
        ...packages.map((name) => `packages/${name}/README.md`),
        ...readdirSync(join(root, "docs")).flatMap((name) => (name.endsWith(".md") ? [`docs/${name}`] : [])),
      ].flatMap((path) =>
        blocksOf(path).map((code, at) => {
          const file = join(home, `${path.replaceAll(/\W/g, "-")}-${at}.mts`)
          writeFileSync(file, `// ${path}\n${code}\nexport {}\n`)
          return file
        }),
      )
      expect(files.length).toBeGreaterThan(8)
      const options = [
        "--ignoreConfig",
        "--noEmit",
        "--strict",
        "--exactOptionalPropertyTypes",
        "--skipLibCheck",
        "--allowImportingTsExtensions",
      ]
      const target = ["--module", "nodenext", "--target", "es2024", "--lib", "es2024,dom,dom.iterable", "--types", "node"]
      const { stdout, status } = spawnSync(
        process.execPath,
        [join(root, "node_modules/typescript/bin/tsc"), ...options, ...target, "--typeRoots", join(root, "node_modules/@types"), ...files],
        { encoding: "utf8", cwd: tmpdir() },
      )
      expect([stdout, status]).toEqual(["", 0])
    } finally {
      rmSync(home, { recursive: true, force: true })
    }
  },
)

test("no file names a command that fetches an unpublished package", () => {
  const { stdout } = spawnSync("git", ["grep", "-lE", 'np[x] (--yes )?@postern/|"np[x]",.*@postern/'], { cwd: root, encoding: "utf8" })
  expect(stdout).toBe("")
})
