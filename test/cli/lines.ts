import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { command } from "../support/packed.ts"
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
  const made = spawn(process.execPath, [fileURLToPath(new URL("lineHost.ts", import.meta.url)), command], {
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
 * Runs a command that ends by itself, as `postern` does: the packed code, which one process loads for all lines of a test file and runs one after another, since loading it costs
 * more CPU than all else that a short command does. `everyCommand.test.ts` has every command in a process of its own, and `usage.test.ts` what such a process answers.
 */
export const posternLine: typeof postern = async (args, options) => {
  // Standard input that is read as a file is the process's own.
  if (args.includes("-")) return postern(args, options)
  const mine = last.then(() => asked(args, options))
  last = mine.catch(() => undefined)
  return mine
}
