import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** Root of the workspace. */
export const root = fileURLToPath(new URL("../..", import.meta.url))

const { emitLibraries } = (await import(new URL("../../scripts/emit.mjs", import.meta.url).href)) as {
  readonly emitLibraries: (out: string, folders: ReadonlyArray<string>) => void
}

/** A package's manifest, as far as it counts here. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly packageManager: string
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** The manifest of a folder. */
export const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest

/** Tarballs of libraries by package name, packed as they would be published, in a folder of their own. */
export interface Packed {
  readonly tarballs: ReadonlyMap<string, string>
  readonly remove: () => void
}

/** Compiles and packs libraries, without a trace in the workspace. */
export const packLibraries = (folders: ReadonlyArray<string>): Packed => {
  const home = mkdtempSync(join(tmpdir(), "postern-examples-"))
  emitLibraries(join(home, "out"), folders)
  const tarballs = folders.map((folder) => {
    const source = join(root, "packages", folder)
    const stage = join(home, folder)
    const { devDependencies: _, ...manifest } = manifestOf(source)
    mkdirSync(stage)
    for (const part of ["pages", "locales", "README.md"])
      if (existsSync(join(source, part))) cpSync(join(source, part), join(stage, part), { recursive: true })
    cpSync(join(home, "out", folder, "src"), join(stage, "dist"), { recursive: true })
    const dependencies = Object.entries(manifest.dependencies).map(([name, version]) => [
      name,
      version === "workspace:*" ? manifest.version : version,
    ])
    writeFileSync(join(stage, "package.json"), JSON.stringify({ ...manifest, dependencies: Object.fromEntries(dependencies) }))
    const tarball = join(home, `${folder}.tgz`)
    const { packageManager } = manifestOf(root)
    const args = ["--yes", packageManager, "--config.pmOnFail=ignore", "--ignore-workspace", "pack", "--silent", "--out", tarball]
    done(spawnSync("npx", args, { cwd: stage, shell: process.platform === "win32", encoding: "utf8" }))
    return [manifest.name, tarball] as const
  })
  return { tarballs: new Map(tarballs), remove: () => rmSync(home, { recursive: true, force: true }) }
}

/** A copy of an example outside of the workspace, with the packed libraries unpacked and its other dependencies linked in. */
export const unpackExample = (name: string, { tarballs }: Packed): string => {
  const source = join(root, "examples", name)
  // workerd and bundlers take a path for what it is: on some machines the temporary folder is a link.
  const home = realpathSync(mkdtempSync(join(tmpdir(), `postern-example-${name}-`)))
  cpSync(source, home, { recursive: true })
  const { dependencies, devDependencies } = manifestOf(source)
  for (const each of Object.keys({ ...dependencies, ...devDependencies })) {
    const tarball = tarballs.get(each)
    if (tarball !== undefined) unpack(tarball, each, home, tarballs)
    else if (existsSync(join(root, "examples", "node_modules", each))) link(join(root, "examples"), each, home)
  }
  return home
}

/** Unpacks packed libraries into a folder, as `npm install` of their files would put them there. */
export const installed = (home: string, { tarballs }: Packed, names: ReadonlyArray<string>): void => {
  for (const name of names) unpack(tarballs.get(name) ?? "", name, home, tarballs)
}

const unpack = (tarball: string, name: string, home: string, tarballs: Packed["tarballs"]): void => {
  const place = join(home, "node_modules", name)
  mkdirSync(place, { recursive: true })
  done(spawnSync("tar", ["-xzf", tarball, "-C", place, "--strip-components", "1"], { encoding: "utf8" }))
  const source = join(root, "packages", name.replace("@postern/", ""))
  for (const each of Object.keys(manifestOf(place).dependencies)) {
    const ours = tarballs.get(each)
    if (ours === undefined) link(source, each, home)
    else if (!existsSync(join(home, "node_modules", each))) unpack(ours, each, home, tarballs)
  }
}

const link = (from: string, name: string, home: string): void => {
  const place = join(home, "node_modules", name)
  mkdirSync(dirname(place), { recursive: true })
  if (!existsSync(place)) symlinkSync(realpathSync(join(from, "node_modules", name)), place, "junction")
}

const done = ({ status, error, stderr }: ReturnType<typeof spawnSync>): void => {
  if (status !== 0) throw error ?? new Error(String(stderr))
}
