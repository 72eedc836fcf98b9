import { parentPort, workerData } from "node:worker_threads"
import { auditRows } from "../audit/rows.ts"
import type { Command, Verification } from "@postern/core/model"
import { clientRows } from "../clients/clientRows.ts"
import { identitiesOf } from "../people/identities.ts"
import { usersOf } from "../people/users.ts"
import { requestCountRows } from "../requestCounts.ts"
import { openDatabase } from "../database/open.ts"
import { sqliteCode } from "../database/guarded.ts"
import { brief, withoutWaiting } from "../database/lock.ts"
import { useUp } from "../tokens/commit.ts"
import { sqliteTokenStore } from "../tokens/tokenStore.ts"
import { StoreUnavailable } from "@postern/stores"
import { trailRows } from "../trails/rows.ts"
import type { Outcome, ThreadOptions, Work } from "./protocol.ts"

// This is the writing thread. It may wait for the disk and for locks, so that nothing else has to.
const options: ThreadOptions = workerData
const port = parentPort
if (port === null) throw new Error("this is the writing thread of a store; it is started by the store")

const database = openDatabase(options.path, { synchronous: options.synchronous, busyTimeout: options.patience })
const tokens = sqliteTokenStore(database, undefined, brief, options.kinds)
const trails = trailRows(database, options.trails)
const audit = auditRows(database, options.audit)
const counts = requestCountRows(database)

/**
 * Prepares the statements on clients and people. This happens at their first use, because only a process that writes for others needs them.
 */
const registriesOn = () => {
  const users = usersOf(database)
  return { users, admit: identitiesOf(database, users).admit, clients: clientRows(database, () => undefined) }
}
let prepared: ReturnType<typeof registriesOn> | undefined
const registries = (): ReturnType<typeof registriesOn> => (prepared ??= registriesOn())

const probe = database.prepare(
  "INSERT INTO revisions (name, value) VALUES ('probe', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value + (value = excluded.value)",
)

const briefly = <A>(run: () => A): A => withoutWaiting(database, run, brief)

/**
 * Writes data whose write was not confirmed to anyone and may be lost in a power cut. It reaches the disk with the next commit, so nothing
 * waits for the disk while this holds the lock.
 */
const lightly = <A>(run: () => A): A => {
  database.pragma("synchronous = NORMAL")
  try {
    return run()
  } finally {
    database.pragma(`synchronous = ${options.synchronous}`)
  }
}

/**
 * Checkpoints the log to disk. `PASSIVE` writes as much as is possible while others use the database; the other modes write all of it, so
 * that it restarts. Reports whether all of it was written. A checkpoint that is not possible now does not fail a commit.
 */
const checkpoint = (mode: "PASSIVE" | "RESTART" | "TRUNCATE"): boolean => {
  try {
    return briefly(() => database.pragma(`wal_checkpoint(${mode})`, { simple: true }) === 0)
  } catch (error) {
    if (sqliteCode(error) === undefined) throw error
    return false
  }
}

// Commits left in the log by a killed process may not have been synced, so nothing may be written after them.
checkpoint("TRUNCATE")

/** The number of catch-up steps between two pieces of work. They take about twenty milliseconds, less than a search of the unread rows. */
const stepsAtOnce = 16

/**
 * Reads the values used before this process began, once the first value is claimed here. It reads between pieces of work, so that none
 * waits for all of it.
 */
const catchUp = (() => {
  let isBegun = false
  const some = (): void => {
    try {
      for (let step = 0; step < stepsAtOnce; step++) if (!database.open || tokens.catchUp()) return
      setImmediate(some)
    } catch (error) {
      // A commit searches for its own keys, or fails. The next commit that claims a value starts catching up again.
      if (!(error instanceof StoreUnavailable)) throw error
      isBegun = false
    }
  }
  return {
    begin: () => {
      if (!isBegun) setImmediate(some)
      isBegun = true
    },
  }
})()

const perform = (work: Work): Outcome => {
  switch (work.name) {
    case "commit": {
      if (work.given.restartWal) checkpoint("RESTART")
      const sets = JSON.parse(work.given.sets) as ReadonlyArray<ReadonlyArray<Command>>
      if (useUp(sets)) catchUp.begin()
      return { made: tokens.commitTogether(sets) }
    }
    case "admit":
      // The result is synchronous on SQLite, although its type allows a promise.
      return { made: registries().admit(work.given.identity, work.given.tenant, work.given.at) as Verification }
    case "rehash": {
      const { of, id, before, after } = work.given
      const { clients, users } = registries()
      void (of === "client" ? clients : users).rehash(id, before, after)
      return { made: undefined }
    }
    case "sweep": {
      const swept = lightly(() => tokens.sweep(work.given))
      const dropped = lightly(() => briefly(() => trails.sweep(work.given) + audit.sweep(work.given) + counts.sweep(work.given)))
      return { made: { removed: swept.removed + dropped, more: swept.more || dropped > 0 } }
    }
    case "audit":
      briefly(() => audit.insert(work.given))
      return { made: undefined }
    case "trails":
      lightly(() => briefly(() => trails.insert(work.given)))
      return { made: undefined }
    case "counts":
      return { made: lightly(() => briefly(() => counts.exchange(work.given.taken, work.given.millis))) }
    case "checkpoint":
      checkpoint("PASSIVE")
      return { made: undefined }
    case "probe":
      if (work.given.whole && !checkpoint("RESTART")) return { operation: "checkpoint", code: "SQLITE_BUSY" }
      briefly(() => probe.run(work.given.at))
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
