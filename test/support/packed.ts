import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { named, ownFolder, used } from "./ownFolder.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const cli = join(root, "packages", "cli")

const { command: bundled } = (await import(new URL("../../scripts/command.mjs", import.meta.url).href)) as {
  readonly command: (node: string) => string
}

interface Manifest {
  readonly name: string
  readonly packageManager: string
  readonly bin: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies?: unknown
}
const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest

/** A bundle that was packed in another way is packed again, and so is one that links to the packages of another checkout. */
const packing = createHash("sha256")
  .update(readFileSync(fileURLToPath(import.meta.url)))
  .update(root)
  .digest("hex")
  .slice(0, 8)

/** Bundles that stay; each is 3 MB. */
const most = 20

/**
 * The command's file, installed as an operator would: bundled from the sources as they are, packed by the package manager, unpacked into a
 * folder outside of the workspace, next to its dependencies and nothing else. Made once for each state of the sources.
 */
const install = (): string => {
  const bundle = dirname(bundled(process.execPath))
  if (basename(bundle) === "src") throw new Error("The command could not be bundled.")
  const manifest = manifestOf(cli)
  const home = ownFolder("packed")
  const place = join(home, `${basename(bundle)}-${packing}`)
  const installed = join(place, "node_modules", manifest.name)
  if (!existsSync(place)) {
    const draft = mkdtempSync(join(home, "draft-"))
    unpack(pack(bundle, manifest, draft), join(draft, "node_modules", manifest.name))
    for (const name of Object.keys(manifest.dependencies)) link(join(cli, "node_modules", name), join(draft, "node_modules", name))
    named(draft, place, most)
  }
  used(place)
  const [bin = ""] = Object.values(manifestOf(installed).bin)
  return join(installed, bin)
}

/** Packs a bundle; the development dependencies, which name the workspace, are nobody's who installs it. */
const pack = (bundle: string, { devDependencies: _, ...manifest }: Manifest, into: string): string => {
  const stage = join(into, "stage")
  mkdirSync(stage)
  writeFileSync(join(stage, "package.json"), JSON.stringify(manifest))
  cpSync(bundle, join(stage, "dist"), { recursive: true })
  cpSync(join(root, "LICENSE"), join(stage, "LICENSE"))
  cpSync(join(cli, "README.md"), join(stage, "README.md"))
  cpSync(join(cli, "schema"), join(stage, "schema"), { recursive: true })
  const tarball = join(into, "packed.tgz")
  const { packageManager } = manifestOf(root)
  const args = ["--yes", packageManager, "--config.pmOnFail=ignore", "--ignore-workspace", "pack", "--silent", "--out", tarball]
  done(spawnSync("npx", args, { cwd: stage, shell: process.platform === "win32", encoding: "utf8" }))
  rmSync(stage, { recursive: true, force: true })
  return tarball
}

const unpack = (tarball: string, place: string): void => {
  mkdirSync(place, { recursive: true })
  done(spawnSync("tar", ["-xzf", tarball, "-C", place, "--strip-components", "1"], { encoding: "utf8" }))
  rmSync(tarball)
}

const link = (target: string, place: string): void => {
  mkdirSync(dirname(place), { recursive: true })
  symlinkSync(target, place, "junction")
}

const done = ({ status, error, stderr }: ReturnType<typeof spawnSync>): void => {
  if (status !== 0) throw error ?? new Error(String(stderr))
}

/** The command that tests start: as it is published, and not its sources. `POSTERN_COMMAND` names another file. */
export const command = process.env["POSTERN_COMMAND"] ?? install()
