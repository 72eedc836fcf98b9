import { type ChildProcess, spawn } from "node:child_process"

/** A program that serves until it is stopped. */
export interface Running {
  readonly stop: () => Promise<void>
  /** The lines that it has written so far, and those to come. */
  readonly wrote: (line: RegExp) => Promise<string>
}

/** Starts a program and waits until a URL answers. */
export const start = async (
  command: string,
  args: ReadonlyArray<string>,
  cwd: string,
  env: Readonly<Record<string, string>>,
  url: string,
): Promise<Running> => {
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: cwd, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own: some of these programs are launchers of others, which go with them.
    detached: true,
  })
  let told = ""
  const waiting = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      told += text
      for (const look of waiting) look()
    })
  const ended = exited(child)
  let gone = false
  void ended.then(() => (gone = true))
  while (!gone && !(await answers(url))) await new Promise(setImmediate)
  if (gone) throw new Error(`${command} ${args.join(" ")} ended: ${told}`)
  const stop = async (): Promise<void> => {
    if (child.pid !== undefined && !gone) process.kill(-child.pid, "SIGKILL")
    await ended
  }
  const wrote = (line: RegExp): Promise<string> =>
    new Promise((resolve) => {
      const look = (): void => {
        const [found] = line.exec(told) ?? []
        if (found === undefined) return
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
    })
  return { stop, wrote }
}

const exited = (child: ChildProcess): Promise<unknown> => new Promise((done) => child.on("error", done).on("close", done))

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    (answer) => answer.ok,
    () => false,
  )
