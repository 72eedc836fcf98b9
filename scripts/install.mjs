// Makes sure that what the lock file names is installed, with the pinned package manager, and says where the pinned runtime is.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

const modules = join(root, "node_modules")
const stamp = join(modules, ".postern-install")
const lock = join(modules, ".postern-installing")
const runtime = join(modules, "node", "bin", process.platform === "win32" ? "node.exe" : "node")
/** An install takes a minute or two on a slow line; one that takes longer than this has failed. */
const patienceMs = 10 * 60_000

/** Installs what is missing and answers with the path of the pinned runtime. Ends the process when that cannot be done. */
export function installed() {
  const wanted = fingerprint()
  if (!isInstalled(wanted)) {
    withLock(() => isInstalled(wanted) || install(wanted))
  }
  return realpathSync(runtime)
}

function isInstalled(wanted) {
  return existsSync(runtime) && existsSync(stamp) && readFileSync(stamp, "utf8") === wanted
}

/** What an install depends on: the lock file, the workspace, every package's manifest, and the platform. */
function fingerprint() {
  const members = [
    "packages",
    ...readdirSync(join(root, "packages")).map((name) => join("packages", name)),
    "test",
    "bench",
    "examples",
    ".",
  ]
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}`)
  for (const file of ["pnpm-lock.yaml", "pnpm-workspace.yaml", ...members.map((member) => join(member, "package.json"))]) {
    const path = join(root, file)
    if (existsSync(path)) hash.update(file).update(readFileSync(path))
  }
  return hash.digest("hex")
}

function install(wanted) {
  const { packageManager: manager, devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  // npx already runs the pinned pnpm, so pnpm need not see to its own version; what is installed runs under the pinned Node, so
  // packages are judged by that one and not by the Node that started us; and nobody may be there to answer a question.
  const settings = ["--config.pmOnFail=ignore", `--config.nodeVersion=${devDependencies.node}`, "--config.confirmModulesPurge=false"]
  const command = ["--yes", manager, "install", "--frozen-lockfile", ...settings]
  console.error(`Installing dependencies (${manager}, from the lock file) …`)
  // Its progress goes to stderr: stdout belongs to the task. On Windows npx is a batch file, which only a shell can start.
  const { status, error } = spawnSync("npx", command, { cwd: root, stdio: ["ignore", 2, 2], shell: process.platform === "win32" })
  if (status === 0 && existsSync(runtime)) {
    writeFileSync(stamp, wanted)
    return
  }
  console.error(
    [
      "",
      `Installing did not succeed${error === undefined ? "" : `: ${error.message}`}.`,
      status === 0 && "The runtime is missing: remove node_modules and try again.",
      "- Is the package registry reachable from here? `npm ping` tells.",
      `- Was a package.json changed without its lock file? \`npx ${manager} install\` updates the lock file.`,
      "- Otherwise remove node_modules and run the same command again.",
    ]
      .filter((line) => typeof line === "string")
      .join("\n"),
  )
  process.exitCode = 1
}

/** One install at a time: a second start waits for the first, and takes over from one that died. */
function withLock(work) {
  const mine = `${lock}.${process.pid}`
  mkdirSync(mine, { recursive: true })
  writeFileSync(join(mine, "pid"), String(process.pid))
  const deadline = Date.now() + patienceMs
  let waitingFor
  // A directory moves onto a taken name only when that is empty, and a lock never is: whoever's move succeeds holds the lock.
  while (!move(mine, lock)) {
    const holder = holderOf(lock)
    if (holder !== undefined && !isAlive(holder)) {
      const stale = `${lock}.stale.${process.pid}`
      if (move(lock, stale)) rmSync(stale, { recursive: true, force: true })
      continue
    }
    if (Date.now() > deadline) {
      rmSync(mine, { recursive: true, force: true })
      console.error(
        `Another install (process ${holder}) did not finish in ${patienceMs / 60_000} minutes. Stop it, remove ${lock} and try again.`,
      )
      process.exit(1)
    }
    if (waitingFor !== holder) console.error(`Another start (process ${holder}) is installing; waiting for it …`)
    waitingFor = holder
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
  }
  try {
    work()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
  if (process.exitCode !== undefined) process.exit()
}

function move(from, to) {
  try {
    renameSync(from, to)
    return true
  } catch {
    return false
  }
}

function holderOf(directory) {
  try {
    return Number(readFileSync(join(directory, "pid"), "utf8"))
  } catch {
    return undefined
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === "EPERM"
  }
}
