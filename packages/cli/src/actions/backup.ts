import { AlreadyExists, type Backup, type BackupOptions, backUp, databaseExists } from "@postern/adapter-sqlite"
import { promised } from "../action.ts"
import { type DataPlace, dataPlace, noDatabase, sqliteFileOf, type Whereabouts } from "../data/place.ts"
import { storeFailure } from "../data/stores.ts"
import { failed } from "../failure.ts"
import { bytes } from "../terminal/amounts.ts"
import { moment, printable, say, sayJson, styled } from "../terminal/output.ts"

/** The parameters of `postern backup`. */
export interface BackupCall extends Whereabouts {
  readonly file: string
  readonly force: boolean
  readonly json: boolean
}

/** Updates the progress line on standard error; writes nothing if standard error is not a terminal. */
const progress = (copied: number, all: number): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r  ${all === 0 ? 100 : Math.floor((copied * 100) / all)} % of ${all} pages`)
}

const endProgress = (): void => {
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K")
}

/** Copies the database while it is in use. */
export const backUpDatabase = promised(async ({ file, force, json, ...whereabouts }: BackupCall) => {
  const place = await dataPlace(whereabouts)
  const database = sqliteFileOf(place, "postern backup", "copy it with pg_dump, as docs/scaling.md says")
  const made = await copied(place, database, file, { force, ...(json ? {} : { progress }) })
  const { keys, takenAt, schema, noted } = made
  if (json)
    return sayJson({ file: made.file, bytes: made.bytes, taken_at: takenAt, schema, keys: keys.all, keys_sealed: keys.sealed, noted })
  say(
    `${styled("green", "✓")} ${printable(made.file)}, ${bytes(made.bytes)}: the database as it was at ${moment(takenAt)}, checked page by page`,
  )
  if (keys.all > keys.sealed)
    say("  It holds signing keys that are not encrypted: protect it like the database. With key_encryption_key, new keys are encrypted.")
  if (!noted) say("  It could not be recorded in the database: `postern doctor` does not know of this backup.")
})

const copied = async (place: DataPlace, database: string, file: string, options: BackupOptions): Promise<Backup> => {
  try {
    if (!databaseExists(database)) throw noDatabase(place)
    return await backUp(database, file, options)
  } catch (error) {
    if (error instanceof AlreadyExists) throw failed(`${printable(file)} already exists`, "give another name, or --force to replace it")
    throw storeFailure(error)
  } finally {
    endProgress()
  }
}
