#!/usr/bin/env node
import { plainServe } from "./commands/plainServe.ts"
import { keepCompiled } from "./compileCache.ts"
import { keepHangUp } from "./terminal/interruption.ts"
import { workerWord } from "./workers/calls.ts"

/** The minimum version of Node. better-sqlite3's native code crashes an older one without a message. */
const oldest = [22, 19] as const

const isOlder = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  return major < oldest[0] || (major === oldest[0] && minor < oldest[1])
}

const args = process.argv.slice(2)
const [only, ...more] = args
const isServer = only === "serve" || only === workerWord
if (isServer) keepHangUp()

// Up to five threads may hash at once, so that every kind of secret has one, and one thread is left for signing. The pool is created on
// first use.
process.env["UV_THREADPOOL_SIZE"] ??= "6"
keepCompiled(isServer ? "serve" : "commands")

// Scripts call --version most often, so it is answered without loading the command line.
const serving = plainServe(args)
if (more.length === 0 && (only === "--version" || only === "-v")) {
  const { version } = await import("./version.ts")
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (code !== "EPIPE") process.exitCode = 1
  })
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
