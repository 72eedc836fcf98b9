// The publishable build: each package's js and d.ts in its dist/, the command bundled, packed as it would be published, and tried out as a
// stranger would.
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { bundleCommand } from "./bundle.ts"
import { emitLibraries } from "./emit.mjs"
import { root } from "./install.mjs"
import { sbomFile, sbomOfCommand, sbomOfLibrary } from "./sbom.ts"
import { tryCommand } from "./tryCommand.mjs"
import { argumentsOf } from "./usage.ts"

argumentsOf({ text: "usage: npm run build\n\n  Builds every package as it is published into its dist/, packs it, and tries it out." })

const work = join(root, "node_modules", ".cache", "postern-build")
const consumer = join(work, "consumer")
const readJson = (file) => JSON.parse(readFileSync(file, "utf8"))
const members = readdirSync(join(root, "packages"))
  .map((folder) => ({ folder, home: join(root, "packages", folder) }))
  .filter(({ home }) => existsSync(join(home, "src")))
  .map((one) => ({ ...one, manifest: readJson(join(one.home, "package.json")) }))
const commands = members.filter(({ manifest }) => manifest.bin !== undefined)
const libraries = members.filter((one) => !commands.includes(one))

rmSync(work, { recursive: true, force: true })
mkdirSync(consumer, { recursive: true })
emit()
for (const { folder, home } of commands) {
  const metafile = await bundleCommand(join(home, "dist"))
  writeFileSync(join(home, "dist", sbomFile), sbomOfCommand(`packages/${folder}`, metafile))
}
for (const { folder, home } of libraries) writeFileSync(join(home, "dist", sbomFile), sbomOfLibrary(`packages/${folder}`))
pack()
for (const member of members) lintPackage(member)
tryOut()
for (const command of commands) await tryAsOperator(command)
console.log(`Built ${members.map(({ manifest }) => manifest.name).join(", ")}.`)

/** Gives each library its own part of what was compiled as dist/. */
function emit() {
  const out = join(work, "out")
  emitLibraries(
    out,
    libraries.map(({ folder }) => folder),
  )
  for (const { folder, home } of libraries) {
    rmSync(join(home, "dist"), { recursive: true, force: true })
    cpSync(join(out, folder, "src"), join(home, "dist"), { recursive: true })
  }
}

/** Packs all packages as `publish` would, with their publishConfig applied. The package manager is started once: that is most of what packing costs. */
function pack() {
  const { packageManager } = readJson(join(root, "package.json"))
  const windows = process.platform === "win32"
  const chosen = ["--recursive", ...members.flatMap(({ manifest }) => ["--filter", manifest.name])]
  done(
    spawnSync("npx", ["--yes", packageManager, "--config.pmOnFail=ignore", ...chosen, "pack", "--silent", "--out", join(work, "%s.tgz")], {
      cwd: root,
      shell: windows,
      stdio: ["ignore", "ignore", 2],
    }),
    "pnpm pack",
  )
  // A scope is part of the name that the package manager gives.
  for (const { folder, manifest } of members)
    renameSync(join(work, `${manifest.name.replace("@", "").replace("/", "-")}.tgz`), tarballOf(folder))
}

function tarballOf(folder) {
  return join(work, `${folder}.tgz`)
}

function lintPackage({ folder, manifest }) {
  const tarball = tarballOf(folder)
  run("node_modules/publint/src/cli.js", ["run", tarball, "--strict"])
  const place = unpack(tarball, consumer, manifest.name)
  for (const file of ["LICENSE", join("dist", sbomFile)])
    if (!existsSync(join(place, file))) fail(`The tarball of ${manifest.name} has no ${file}.`)
}

/** Imports and type-checks every entry of the packed packages, from a folder that has nothing else. */
function tryOut() {
  for (const member of libraries) linkDependencies(member, consumer)
  const entries = libraries.flatMap(({ manifest }) => Object.keys(manifest.exports).map((entry) => manifest.name + entry.slice(1)))
  const text = entries.map((entry, at) => `import * as entry${at} from "${entry}"\n`).join("")
  writeFileSync(join(consumer, "package.json"), '{ "type": "module" }')
  writeFileSync(join(consumer, "entries.mts"), `${text}export const all = [${entries.map((_, at) => `entry${at}`).join(", ")}]\n`)
  const options = [
    "--strict",
    "--module",
    "nodenext",
    "--target",
    "es2024",
    "--typeRoots",
    join(root, "node_modules/@types"),
    "--types",
    "node",
  ]
  run("node_modules/typescript/bin/tsc", ["--ignoreConfig", ...options, join(consumer, "entries.mts")])
  run(join(consumer, "entries.mjs"), [])
}

/** Runs a packed command from a folder that has what its package depends on and nothing else, for an operator who has core for a grant. */
async function tryAsOperator({ folder, home, manifest }) {
  const installed = join(work, "installed")
  const place = unpack(tarballOf(folder), installed, manifest.name)
  linkDependencies({ home, manifest }, installed)
  const operator = join(work, "operator")
  link(join(consumer, "node_modules", "@postern", "core"), join(operator, "node_modules", "@postern", "core"))
  for (const file of Object.values(readJson(join(place, "package.json")).bin)) {
    run(join(place, file), ["--version"])
    for (const format of ["jsonc", "yaml"]) {
      const config = join(operator, `first.${format}`)
      run(join(place, file), ["init", "--yes", "--force", config])
      run(join(place, file), ["check-config", config])
    }
    await tryCommand(join(place, file), operator).catch((error) => fail(error.message))
  }
}

function linkDependencies({ home, manifest }, into) {
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).filter((one) => !one.startsWith("@postern/")))
    link(join(home, "node_modules", name), join(into, "node_modules", name))
}

function link(target, place) {
  mkdirSync(dirname(place), { recursive: true })
  if (!existsSync(place)) symlinkSync(target, place, "junction")
}

function unpack(tarball, into, name) {
  const place = join(into, "node_modules", name)
  mkdirSync(place, { recursive: true })
  done(spawnSync("tar", ["-xzf", tarball, "-C", place, "--strip-components", "1"], { stdio: "inherit" }), "tar")
  return place
}

function run(script, args) {
  done(spawnSync(process.execPath, [script, ...args], { cwd: root, stdio: "inherit" }), script)
}

function done({ status, error }, what) {
  if (status !== 0) fail(`${what} did not succeed${error === undefined ? "" : `: ${error.message}`}.`)
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
