// Makes sure that everything the lock file names is installed, with the pinned package manager, and says where the pinned runtime is.
// `npm start` needs much less: scripts/start.mjs.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { withLock } from "./lock.mjs"

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

const modules = join(root, "node_modules")
const stamp = join(modules, ".postern-install")
const runtime = join(modules, "node", "bin", process.platform === "win32" ? "node.exe" : "node")

/** Installs what is missing and answers with the path of the pinned runtime. Ends the process when that cannot be done. */
export async function installed() {
  const wanted = fingerprint()
  if (!isInstalled(wanted)) await withLock(join(modules, ".postern-installing"), () => isInstalled(wanted) || install(wanted))
  return realpathSync(runtime)
}

/** Tells if everything is installed: `current`, `old` where it was before the lock file changed, undefined where it is not. */
export function installedState() {
  if (!existsSync(stamp) || !existsSync(runtime)) return undefined
  return isInstalled(fingerprint()) ? "current" : "old"
}

function isInstalled(wanted) {
  return existsSync(runtime) && existsSync(stamp) && readFileSync(stamp, "utf8") === wanted
}

/** Files that an install depends on: the lock file, the workspace, every package's manifest, and the platform. */
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
  // An install that is interrupted must not pass for the one before.
  const isUpdate = existsSync(stamp)
  rmSync(stamp, { force: true })
  console.error(
    isUpdate
      ? "The lock file has changed: bringing what is installed up to date …"
      : [
          "Installing what the tests and tools need, once: about 1 GB, half a minute on a fast line. `npm start` alone needs a tenth of it.",
          "  the runtimes Postern is tested on (Node, Bun, Deno, workerd), PostgreSQL, the linter, the clients of the interoperability tests",
        ].join("\n"),
  )
  // Their progress goes to stderr: stdout belongs to the task.
  const began = Date.now()
  const steps = [
    { title: `1/2 the package manager, ${manager}`, command: [manager, "--version"] },
    { title: "2/2 the packages of pnpm-lock.yaml", command: [manager, "install", "--frozen-lockfile", ...settings] },
  ]
  let ran
  for (const { title, command } of steps) {
    console.error(`${title} …`)
    // On Windows npx is a batch file, which only a shell can start.
    ran = spawnSync("npx", ["--yes", ...command], { cwd: root, stdio: ["ignore", 2, 2], shell: process.platform === "win32" })
    if (ran.status !== 0) break
  }
  const { status, error } = ran
  if (status === 0 && existsSync(runtime)) {
    writeFileSync(stamp, wanted)
    console.error(`Installed in ${Math.round((Date.now() - began) / 1000)} s.`)
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
