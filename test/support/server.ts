import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { command } from "./packed.ts"
import { freePort } from "./ports.ts"
import { prepareData } from "./preparedData.ts"

/** A provider running as an operator runs it: the command, a configuration file, SQLite, real HTTP. */
export interface RunningServer {
  readonly url: string
  readonly folder: string
  readonly process: ChildProcess
  readonly output: () => string
  /** Asks it to stop, and answers with its exit code. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>
  /** Removes its folder. */
  readonly remove: () => void
}

export { command, freePort }

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Starts the command and waits until it answers. */
export const start = async (args: ReadonlyArray<string>, url: string, folder: string, main = command): Promise<RunningServer> => {
  const child = spawn(process.execPath, [main, ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NO_COLOR: "1" },
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => void (output += chunk.toString()))
  const exited = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)))
  const answers = (): Promise<boolean> =>
    fetch(`${url}/health/ready`).then(
      (response) => response.ok,
      () => false,
    )
  for (let tries = 0; !(await answers()); tries++) {
    if (child.exitCode !== null || tries > 600) {
      child.kill("SIGKILL")
      throw new Error(`the server did not start (exit ${child.exitCode}): ${output}`)
    }
    await pause(25)
  }
  const stop = async (signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> => {
    child.kill(signal)
    const late = setTimeout(() => child.kill("SIGKILL"), 20_000)
    const code = await exited
    clearTimeout(late)
    return code
  }
  return { url, folder, process: child, output: () => output, stop, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Serves a configuration at a loopback URL; `issuer`, `listen` and `development` are filled in. `main` is the command's file, when it is not the packed one. */
export const serveAt = async (url: string, config: Readonly<Record<string, unknown>>, main?: string): Promise<RunningServer> => {
  const folder = mkdtempSync(join(tmpdir(), "postern-test-"))
  const port = Number(new URL(url).port)
  const file = join(folder, "postern.json")
  const whole = { issuer: url, development: true, listen: { host: "127.0.0.1", port }, data: join(folder, "data"), ...config }
  writeFileSync(file, JSON.stringify(whole))
  const ended = main === undefined ? await prepareData(join(folder, "data"), whole) : (): void => undefined
  const server = await start(["serve", "--config", file], url, folder, main)
  server.process.once("exit", ended)
  return server
}

/** Serves a configuration on a free loopback port. */
export const serve = async (config: Readonly<Record<string, unknown>>): Promise<RunningServer> =>
  serveAt(`http://127.0.0.1:${await freePort()}`, config)
