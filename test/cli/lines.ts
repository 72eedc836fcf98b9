import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { full } from "../tiers/tier.ts"
import { type Ran, type RunOptions, patience, postern } from "./run.ts"

/** A line for the process that runs one after another. */
export interface AskedLine {
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** By base64. */
  readonly input: string
}

let host: ChildProcess | undefined
let last: Promise<unknown> = Promise.resolve()

const started = (): ChildProcess => {
  const made = spawn(process.execPath, [fileURLToPath(new URL("lineHost.ts", import.meta.url))], {
    env: { ...process.env, NO_COLOR: "1" },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  })
  // It ends with the process of the test file.
  made.unref()
  made.channel?.unref()
  return made
}

const asked = async (args: ReadonlyArray<string>, { cwd, env = {}, input = "" }: RunOptions): Promise<Ran> => {
  const at = (host ??= started())
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), patience)
  // While it is asked, its answer keeps this process.
  at.channel?.ref()
  try {
    const answer = once(at, "message", { signal: late.signal })
    const gone = once(at, "exit", { signal: late.signal }).then(([code]) =>
      Promise.reject(new Error(`the process of the lines ended with ${String(code)}`)),
    )
    at.send({ args, cwd, env, input: Buffer.from(input).toString("base64") } satisfies AskedLine)
    const [ran] = (await Promise.race([answer, gone])) as [Ran]
    return ran
  } catch (error) {
    at.kill("SIGKILL")
    host = undefined
    throw error
  } finally {
    clearTimeout(timer)
    late.abort()
    at.channel?.unref()
  }
}

/**
 * Runs a command that ends by itself, as `postern` does. Outside of the full tier it runs from its sources in one process for all lines of a test file, one after another: loading its
 * modules costs more CPU than all else that a short command does.
 */
export const posternLine: typeof postern = full
  ? postern
  : async (args, options) => {
      // Standard input that is read as a file is the process's own.
      if (args.includes("-")) return postern(args, options)
      const mine = last.then(() => asked(args, options))
      last = mine.catch(() => undefined)
      return mine
    }
