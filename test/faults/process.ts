import { type ChildProcess, spawn } from "node:child_process"
import { command } from "../support/server.ts"
import type { Setting } from "./setting.ts"

/** A server that is allowed to die. */
export interface Serving {
  readonly child: ChildProcess
  readonly pid: number
  readonly url: string
  /** Milliseconds from its start to the first 200. */
  readonly firstAnswer: number
  readonly output: () => string
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
  /** Sends a signal and answers when the process has gone. */
  readonly end: (signal: NodeJS.Signals) => Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
}

/** Settings of a server's start. */
export interface Start {
  /** Another port than the setting's. */
  readonly port?: number
  /** Command before the runtime, such as `strace`. */
  readonly through?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  /** Longest time to an answer, in milliseconds; 30 seconds when not given. */
  readonly patience?: number
}

/** It ended instead of answering. */
export class Refused extends Error {
  override readonly name = "Refused"
  readonly code: number | null
  readonly output: string
  /** Milliseconds until it had ended. */
  readonly after: number

  constructor(code: number | null, output: string, after: number) {
    super(`the server ended with ${code}: ${output.slice(-2000)}`)
    this.code = code
    this.output = output
    this.after = after
  }
}

const running = new Set<ChildProcess>()
// A run that is ended takes what it started along.
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL")
})

/** Pauses; nothing is asserted about how long. */
export const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Starts `postern serve` in a setting and waits for its first 200. Fails with {@link Refused} when it ends instead. */
export const serveIn = async (
  setting: Setting,
  { port = setting.port, through = [], env = {}, patience = 30_000 }: Start = {},
): Promise<Serving> => {
  const url = `http://127.0.0.1:${port}`
  const serve = [command, "serve", "--config", setting.config, "--port", String(port)]
  const [program = process.execPath, ...args] =
    through.length === 0 ? [process.execPath, ...serve] : [...through, process.execPath, ...serve]
  const began = performance.now()
  const child = spawn(program, args, {
    cwd: setting.folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NO_COLOR: "1", ...env },
  })
  running.add(child)
  let output = ""
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => void (output = (output + chunk.toString()).slice(-200_000)))
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once("close", (code, signal) => {
      running.delete(child)
      resolve({ code, signal })
    }),
  )
  let over = false
  void exited.then(() => (over = true))
  for (;;) {
    if (over) throw new Refused(child.exitCode, output, performance.now() - began)
    if (performance.now() - began > patience) {
      child.kill("SIGKILL")
      throw new Error(`no answer after ${patience} ms: ${output.slice(-2000)}`)
    }
    const answered = await fetch(`${url}/.well-known/openid-configuration`, { signal: AbortSignal.timeout(5_000) }).then(
      async (response) => response.ok && (await response.text()) !== "",
      () => false,
    )
    if (answered) break
    await pause(10)
  }
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    const late = setTimeout(() => child.kill("SIGKILL"), 30_000)
    const ended = await exited
    clearTimeout(late)
    return ended
  }
  return { child, pid: child.pid ?? 0, url, firstAnswer: performance.now() - began, output: () => output, exited, end }
}
