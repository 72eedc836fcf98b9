import { randomBytes } from "node:crypto"
import { readFileSync, readdirSync } from "node:fs"
import { setPriority } from "node:os"
import { promisify } from "node:util"

/**
 * The niceness of a pool thread. With it, the event loop gets nine tenths of a core shared with one such thread, and all such threads
 * together the rest.
 */
const lower = 10

const tasks = "/proc/self/task"

/**
 * Lowers the priority of the threads that hash passwords and sign with RSA below that of the event loop. On few cores, sixteen simultaneous
 * sign-ins must not delay token requests. Only Linux has priorities per thread; elsewhere, or without the permission, all stay equal.
 */
export const yieldToAnswers = async (): Promise<void> => {
  // The thread pool is created on first use.
  await promisify(randomBytes)(1)
  try {
    for (const task of readdirSync(tasks))
      if (readFileSync(`${tasks}/${task}/comm`, "utf8").trim() === "libuv-worker") setPriority(Number(task), lower)
  } catch {
    // The priorities stay equal.
  }
}
