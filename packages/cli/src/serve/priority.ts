import { readFileSync, readdirSync } from "node:fs"
import { setPriority } from "node:os"

/**
 * How much lower each of them is, by its thread's name. With 10 the event loop gets nine tenths of a core that it shares with one thread, and
 * they get all that it leaves. What collects the heap and compiles is needed sooner: the event loop waits for the end of it.
 */
const lower: Readonly<Record<string, number>> = { "libuv-worker": 10, "node-V8Worker": 5 }

const tasks = "/proc/self/task"

/**
 * Lets the threads that hash passwords and sign with RSA, and those that collect the heap, yield to the one that answers: sixteen sign-ins at
 * once must not hold up everybody's tokens where cores are few. Linux alone tells one thread from another; elsewhere, and where it is not allowed, all stay equal.
 * Called once the pool was used: its threads are there from then on.
 */
export const yieldToAnswers = (): void => {
  try {
    for (const task of readdirSync(tasks)) {
      const by = lower[readFileSync(`${tasks}/${task}/comm`, "utf8").trim()]
      if (by !== undefined) setPriority(Number(task), by)
    }
  } catch {
    // As it is without.
  }
}
