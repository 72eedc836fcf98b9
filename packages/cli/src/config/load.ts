import { resolve } from "node:path"
import { failed } from "../failure.ts"
import { writeFault } from "../terminal/fault.ts"
import { checkConfig } from "./check.ts"
import { databaseOf } from "./database.ts"
import { readConfigText } from "./file.ts"
import { type Setup, setupOf } from "./setup.ts"
import { surroundingsOf } from "./surroundings.ts"

/** The setup that a configuration file comes to. Throws a failure that lists every fault. `data` overrides the file's. */
export const loadSetup = async (file: string, data: string | undefined): Promise<Setup> => {
  const around = surroundingsOf(file)
  const { config, faults } = await checkConfig(file, readConfigText(file), around)
  if (config !== undefined) return setupOf(config, around, data === undefined ? undefined : databaseOf(data, resolve))
  const count = faults.length === 1 ? "a fault" : `${faults.length} faults`
  throw failed(
    `${file} has ${count}`,
    `mend ${faults.length === 1 ? "it" : "them"}, and check with: postern check-config ${file}`,
    faults.map((fault) => writeFault(file, fault)),
  )
}
