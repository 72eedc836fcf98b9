// One install at a time, in whatever place.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** An install takes a minute or two on a slow line; one that takes longer than this has failed. */
const patienceMs = 10 * 60_000

/** Runs `work` while no other process does so under this lock: a second start waits for the first, and takes over from one that died. */
export async function withLock(lock, work) {
  const mine = `${lock}.${process.pid}`
  mkdirSync(dirname(lock), { recursive: true })
  mkdirSync(mine, { recursive: true })
  writeFileSync(join(mine, "pid"), String(process.pid))
  const deadline = Date.now() + patienceMs
  let waitingFor
  // A directory moves onto a taken name only when that is empty, and a lock never is: whoever's move succeeds holds the lock.
  while (!move(mine, lock)) {
    const holder = holderOf(lock)
    if (holder !== undefined && !isAlive(holder)) {
      const stale = `${lock}.stale.${process.pid}`
      if (move(lock, stale)) rmSync(stale, { recursive: true, force: true })
      continue
    }
    if (Date.now() > deadline) {
      rmSync(mine, { recursive: true, force: true })
      console.error(
        `Another install (process ${holder}) did not finish in ${patienceMs / 60_000} minutes. Stop it, remove ${lock} and try again.`,
      )
      process.exit(1)
    }
    if (waitingFor !== holder) console.error(`Another start (process ${holder}) is installing; waiting for it …`)
    waitingFor = holder
    await new Promise((next) => setTimeout(next, 200))
  }
  try {
    await work()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

function move(from, to) {
  try {
    renameSync(from, to)
    return true
  } catch {
    return false
  }
}

function holderOf(directory) {
  try {
    return Number(readFileSync(join(directory, "pid"), "utf8"))
  } catch {
    return undefined
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === "EPERM"
  }
}
