// Writes scripts/start/packages/, which `npm start` installs with npm itself: the packages that the command is bundled from, out of pnpm-lock.yaml,
// with the same versions and digests. `node scripts/startLock.ts`, after a change of the lock file.
import { readdirSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { bare, isOwn, type Locked, lockedAs, lockFile } from "./lockFile.ts"

const root = new URL("../", import.meta.url)

/** A package of a `package-lock.json`. It names no address: npm asks the registry that it is configured with. */
interface Entry extends Omit<Locked, "resolution" | "peerDependencies"> {
  readonly version: string
  readonly integrity: string
  readonly optional?: true
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** Packages that the bundle is made with, beside the dependencies of our packages. */
const bundler = "esbuild"

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number => (one < other ? -1 : 1)

const isNeeded = (name: string): boolean => !name.startsWith("@types/")

/** The files of scripts/start/packages/, by name. */
export const startFiles = (): ReadonlyMap<string, string> => {
  const lock = lockFile()
  const direct = new Map<string, string>()
  const members = readdirSync(new URL("packages", root)).map((folder) => `packages/${folder}`)
  for (const member of members) {
    const { dependencies = {}, devDependencies = {} } = lock.importers[member] ?? {}
    for (const [name, { version }] of Object.entries({ ...dependencies, ...devDependencies }))
      if (isNeeded(name) && !isOwn(version)) direct.set(name, version)
  }
  direct.set(bundler, lock.importers["."]?.devDependencies?.[bundler]?.version ?? "")
  const entries = new Map<string, Entry>()
  /** Adds a package; one that is there in another version lies in the folder of the package that needs it. */
  const add = (name: string, reference: string, isOptional: boolean, parent = ""): void => {
    const version = bare(reference)
    const place = [name, `${parent}/node_modules/${name}`].find((each) => (entries.get(each)?.version ?? version) === version)
    if (place === undefined) throw new Error(`${parent} needs ${name} in two versions.`)
    if (entries.has(place)) return
    const { resolution, peerDependencies = {}, ...rest } = lockedAs(lock, name, reference)
    const { dependencies = {}, optionalDependencies = {} } = lock.snapshots[`${name}@${reference}`] ?? {}
    // A package that needs a peer names it: one that nobody names is not loaded.
    const own = Object.entries(dependencies).filter(([each]) => isNeeded(each) && !(each in peerDependencies))
    const versions = (of: ReadonlyArray<readonly [string, string]>) => Object.fromEntries(of.map(([each, at]) => [each, bare(at)]))
    const extra = Object.entries(optionalDependencies)
    entries.set(place, {
      version,
      integrity: resolution.integrity,
      ...(isOptional ? { optional: true as const } : {}),
      ...("os" in rest ? { os: rest.os } : {}),
      ...("cpu" in rest ? { cpu: rest.cpu } : {}),
      ...("libc" in rest ? { libc: rest.libc } : {}),
      ...(own.length === 0 ? {} : { dependencies: versions(own) }),
      ...(extra.length === 0 ? {} : { optionalDependencies: versions(extra) }),
    })
    for (const [each, at] of own) add(each, at, isOptional, place)
    for (const [each, at] of extra) add(each, at, true, place)
  }
  for (const [name, reference] of direct) add(name, reference, false)
  const manifest = {
    name: "postern-start",
    private: true,
    dependencies: Object.fromEntries([...direct].sort(byName).map(([name, reference]) => [name, bare(reference)])),
  }
  const packages = [...entries].sort(byName).map(([name, entry]) => [`node_modules/${name}`, entry])
  return new Map([
    ["package.json", `${JSON.stringify(manifest, undefined, 2)}\n`],
    [
      "package-lock.json",
      `${JSON.stringify({ name: manifest.name, lockfileVersion: 3, requires: true, packages: { "": manifest, ...Object.fromEntries(packages) } }, undefined, 2)}\n`,
    ],
  ])
}

if (import.meta.main)
  for (const [name, written] of startFiles()) writeFileSync(fileURLToPath(new URL(`scripts/start/packages/${name}`, root)), written)
