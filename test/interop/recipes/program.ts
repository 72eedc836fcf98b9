import { type ChildProcess, spawn } from "node:child_process"

/** A client of others that runs as a process of its own. */
export interface Program {
  readonly log: () => string
  readonly stop: () => Promise<void>
}

const exited = (child: ChildProcess): Promise<void> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => void child.once("exit", () => resolve()))

/** Starts a program and waits until it is ready. */
export const startProgram = async (
  command: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>,
  isReady: () => Promise<boolean>,
): Promise<Program> => {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } })
  let output = ""
  child.once("error", (error) => (output += String(error)))
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => void (output = (output + chunk.toString()).slice(-20_000)))
  const stop = async (): Promise<void> => {
    if (child.pid === undefined) return
    child.kill("SIGTERM")
    const late = setTimeout(() => child.kill("SIGKILL"), 10_000)
    await exited(child)
    clearTimeout(late)
  }
  const deadline = Date.now() + 120_000
  while (!(await isReady().catch(() => false))) {
    if (child.pid === undefined || child.exitCode !== null || Date.now() > deadline) {
      await stop()
      throw new Error(`${command} did not start: ${output}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return { log: () => output, stop }
}

/** Reports whether a program answers HTTP at an address, whatever it says. */
export const answers =
  (url: string): (() => Promise<boolean>) =>
  async () => {
    const response = await fetch(url, { redirect: "manual" })
    await response.body?.cancel()
    return response.status < 500
  }
