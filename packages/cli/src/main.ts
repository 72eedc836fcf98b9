#!/usr/bin/env node
import { enableCompileCache } from "node:module"

enableCompileCache()

// The commonest question of scripts is answered without loading the command line.
const [only, ...more] = process.argv.slice(2)
if (more.length === 0 && (only === "--version" || only === "-v")) {
  const { version } = await import("./version.ts")
  process.stdout.write(`postern ${version}\n`)
} else {
  const { main } = await import("./cli.ts")
  main(process.argv.slice(2))
}
