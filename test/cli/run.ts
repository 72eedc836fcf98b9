import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { command } from "../support/packed.ts"

/** Result of a run of the command. */
export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Settings of a run. */
export interface RunOptions {
  readonly cwd: string
  /** Standard input; empty when not given. */
  readonly input?: string | Uint8Array
  readonly env?: Readonly<Record<string, string>>
  /** Flags of the runtime. */
  readonly flags?: ReadonlyArray<string>
}

/** Longer than any run takes, on a busy machine too. */
export const patience = 60_000

/** Starts the command as a process of its own. */
export const start = (args: ReadonlyArray<string>, { cwd, env = {}, flags = [] }: RunOptions) =>
  spawn(process.execPath, [...flags, command, ...args], {
    cwd,
    env: { ...process.env, NO_COLOR: "1", ...env },
    stdio: ["pipe", "pipe", "pipe"],
  })

/** Runs the command to its end; one that takes longer than a minute is ended. */
export const postern = (args: ReadonlyArray<string>, options: RunOptions): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const child = start(args, options)
    const ran = { out: "", err: "" }
    child.stdout.setEncoding("utf8").on("data", (text: string) => (ran.out += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (ran.err += text))
    const timer = setTimeout(() => child.kill("SIGKILL"), patience)
    child.on("error", reject)
    child.on("close", (code) => {
      clearTimeout(timer)
      resolve({ code, ...ran })
    })
    child.stdin.end(options.input ?? "")
  })

/** A folder of the test's own, with a configuration in it; without one for null. */
export const folder = (config: object | null) => {
  const cwd = mkdtempSync(join(tmpdir(), "postern-cli-"))
  if (config !== null) writeFileSync(join(cwd, "postern.json"), JSON.stringify(config))
  return { cwd, remove: () => rmSync(cwd, { recursive: true, force: true }) }
}
