import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs"
import { failed } from "../failure.ts"

/** The maximum size of a file that a command reads whole, in MiB. A configuration of 100,000 clients has half of that. */
const longest = 64

const step = 1 << 20

/** The time for which a pipe without a writer is waited for, in milliseconds. A process that writes to it may start a moment later. */
const patience = 5000

/** The time between two reads of a pipe that is empty, in milliseconds. */
const pause = 20

const sleeping = new Int32Array(new SharedArrayBuffer(4))

/** The errors of a read that had nothing to return yet: the pipe is empty, or a signal came. */
const unready: ReadonlyArray<unknown> = ["EAGAIN", "EINTR"]

/** Reads what is there. Returns undefined if nothing is yet. */
const readPart = (from: number, part: Buffer): number | undefined => {
  try {
    return readSync(from, part)
  } catch (error) {
    if (error instanceof Error && "code" in error && unready.includes(error.code)) return undefined
    throw error
  }
}

/** Reads to the end. `waits` is the time for which the first byte of a pipe may be missing because no one has opened it to write. */
const wholeOf = (from: number, name: string, waits: number): Buffer => {
  const parts: Array<Buffer> = []
  for (let whole = 0, waited = 0; ;) {
    const part = Buffer.allocUnsafe(step)
    const read = readPart(from, part)
    if (read === undefined || (read === 0 && whole === 0 && waited < waits)) {
      Atomics.wait(sleeping, 0, 0, pause)
      waited = read === undefined ? waited : waited + pause
      continue
    }
    if (read === 0 && whole === 0 && waits > 0)
      throw failed(`${name} is a pipe to which no one writes`, "start the program that writes to it first")
    if (read === 0) return Buffer.concat(parts)
    whole += read
    if (whole > longest * step) throw failed(`${name} is larger than ${longest} MiB`, "check that it is the file that you mean")
    parts.push(part.subarray(0, read))
  }
}

/**
 * Runs a read that waits for another process. Ctrl-C, SIGTERM and SIGHUP end the process: their handlers could not run before the read
 * returns.
 */
const endedBySignals = <A>(read: () => A): A => {
  const handlers = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) => [signal, process.rawListeners(signal)] as const)
  for (const [signal] of handlers) process.removeAllListeners(signal)
  try {
    return read()
  } finally {
    // They are those that `on` and `once` were given.
    for (const [signal, all] of handlers) for (const each of all) process.on(signal, each as NodeJS.SignalsListener)
  }
}

/**
 * Reads a file, or standard input by the name `-`, as far as it is no larger than any that a command needs. A device or a pipe that never
 * ends would fill the memory. Throws `Failed` for a larger one and for a pipe to which no one writes, and the system's error for one that
 * cannot be read.
 */
export const bytesOf = (file: string): Buffer => {
  if (file === "-") return endedBySignals(() => wholeOf(0, "standard input", 0))
  // A plain open would block on a pipe without a writer.
  const from = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stat = fstatSync(from)
    if (stat.isFile()) return wholeOf(from, file, 0)
    return endedBySignals(() => wholeOf(from, file, stat.isFIFO() ? patience : 0))
  } finally {
    closeSync(from)
  }
}
