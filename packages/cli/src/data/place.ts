import { resolve } from "node:path"
import { configOfFolder } from "../config/file.ts"
import { loadSetup } from "../config/load.ts"
import { type Database, databaseOf, shownDatabase } from "../config/database.ts"
import type { Setup } from "../config/setup.ts"
import { failed } from "../failure.ts"

/** Options that name the database of a command. */
export interface Whereabouts {
  readonly config: string | undefined
  readonly data: string | undefined
}

/** The database a command works on, with its configuration where there is one. */
export interface DataPlace {
  readonly database: Database
  readonly setup: Setup | undefined
}

/** Finds the database: by `--config`, by the configuration of this folder, or by `--data` alone. */
export const dataPlace = async ({ config, data }: Whereabouts): Promise<DataPlace> => {
  const file = config ?? configOfFolder()
  if (file !== undefined) {
    const setup = await loadSetup(file, data)
    return { database: setup.database, setup }
  }
  if (data !== undefined) return { database: databaseOf(data, resolve), setup: undefined }
  throw noConfig()
}

/** The failure of a command that needs a configuration and finds none. */
export const noConfig = () =>
  failed("there is no configuration in this folder", "name one with --config FILE; `postern init` writes a first one")

/** The failure of a command that needs a database and finds none. */
export const noDatabase = ({ database }: DataPlace) =>
  failed(`there is no database at ${shownDatabase(database)}`, "start the provider once, or name its folder with --data DIR")

/** The file of a database that is one; what PostgreSQL keeps is copied and looked after by its own tools. */
export const sqliteFileOf = ({ database }: DataPlace, what: string, instead: string): string => {
  if (database._tag === "Sqlite") return database.file
  throw failed(`${what} is for a SQLite database, and this one is PostgreSQL's`, instead)
}
