#!/usr/bin/env node
import { plainServe } from "./commands/plainServe.ts"
import { keepCompiled } from "./compileCache.ts"
import { workerWord } from "./workers/calls.ts"

/** The oldest Node with what this is made of; better-sqlite3's machine code ends an older one without a word. */
const oldest = [22, 19] as const

const isOlder = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  return major < oldest[0] || (major === oldest[0] && minor < oldest[1])
}

// Five of them may hash at once, so that each kind of secret has a place, and one is left to sign. The pool is made when it is first used.
process.env["UV_THREADPOOL_SIZE"] ??= "6"
keepCompiled()

// The commonest question of scripts is answered without loading the command line.
const args = process.argv.slice(2)
const [only, ...more] = args
const serving = plainServe(args)
if (more.length === 0 && (only === "--version" || only === "-v")) {
  const { version } = await import("./version.ts")
  process.stdout.write(`postern ${version}\n`)
} else if (isOlder(process.versions.node)) {
  process.stderr.write(`postern: this is Node ${process.versions.node}\n  Node ${oldest.join(".")} or later is required.\n`)
  process.exitCode = 1
} else if (only === workerWord && process.channel !== undefined) {
  const { runWorker } = await import("./workers/worker.ts")
  runWorker()
} else if (serving !== undefined) {
  const [{ runProgram }, { serveConfig }] = await Promise.all([import("./program.ts"), import("./actions/serve.ts")])
  runProgram(serveConfig(serving))
} else {
  const { main } = await import("./cli.ts")
  main(args)
}
