import { readFileSync } from "node:fs"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { prepareData } from "../support/preparedData.ts"
import { type RunOptions, patience, start } from "./run.ts"

/** A command that goes on until it is told to stop. */
export interface Running {
  readonly pid: number
  /** Resolves with its exit code once it has ended. */
  readonly ended: Promise<number | null>
  /** Everything it has written so far. */
  readonly said: { readonly out: string; readonly err: string }
  /** Resolves when its output matches; rejects when it ends before, or after a minute. */
  readonly says: (what: RegExp) => Promise<void>
  readonly signal: (signal: NodeJS.Signals) => void
  /** Sends a signal, and answers with its exit code. */
  readonly stop: (signal: NodeJS.Signals) => Promise<number | null>
}

/** Starts a command and waits until it says that it is ready. It is ended with the test, unless another end is given. */
export const running = async (
  args: ReadonlyArray<string>,
  options: Omit<RunOptions, "input">,
  ready: RegExp,
  atEnd: (end: () => Promise<void>) => unknown = onTestFinished,
): Promise<Running> => {
  const child = start(args, options)
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  atEnd(async () => {
    child.kill("SIGKILL")
    await ended
  })
  const said = { out: "", err: "" }
  const listeners = new Set<() => void>()
  for (const [name, stream] of [
    ["out", child.stdout],
    ["err", child.stderr],
  ] as const)
    stream.setEncoding("utf8").on("data", (text: string) => {
      said[name] += text
      for (const heard of listeners) heard()
    })
  const says = (what: RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const give = (why: string): void => reject(new Error(`${why}: ${said.out}${said.err}`))
      const timer = setTimeout(() => give(`did not say ${String(what)}`), patience)
      const heard = (): void => {
        if (!what.test(said.out + said.err)) return
        listeners.delete(heard)
        resolve(clearTimeout(timer))
      }
      listeners.add(heard)
      void ended.then((code) => give(`ended with ${code}`))
      heard()
    })
  await says(ready)
  const stop = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal)
    return ended
  }
  return { pid: child.pid ?? 0, ended, said, says, signal: (signal) => void child.kill(signal), stop }
}

/** Runs `postern serve` and waits until it is ready. Where the configuration is the folder's own and says nothing else, its data is a copy of what a first start makes. */
export const serve = async (options: Omit<RunOptions, "input">, ...args: ReadonlyArray<string>): Promise<Running> => {
  const usual = !args.some((arg) => ["--config", "-c", "--data"].includes(arg)) && configured(options.cwd)
  const gone = usual ? await prepareData(join(options.cwd, "data"), usual) : (): void => undefined
  const server = await running(["serve", ...args], options, /^Ready\.$/m)
  void server.ended.then(gone)
  return server
}

/** The configuration of a folder; undefined when it has none in JSON. */
const configured = (cwd: string): object | undefined => {
  try {
    return JSON.parse(readFileSync(join(cwd, "postern.json"), "utf8")) as object
  } catch {
    return undefined
  }
}

/** Flags of the runtime that set a command's clock forward, so that a test need not wait for what ends with time. */
export const setForward = (seconds: number): ReadonlyArray<string> => [
  "--import",
  `data:text/javascript,${encodeURIComponent(`const now = Date.now; Date.now = () => now() + ${seconds * 1000}`)}`,
]

/** Reads the address of a server that is ready. */
export const listening = ({ said }: Running): string => /listening +(\S+)$/m.exec(said.err)?.[1] ?? ""
