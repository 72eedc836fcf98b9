import { statSync } from "node:fs"
import { dirname } from "node:path"
import { integrityOf, isWriteLocked, newestMoment, outboxCounts, overdueRows, type Specimen } from "@postern/adapter-sqlite"
import { bytes, counted, span } from "../terminal/amounts.ts"
import { moment } from "../terminal/output.ts"
import { sizeOf } from "./disk.ts"
import { fault, type Observation, ok, warning } from "./observation.ts"

/** Checks the content of a database that can be opened. */
export const checkedContent = (specimen: Specimen, now: number): ReadonlyArray<Observation> => {
  const sound = integrity(specimen)
  const { version, newest } = specimen.schema
  const readable = sound.state === "ok" && version === newest
  return [
    sound,
    schema(specimen),
    ...(readable
      ? [lock(specimen), clock(specimen, now), swept(specimen, now), checkedOutbox(outboxCounts(specimen.database, now - 3600))]
      : []),
  ]
}

const integrity = (specimen: Specimen): Observation => {
  const { check, problems } = integrityOf(specimen)
  return problems.length === 0
    ? ok("database.integrity", `${check}: every page of ${bytes(sizeOf(specimen.file))} is intact`)
    : fault(
        "database.integrity",
        `${check}: ${problems.join("; ")}`,
        "stop the provider, keep a copy of the file, and restore the last backup: postern restore BACKUP --force; then check the disk",
      )
}

const schema = ({ schema: { version, newest } }: Specimen): Observation =>
  ok(
    "database.schema",
    version === newest ? `version ${version}, this Postern's` : `version ${version}; the next start upgrades it to ${newest}`,
  )

const lock = ({ file }: Specimen): Observation =>
  isWriteLocked(file, 1500)
    ? fault(
        "database.lock",
        "another process has held the write lock for more than a second",
        `until it releases the lock, requests that write are answered 503; find it with: fuser -v ${file}`,
      )
    : ok("database.lock", "writable; a response leaves only after its commit is on disk (synchronous=FULL)")

/** The tolerated clock difference, in seconds. */
const tolerance = 60

const clock = ({ file, database }: Specimen, now: number): Observation => {
  const latest = Math.max(newestMoment(database) ?? 0, Math.floor(statSync(file).mtimeMs / 1000))
  return latest > now + tolerance
    ? fault(
        "clock",
        `it is ${moment(now)} here, and the database was written to at ${moment(latest)}: the clock went back ${span(latest - now)}, or was ahead then`,
        "set the clock (NTP) before the provider runs: what has expired would be good again, and what is issued would be refused elsewhere",
      )
    : ok("clock", `it is ${moment(now)}, and nothing in the database is later`)
}

/** The maximum number of rows that a running provider may leave an hour after they expired. */
const manyOverdue = 1000

const swept = ({ database }: Specimen, now: number): Observation => {
  const rows = overdueRows(database, now - 3600)
  return rows > manyOverdue
    ? warning(
        "database.sweeping",
        `${rows} rows expired over an hour ago and have not been deleted`,
        "a running provider deletes them within minutes: start it, or search its log for: not swept",
      )
    : ok(
        "database.sweeping",
        `${rows === 0 ? "no row is" : rows === 1 ? "one row is" : `${rows} rows are`} left that expired over an hour ago`,
      )
}

/** Checks the outbox. `late` messages have been due for over an hour, which doesn't happen while a provider runs. */
export const checkedOutbox = ({
  waiting,
  late,
  dead,
}: {
  readonly waiting: number
  readonly late: number
  readonly dead: number
}): Observation => {
  if (dead > 0)
    return warning(
      "outbox",
      `${counted(dead, "message")} could not be delivered and will not be tried again`,
      "the provider's log says why: search it for: message given up",
    )
  return late > 0
    ? warning(
        "outbox",
        `${counted(late, "message")} should have been delivered over an hour ago`,
        "a running provider delivers them: start it",
      )
    : ok("outbox", waiting === 0 ? "no message waits to be delivered" : `${counted(waiting, "message")} to be delivered`)
}

const week = 604_800

/** Checks the time of the last backup. */
export const checkedBackup = ({ lastBackup, file }: Specimen, now: number, development: boolean): Observation => {
  const said =
    lastBackup === undefined
      ? "none was made with `postern backup`"
      : `the last one was taken ${moment(lastBackup)}, ${span(Math.max(0, now - lastBackup))} ago`
  const fresh = lastBackup !== undefined && now - lastBackup <= week
  return fresh || development
    ? ok("backup", `${said}${development && !fresh ? " (development mode)" : ""}`)
    : warning("backup", said, `make one every day, on a different disk than ${dirname(file)}: postern backup FILE`)
}
