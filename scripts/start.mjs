// Installs what `npm start` and `npm run postern` run with, and nothing else: the packages that the command is bundled from, installed by npm itself, and the
// pinned Node where the machine's own is too old. pnpm alone is as large as all of it.
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs"
import { dirname, join } from "node:path"
import { installed, installedState, root } from "./install.mjs"
import { withLock } from "./lock.mjs"

/** The least Node that runs the command and the sources that bundle it; the same as in packages/cli/package.json. Odd releases end early. */
const least = { major: 22, minor: 19 }

const place = join(root, ".postern", "start")
/** So many installs of packages stay: a server may still run from an older one. */
const most = 2

/** The Node to run with, and the folder whose node_modules has what the command is made of. Ends the process when they cannot be had. */
export async function startable() {
  const whole = installedState()
  if (whole === "current") return { node: await installed(), modules: root }
  const packages = { from: join(root, "scripts", "start", "packages"), name: "packages", size: 115, what: "what Postern runs with" }
  const { node: pinned } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).devDependencies
  const why = `this one, ${process.versions.node}, is older than ${least.major}.${least.minor}`
  const runtime = { from: join(root, "scripts", "start", "node"), name: "node", size: 210, what: `Node ${pinned}, since ${why}` }
  const needed = isRecent(process.versions.node) ? [packages] : [packages, runtime]
  const missing = () => needed.filter((each) => !existsSync(homeOf(each)))
  if (missing().length > 0 && whole === "old") return { node: await installed(), modules: root }
  if (missing().length > 0) {
    await withLock(join(place, "installing"), async () => {
      const done = await Promise.all(missing().map(install))
      if (!done.every(Boolean)) process.exitCode = 1
    })
    if (process.exitCode !== undefined) process.exit()
  }
  return { node: needed.includes(runtime) ? nodeIn(homeOf(runtime)) : process.execPath, modules: homeOf(packages) }
}

/** Tells if a Node is recent enough to run everything that a start runs. */
export function isRecent(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  return major > least.major ? major >= 24 : major === least.major && minor >= least.minor
}

/** Place of an install, by what it is made from. */
function homeOf({ from, name }) {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch} ${root}`)
  for (const file of ["package.json", "package-lock.json"]) hash.update(readFileSync(join(from, file)))
  return join(place, `${name}-${hash.digest("hex").slice(0, 16)}`)
}

function nodeIn(home) {
  const modules = join(home, "node_modules")
  const name = readdirSync(modules).find((each) => each.startsWith("node-"))
  if (name !== undefined) {
    const { bin } = JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8"))
    return join(modules, name, bin.node)
  }
  console.error(
    `There is no package of Node for ${process.platform} on ${process.arch}: install Node ${least.major}.${least.minor} or later.`,
  )
  process.exit(1)
}

/** Installs into a draft that gets its name when it is whole, so that one that was interrupted leaves nothing to run. */
async function install(one) {
  const { from, name, size, what } = one
  console.error(`Installing ${what} (${size} MB, once) …`)
  // The beginnings of an install that was killed are of no use; an npm of its may still write there.
  for (const left of readdirSync(place).filter((each) => each.startsWith(`draft-${name}-`)))
    rmSync(join(place, left), { recursive: true, force: true })
  const draft = join(place, `draft-${name}-${process.pid}`)
  mkdirSync(draft, { recursive: true })
  for (const file of ["package.json", "package-lock.json"]) cpSync(join(from, file), join(draft, file))
  const cache = join(draft, "cache")
  // Npm's own cache of it would be as large as the install, and is not asked for again.
  const args = [
    "ci",
    "--prefix",
    draft,
    "--cache",
    cache,
    "--ignore-scripts",
    "--legacy-peer-deps",
    "--omit=dev",
    "--no-audit",
    "--no-fund",
    "--no-update-notifier",
  ]
  const began = Date.now()
  const fault = await npm(args, draft)
  if (fault !== undefined) {
    console.error(`\n${what} could not be installed: ${fault}\n- Is the package registry reachable from here? \`npm ping\` tells.`)
    return false
  }
  rmSync(cache, { recursive: true, force: true })
  if (name === "packages") linkOwn(join(draft, "node_modules", "@postern"))
  renameSync(draft, homeOf(one))
  forget(name)
  console.error(`Installed in ${Math.round((Date.now() - began) / 1000)} s.`)
  return true
}

/** Runs npm, the very one that started us where one did. Its words go to stderr: stdout belongs to the task. */
function npm(args, cwd) {
  const path = process.env.npm_execpath
  const own = path !== undefined && /npm-cli\.[cm]?js$/.test(path)
  const [command, first] = own ? [process.execPath, [path]] : ["npm", []]
  const child = spawn(command, [...first, ...args, "--loglevel=error"], {
    cwd,
    stdio: ["ignore", "ignore", 2],
    shell: !own && process.platform === "win32",
  })
  return new Promise((ended) => {
    child.on("error", (error) => ended(error.message))
    child.on("close", (code, signal) => ended(code === 0 ? undefined : `npm ended with ${signal ?? code}.`))
  })
}

/** The packages of the workspace, by the names that they import each other by. */
function linkOwn(scope) {
  mkdirSync(scope, { recursive: true })
  for (const folder of readdirSync(join(root, "packages"))) {
    const manifest = join(root, "packages", folder, "package.json")
    if (!existsSync(manifest)) continue
    const { name } = JSON.parse(readFileSync(manifest, "utf8"))
    symlinkSync(dirname(manifest), join(scope, name.slice(name.indexOf("/") + 1)), "junction")
  }
}

function forget(name) {
  const homes = readdirSync(place)
    .filter((each) => each.startsWith(`${name}-`))
    .map((each) => ({ path: join(place, each), at: statSync(join(place, each)).mtimeMs }))
  for (const { path } of homes.sort((one, other) => other.at - one.at).slice(most)) rmSync(path, { recursive: true, force: true })
}
