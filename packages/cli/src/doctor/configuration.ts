import { resolve } from "node:path"
import { checkConfig } from "../config/check.ts"
import type { Fault } from "../config/fault.ts"
import { configOfFolder, readConfigText } from "../config/file.ts"
import { databaseOf } from "../config/database.ts"
import { setupOf } from "../config/setup.ts"
import { surroundingsOf } from "../config/surroundings.ts"
import { type DataPlace, noConfig, type Whereabouts } from "../data/place.ts"
import { Failed } from "../failure.ts"
import { fault, type Observation, ok, warning } from "./observation.ts"

/** The findings about the configuration, and the database to check. The database is undefined if only an invalid configuration names it. */
export interface CheckedConfiguration {
  readonly observations: ReadonlyArray<Observation>
  readonly place: DataPlace | undefined
}

/** Checks the configuration as `postern check-config` does. */
export const checkedConfiguration = async ({ config: named, data }: Whereabouts): Promise<CheckedConfiguration> => {
  const file = named ?? configOfFolder()
  const database = data === undefined ? undefined : databaseOf(data, resolve)
  const place = database === undefined ? undefined : { database, setup: undefined }
  if (file === undefined) {
    if (place === undefined) throw noConfig()
    return { observations: [ok("configuration", "none; only the database is checked")], place }
  }
  try {
    const around = surroundingsOf(file)
    const { config, faults, warnings } = await checkConfig(file, readConfigText(file), around)
    const placed = ({ path, line, column, message }: Fault): string =>
      `${file}:${line}:${column} ${path === "" ? "" : `${path} `}${message}`
    const warned = warnings.map((each) => warning("configuration", placed(each), each.hint))
    if (config === undefined) {
      return { observations: [...faults.map((each) => fault("configuration", placed(each), each.hint)), ...warned], place }
    }
    const setup = setupOf(config, around, database)
    const mode = setup.development ? " (development mode: http is accepted on loopback)" : ""
    const fine = warned.length > 0 ? warned : [ok("configuration", `${file} is fine${mode}`)]
    return { observations: fine, place: { database: setup.database, setup } }
  } catch (error) {
    if (!(error instanceof Failed)) throw error
    return { observations: [fault("configuration", error.message, error.hint ?? "name another with --config FILE")], place }
  }
}
