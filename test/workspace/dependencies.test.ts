import { readFileSync, readdirSync } from "node:fs"
import { expect, it } from "vitest"

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

const manifests = [
  "package.json",
  "test/package.json",
  "bench/package.json",
  "examples/package.json",
  ...readdirSync(new URL("../../packages", import.meta.url)).map((name) => `packages/${name}/package.json`),
]
const rows = read("docs/dependencies.md")
  .split("\n")
  .filter((line) => line.startsWith("| `"))

it.for(manifests)("docs/dependencies.md has each dependency of %s with its version", (path) => {
  const { dependencies, devDependencies } = JSON.parse(read(path)) as Manifest
  const named = Object.entries({ ...dependencies, ...devDependencies }).filter(([, version]) => !version.startsWith("workspace:"))
  const missing = named.filter(([name, version]) => !rows.some((row) => row.includes(`\`${name}\``) && row.includes(version)))
  expect(missing).toEqual([])
})

it.for(manifests)("%s pins exact versions", (path) => {
  const { dependencies, devDependencies } = JSON.parse(read(path)) as Manifest
  const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
    ([, version]) => !/^(?:workspace:\*|\d+\.\d+\.\d+(?:-[a-z]+(?:\.\d+)?)?)$/.test(version),
  )
  expect(loose).toEqual([])
})
