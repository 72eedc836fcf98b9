import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { forgotten, ownFolder, used } from "../support/ownFolder.ts"

/** Root of the workspace. */
export const root = fileURLToPath(new URL("../..", import.meta.url))

const { emitLibraries } = (await import(new URL("../../scripts/emit.mjs", import.meta.url).href)) as {
  readonly emitLibraries: (out: string, folders: ReadonlyArray<string>) => void
}

const { stateOf } = (await import(new URL("../../scripts/command.mjs", import.meta.url).href)) as {
  readonly stateOf: (workspace: string) => string
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

/** Tarballs of libraries by package name, packed as they would be published. */
export interface Packed {
  readonly tarballs: ReadonlyMap<string, string>
}

/** The libraries that tests install, by folder. */
const libraries = ["core", "adapter-http", "stores", "adapter-cloudflare", "verify"]

/** Names all that tarballs are made of: the sources, the installed versions, and the way they are compiled and packed. */
const state = (): string => {
  const hash = createHash("sha256").update(stateOf(root))
  const readmes = libraries.map((folder) => `packages/${folder}/README.md`)
  for (const file of [...readmes, "tsconfig.json", "tsconfig.build.json", "scripts/emit.mjs", "package.json", "test/examples/packed.ts"])
    if (existsSync(join(root, file)))
      hash
        .update(file)
        .update("\0")
        .update(readFileSync(join(root, file)))
        .update("\0")
  return hash.digest("hex").slice(0, 32)
}

/** Tarballs of this many states of the sources stay. */
const most = 5

/** The folder of the tarballs of all libraries: compiled and packed once for each state of the sources, since that costs some seconds of CPU, without a trace in the workspace. */
const packedAll = (): string => {
  const kept = ownFolder("libraries")
  const place = join(kept, state())
  const found = (): boolean => {
    used(place)
    return existsSync(place)
  }
  if (found()) return place
  const making = `${place}.making`
  const mine = begun(making)
  // Nobody else makes the same at once, unless that one was killed.
  if (!mine) for (let waited = 0; waited < patience && existsSync(making); waited += 100) Atomics.wait(sleep, 0, 0, 100)
  if (found()) return place
  const draft = mkdtempSync(join(kept, "draft-"))
  try {
    emitLibraries(join(draft, "out"), libraries)
    for (const folder of libraries) stage(folder, draft)
    pack(draft)
    rmSync(join(draft, "out"), { recursive: true })
    renameSync(draft, place)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (!existsSync(place)) throw error
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
  forgotten(kept, most)
  return place
}

/** Milliseconds to wait for another test that packs the same. */
const patience = 60_000
const sleep = new Int32Array(new SharedArrayBuffer(4))

/** Makes a folder that marks the work as begun; false where another has made it. */
const begun = (folder: string): boolean => {
  try {
    mkdirSync(folder)
    return true
  } catch {
    return false
  }
}

/** Lays out a library in the draft as it is published. */
const stage = (folder: string, draft: string): void => {
  const [source, place] = [join(root, "packages", folder), join(draft, folder)]
  const { devDependencies: _, ...manifest } = manifestOf(source)
  mkdirSync(place)
  for (const part of ["pages", "locales", "README.md"])
    if (existsSync(join(source, part))) cpSync(join(source, part), join(place, part), { recursive: true })
  cpSync(join(draft, "out", folder, "src"), join(place, "dist"), { recursive: true })
  const dependencies = Object.entries(manifest.dependencies).map(([name, version]) => [
    name,
    version === "workspace:*" ? manifest.version : version,
  ])
  writeFileSync(join(place, "package.json"), JSON.stringify({ ...manifest, dependencies: Object.fromEntries(dependencies) }))
}

/** Packs what stands in the draft. The package manager is started once for all: that is most of what packing costs. */
const pack = (draft: string): void => {
  writeFileSync(join(draft, "pnpm-workspace.yaml"), `packages: ${JSON.stringify(libraries)}\n`)
  writeFileSync(join(draft, "package.json"), JSON.stringify({ name: "draft", private: true }))
  const { packageManager } = manifestOf(root)
  const args = ["--yes", packageManager, "--config.pmOnFail=ignore", "--recursive", "pack", "--silent", "--out", join(draft, "%s.tgz")]
  done(spawnSync("npx", args, { cwd: draft, shell: process.platform === "win32", encoding: "utf8" }))
  for (const folder of libraries) {
    // A scope is part of the name that the package manager gives.
    const { name } = manifestOf(join(draft, folder))
    renameSync(join(draft, `${name.replace("@", "").replace("/", "-")}.tgz`), join(draft, `${folder}.tgz`))
    rmSync(join(draft, folder), { recursive: true })
  }
}

/** Compiles and packs libraries, or takes those of the same sources. */
export const packLibraries = (folders: ReadonlyArray<string>): Packed => {
  const place = packedAll()
  const tarballs = folders.map((folder) => {
    const tarball = join(place, `${folder}.tgz`)
    if (!existsSync(tarball)) throw new Error(`test/examples/packed.ts packs no ${folder}.`)
    return [manifestOf(join(root, "packages", folder)).name, tarball] as const
  })
  return { tarballs: new Map(tarballs) }
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
