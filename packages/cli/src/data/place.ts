import { resolve } from "node:path"
import { configOfFolder } from "../config/file.ts"
import { loadSetup } from "../config/load.ts"
import { type Database, databaseOf, shownDatabase } from "../config/database.ts"
import type { Setup } from "../config/setup.ts"
import { failed } from "../failure.ts"

/** The options that select a command's database. */
export interface Whereabouts {
  readonly config: string | undefined
  readonly data: string | undefined
}

/** The database of a command, with its configuration if there is one. */
export interface DataPlace {
  readonly database: Database
  readonly setup: Setup | undefined
}

/** Finds the database from `--config`, from the configuration of the current folder, or from `--data` alone. */
export const dataPlace = async ({ config, data }: Whereabouts): Promise<DataPlace> => {
  const file = config ?? configOfFolder()
  if (file !== undefined) {
    const setup = await loadSetup(file, data)
    return { database: setup.database, setup }
  }
  if (data !== undefined) return { database: databaseOf(data, resolve), setup: undefined }
  throw noConfig()
}

/** Creates the failure of a command that needs a configuration. */
export const noConfig = () =>
  failed("there is no configuration in this folder", "name one with --config FILE; `postern init` writes a first one")

/** Creates the failure of a command that needs an existing database. */
export const noDatabase = ({ database }: DataPlace) =>
  failed(`there is no database at ${shownDatabase(database)}`, "start the provider once, or name its folder with --data DIR")

/** Returns the file of a SQLite database. Throws for PostgreSQL, which has its own backup and maintenance tools. */
export const sqliteFileOf = ({ database }: DataPlace, what: string, instead: string): string => {
  if (database._tag === "Sqlite") return database.file
  throw failed(`${what} is for a SQLite database, and this one is PostgreSQL's`, instead)
}
