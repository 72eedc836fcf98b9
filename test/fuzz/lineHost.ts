import { Readable } from "node:stream"
import * as Effect from "effect/Effect"
import { runLine } from "../../packages/cli/src/cli.ts"
import { loadSetup } from "../../packages/cli/src/config/load.ts"
import type { Asked, Told } from "./lines.ts"

// Runs one command line after another in one process, as each would run in a process of its own, and tells what it said.
let out = ""
let err = ""
process.stdout.write = (text: string | Uint8Array) => ((out += String(text)), true)
process.stderr.write = (text: string | Uint8Array) => ((err += String(text)), true)

/** Longest that any line but a server's may take. */
const longest = "5 seconds"
const servers = new Set(["serve", "demo"])

const tell = (told: Told): void => void process.send?.(told)

const run = async ({ args, input, setup }: Asked): Promise<void> => {
  out = ""
  err = ""
  Object.defineProperty(process, "stdin", { value: Readable.from(input === "" ? [] : [Buffer.from(input)]), configurable: true })
  const began = performance.now()
  // A server that was told nothing wrong goes on until it is stopped.
  const isServer = args.some((arg) => servers.has(arg))
  const line = runLine(args).pipe(Effect.timeoutOrElse({ duration: isServer ? "300 millis" : longest, orElse: () => Effect.succeed(-1) }))
  const code = await Effect.runPromise(line)
  const fault = setup === undefined || code !== 0 ? undefined : await loadSetup(setup, undefined).then(() => undefined, String)
  tell({ code: code === -1 && isServer ? 0 : code, out, err, took: performance.now() - began, fault })
}

process.on("message", (asked: Asked) => void run(asked))
process.on("unhandledRejection", (cause) => tell({ code: -2, out, err, took: 0, fault: `not caught: ${String(cause)}` }))
tell({ code: 0, out: "ready", err: "", took: 0, fault: undefined })
