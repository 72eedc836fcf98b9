import { parentPort, workerData } from "node:worker_threads"
import { auditRows } from "../audit/rows.ts"
import type { Command } from "@postern/core/model"
import { openDatabase } from "../database/open.ts"
import { sqliteCode } from "../database/guarded.ts"
import { withoutWaiting } from "../database/lock.ts"
import { sqliteTokenStore } from "../tokens/tokenStore.ts"
import { StoreUnavailable } from "@postern/stores"
import { trailRows } from "../trails/rows.ts"
import type { Outcome, ThreadOptions, Work } from "./protocol.ts"

// The thread that writes: it may wait for the disk and for locks, and nobody else has to.
const options: ThreadOptions = workerData
const port = parentPort
if (port === null) throw new Error("this is the writing thread of a store; it is started by the store")

const database = openDatabase(options.path, { synchronous: options.synchronous, busyTimeout: options.patience })
const tokens = sqliteTokenStore(database)
const trails = trailRows(database, options.trails)
const audit = auditRows(database, options.auditAge)

const probe = database.prepare(
  "INSERT INTO revisions (name, value) VALUES ('probe', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value + (value = excluded.value)",
)

const perform = (work: Work): Outcome => {
  switch (work.name) {
    case "commit":
      return { made: tokens.commitTogether(JSON.parse(work.given) as ReadonlyArray<ReadonlyArray<Command>>) }
    case "sweep": {
      const swept = tokens.sweep(work.given)
      const dropped = withoutWaiting(database, () => trails.sweep(work.given) + audit.sweep(work.given))
      return { made: { removed: swept.removed + dropped, more: swept.more || dropped > 0 } }
    }
    case "audit":
      withoutWaiting(database, () => audit.insert(work.given))
      return { made: undefined }
    case "trails":
      withoutWaiting(database, () => trails.insert(work.given))
      return { made: undefined }
    case "probe":
      withoutWaiting(database, () => probe.run(work.given))
      return { made: undefined }
  }
}

const outcomeOf = (work: Work): Outcome => {
  try {
    return perform(work)
  } catch (error) {
    if (error instanceof StoreUnavailable) return { operation: error.operation, code: error.code }
    const code = sqliteCode(error)
    if (code !== undefined) return { operation: work.name, code }
    return { defect: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

port.on("message", (work: Work | undefined) => {
  if (work !== undefined) return port.postMessage(outcomeOf(work))
  database.close()
  port.close()
})
