import { closeSync, openSync, readSync } from "node:fs"
import { failed } from "../failure.ts"

/** The maximum size of a file that a command reads whole, in MiB. A configuration of 100,000 clients has half of that. */
const longest = 64

const step = 1 << 20

/**
 * Reads a file, or standard input by the name `-`, as far as it is no larger than any that a command needs. A device or a pipe that never
 * ends would fill the memory. Throws `Failed` for a larger one, and the system's error for one that cannot be read.
 */
export const bytesOf = (file: string): Buffer => {
  const from = file === "-" ? 0 : openSync(file, "r")
  try {
    const parts: Array<Buffer> = []
    for (let whole = 0; ;) {
      const part = Buffer.allocUnsafe(step)
      const read = readSync(from, part)
      if (read === 0) return Buffer.concat(parts)
      whole += read
      if (whole > longest * step)
        throw failed(`${file === "-" ? "standard input" : file} is larger than ${longest} MiB`, "check that it is the file that you mean")
      parts.push(part.subarray(0, read))
    }
  } finally {
    if (from !== 0) closeSync(from)
  }
}
