import { readFileSync } from "node:fs"
import { Readable } from "node:stream"
import { pathToFileURL } from "node:url"
import type * as Cli from "../../packages/cli/src/cli.ts"
import { keepCompiled } from "../../packages/cli/src/compileCache.ts"
import type { AskedLine } from "./lines.ts"
import type { Ran } from "./run.ts"

// Runs one command line after another in one process, each in its folder and with its environment and its input, and tells what it said. It loads the command line as the
// command itself does: by the import in its main file, which is this process's argument.
const main = process.argv[2] ?? ""
const [, name = ""] = /import\("([^"]*\/cli\b[^"]*)"\)/.exec(readFileSync(main, "utf8")) ?? []
keepCompiled("commands")
const { runLine } = (await import(new URL(name, pathToFileURL(main)).href)) as typeof Cli
const Effect = await import("effect/Effect")

let out = ""
let err = ""
process.stdout.write = (text: string | Uint8Array) => ((out += Buffer.from(text).toString()), true)
process.stderr.write = (text: string | Uint8Array) => ((err += Buffer.from(text).toString()), true)

const own = { ...process.env }

const run = async ({ args, cwd, env, input }: AskedLine): Promise<Ran> => {
  out = ""
  err = ""
  process.chdir(cwd)
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(own, name)) delete process.env[name]
  Object.assign(process.env, own, env)
  const stdin = Readable.from(input === "" ? [] : [Buffer.from(input, "base64")])
  Object.defineProperty(process, "stdin", { value: stdin, configurable: true })
  const code = await Effect.runPromise(runLine(args))
  return { code, out, err }
}

process.on("message", (asked: AskedLine) => void run(asked).then((ran) => process.send?.(ran)))
process.on("disconnect", () => process.exit())
