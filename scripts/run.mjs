// Runs one task of the workspace: `node scripts/run.mjs TASK [args]`.
// Any Node from 20 on may start this file. The command runs under it where it is recent enough; everything else under the runtime the workspace pins.
import { spawn } from "node:child_process"
import { join, resolve } from "node:path"
import { command } from "./command.mjs"
import { installed, root } from "./install.mjs"
import { startable } from "./start.mjs"

/**
 * Each task: what the runtime is started with. Those marked `here` are the command: they keep the caller's directory, so that relative file
 * arguments work, and need no more than the command does.
 */
const tasks = {
  demo: { run: [command, "demo"], here: true },
  postern: { run: [command], here: true },
  test: { run: ["test/tiers/main.ts"] },
  types: { run: ["node_modules/typescript/bin/tsc", "--noEmit"] },
  lint: { run: ["node_modules/oxlint/bin/oxlint"] },
  format: { run: ["node_modules/oxfmt/bin/oxfmt"] },
  build: { run: ["scripts/build.mjs"] },
  bench: { run: ["bench/main.ts"] },
  faults: { run: ["test/faults/main.ts"] },
  knockout: { run: ["test/knockout/main.ts"] },
  mutants: { run: ["test/mutants/main.ts"] },
  docs: { run: ["test/docs/main.ts"] },
}

const [name = "", ...args] = process.argv.slice(2)
const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined
if (task === undefined) {
  const isHelp = name === "--help" || name === "-h"
  const usage = `usage: node scripts/run.mjs TASK [ARGUMENTS]\n\nTasks: ${Object.keys(tasks).join(", ")}. Each has a --help of its own.`
  if (isHelp) console.log(usage)
  else console.error(`${name === "" ? "Which task?" : `There is no task "${name}".`}\n\n${usage}`)
  process.exit(isHelp ? 0 : 2)
}

const { node, modules } = task.here ? await startable() : { node: await installed(), modules: root }
if (process.exitCode !== undefined) process.exit()
const [script, ...fixed] = task.run
// npm starts scripts in the workspace's root and says in INIT_CWD where the person stood. A process further down inherits that
// variable too, so it counts only when npm started this very script.
const startedByNpm = process.cwd() === root && process.env.npm_lifecycle_script?.includes(`run.mjs ${name}`) === true
process.chdir(task.here ? (startedByNpm && process.env.INIT_CWD) || process.cwd() : root)
process.env.NODE_COMPILE_CACHE ??= resolve(modules, "node_modules", ".cache", "node")
const file = typeof script === "string" ? resolve(root, script) : script(node, modules)
const parent = process.ppid
// Only where Node can: from 22.15 on, and not on Windows. A launcher that stays holds 45 MB for as long as a server runs, and 130 with npm's part.
if (process.execve !== undefined && process.platform !== "win32") become()
else follow(spawn(node, [file, ...fixed, ...args], { stdio: "inherit" }))

/** Runs the task in the place of this process: signals and the exit code are the task's own, and nothing of the launcher stays. */
function become() {
  const watched = startedByNpm ? ["--require", join(root, "scripts", "parent.cjs")] : []
  const env = { ...process.env, ...(startedByNpm ? { POSTERN_STARTED_BY: String(parent) } : {}) }
  process.execve(node, [node, ...watched, file, ...fixed, ...args], env)
}

/** Passes signals on to the task and ends as it ends. */
function follow(child) {
  let told = false
  const tell = (signal) => {
    // A server that is told of SIGHUP reloads and goes on.
    told ||= signal !== "SIGHUP"
    child.kill(signal)
  }
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    // Ctrl-C at a terminal reaches the task as well as this process: passing it on would deliver it twice.
    process.on(signal, () => (signal === "SIGINT" && process.stdin.isTTY ? (told = true) : tell(signal)))
  }
  // npm starts scripts through a shell, and a signal sent to npm alone ends that shell without reaching us. Losing our parent means the same.
  if (startedByNpm) setInterval(() => told || process.ppid === parent || tell("SIGTERM"), 250).unref()
  child.on("error", (error) => {
    console.error(`${node} could not be started: ${error.message}`)
    process.exit(1)
  })
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 1)
    // Ended by a signal: end the same way, so that the caller sees the same.
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
