import { closeSync, fdatasyncSync, openSync } from "node:fs"
import { parentPort, workerData } from "node:worker_threads"
import type { SyncOptions } from "./syncer.ts"

// This thread only waits for the disk. It sleeps until the number of requested syncs changes.
const { log, asked }: SyncOptions = workerData
const port = parentPort
if (port === null) throw new Error("this is the syncing thread of a store; it is started by the store")

let file: number | undefined
const sync = (): string | undefined => {
  try {
    file ??= openSync(log, "r+")
    fdatasyncSync(file)
    return undefined
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error)
  }
}

for (let seen = 0; ;) {
  Atomics.wait(asked, 0, seen)
  seen = Atomics.load(asked, 0)
  if (seen < 0) break
  port.postMessage(sync())
}
if (file !== undefined) closeSync(file)
