import { readFileSync, readdirSync } from "node:fs"
import { expect, it } from "vitest"

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly engines?: { readonly node?: string }
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

/** The lowest version of Node that a range such as `^20 || >=22.19.0` has, as a number that can be compared; 0 for none stated. */
const leastNode = ({ engines }: Manifest): number => {
  const least = (engines?.node ?? "").split("||").map((each) => {
    const [major = 0, minor = 0] = (/\d+(?:\.\d+)?/.exec(each)?.[0] ?? "0").split(".").map(Number)
    return major * 1000 + minor
  })
  return Math.min(...least)
}

it.for(manifests.filter((path) => path.startsWith("packages/")))("%s asks for the Node that its dependencies need", (path) => {
  const manifest = JSON.parse(read(path)) as Manifest
  const folder = path.replace("package.json", "node_modules/")
  const demanding = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).filter(
    (name) => leastNode(JSON.parse(read(`${folder}${name}/package.json`)) as Manifest) > leastNode(manifest),
  )
  expect(demanding).toEqual([])
})
