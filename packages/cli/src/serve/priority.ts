import { randomBytes } from "node:crypto"
import { readFileSync, readdirSync } from "node:fs"
import { setPriority } from "node:os"
import { promisify } from "node:util"

/** So much lower that the event loop gets nine tenths of a core it shares with one of them, and all of them the rest. */
const lower = 10

const tasks = "/proc/self/task"

/**
 * Lets the threads that hash passwords and sign with RSA yield to the one that answers: sixteen sign-ins at once must not hold up
 * everybody's tokens where cores are few. Linux alone tells one thread from another; elsewhere, and where it is not allowed, all stay equal.
 */
export const yieldToAnswers = async (): Promise<void> => {
  // The pool's threads are there from its first use on.
  await promisify(randomBytes)(1)
  try {
    for (const task of readdirSync(tasks))
      if (readFileSync(`${tasks}/${task}/comm`, "utf8").trim() === "libuv-worker") setPriority(Number(task), lower)
  } catch {
    // As it is without.
  }
}
