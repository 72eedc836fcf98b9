import { readdirSync, readFileSync, rmSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as CDX from "@cyclonedx/cyclonedx-library"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bundleCommand } from "../../scripts/bundle.ts"
import { sbomOfCommand, sbomOfLibrary } from "../../scripts/sbom.ts"

interface Bom {
  readonly metadata: { readonly component: { readonly purl: string } }
  readonly components: ReadonlyArray<{
    readonly purl: string
    readonly scope: string
    readonly hashes?: ReadonlyArray<{ readonly content: string }>
    readonly licenses: ReadonlyArray<{ readonly license?: { readonly id: string }; readonly expression?: string }>
  }>
  readonly dependencies: ReadonlyArray<{ readonly ref: string; readonly dependsOn?: ReadonlyArray<string> }>
}

const root = fileURLToPath(new URL("../..", import.meta.url))
const out = `${root}packages/cli/node_modules/.cache/sbom-test/`
const folders = readdirSync(`${root}packages`).filter((name) => readdirSync(`${root}packages/${name}`).includes("package.json"))
const texts = new Map<string, string>()
const bomOf = (folder: string): Bom => JSON.parse(texts.get(folder) ?? "") as Bom
const purls = (folder: string): ReadonlyArray<string> => bomOf(folder).components.map(({ purl }) => purl)

beforeAll(async () => {
  const metafile = await bundleCommand(out)
  for (const name of folders) texts.set(name, name === "cli" ? sbomOfCommand("packages/cli", metafile) : sbomOfLibrary(`packages/${name}`))
}, 120_000)
afterAll(() => rmSync(out, { recursive: true, force: true }))

// It reads the schema once, which costs more than all that is judged by it.
const validator = new CDX.Validation.JsonStrictValidator(CDX.Spec.Version.v1dot6)

describe("the bill of materials", () => {
  it.for(folders)("of %s is CycloneDX 1.6, by its schema", async (folder) => {
    expect(await validator.validate(texts.get(folder) ?? "")).toBeNull()
    // Values that do not fit are told.
    expect(await validator.validate((texts.get(folder) ?? "").replace('"library"', '"folder"'))).not.toBeNull()
  })

  it.for(folders)("of %s gives each package its version, its license and the digest of the lock file", (folder) => {
    const { components } = bomOf(folder)
    const allowed = ["MIT", "ISC", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "0BSD"]
    for (const { purl, licenses, hashes } of components) {
      expect(purl).toMatch(/^pkg:npm\/(?:%40[^/@]+\/)?[^/@]+@\d+\.\d+\.\d+/)
      const offered = licenses.flatMap(({ license, expression = "" }) => license?.id ?? expression.replace(/^\(|\)$/g, "").split(" OR "))
      expect([purl, offered.filter((id) => allowed.includes(id))]).not.toEqual([purl, []])
      expect([purl, hashes?.[0]?.content.length]).toEqual([purl, purl.startsWith("pkg:npm/%40postern/") ? undefined : 128])
    }
  })

  it.for(folders)("of %s names everything that depends on something in it", (folder) => {
    const { metadata, components, dependencies } = bomOf(folder)
    const known = new Set([metadata.component.purl, ...components.map(({ purl }) => purl)])
    const named = dependencies.flatMap(({ ref, dependsOn = [] }) => [ref, ...dependsOn])
    expect(named.filter((purl) => !known.has(purl))).toEqual([])
    const reached = new Set([metadata.component.purl])
    for (const purl of reached) for (const next of dependencies.find(({ ref }) => ref === purl)?.dependsOn ?? []) reached.add(next)
    expect(reached).toEqual(known)
  })

  it("of the command has each package whose license it carries, and what is installed beside it on any platform", () => {
    const carried = [...readFileSync(`${out}THIRD-PARTY.txt`, "utf8").matchAll(/^(\S+) (\d+\.\d+\.\d+\S*) \([\w.-]+\)$/gm)]
    expect(carried.length).toBeGreaterThan(10)
    for (const [, name = "", version] of carried) expect(purls("cli")).toContain(`pkg:npm/${name.replace("@", "%40")}@${version}`)
    const installed = purls("cli").map((purl) => purl.replace(/@[\d.]+$/, ""))
    for (const name of ["better-sqlite3", "%40node-rs/argon2", "%40node-rs/argon2-linux-arm64-musl", "%40node-rs/argon2-win32-x64-msvc"])
      expect(installed).toContain(`pkg:npm/${name}`)
    expect(purls("cli").filter((purl) => /esbuild|vitest|redis|types/.test(purl))).toEqual([])
  })

  it("is the same each time it is made", () => {
    expect(sbomOfLibrary("packages/stores")).toBe(texts.get("stores"))
  })
})
