import { inShell } from "./shell.ts"
import { resolve } from "node:path"
import { failed } from "../failure.ts"
import { writeFault } from "./writeFault.ts"
import { checkConfig, soundConfig } from "./check.ts"
import { databaseOf } from "./database.ts"
import type { Fault } from "./fault.ts"
import { readConfigText } from "./file.ts"
import type { ConfigFile } from "./schema.ts"
import { type Setup, setupOf } from "./setup.ts"
import { soundBefore } from "./soundBefore.ts"
import { type Surroundings, surroundingsOf } from "./surroundings.ts"

/** A configuration as written in its file, and the setup made from it. */
export interface Loaded {
  readonly config: ConfigFile
  readonly setup: Setup
}

/**
 * Reads a configuration file. Throws a failure that lists every fault. `data` overrides the file's; `missing` is the hint if the file
 * doesn't exist.
 */
export const loadConfig = async (file: string, data: string | undefined, missing?: string): Promise<Loaded> => {
  const around = surroundingsOf(file)
  const text = readConfigText(file, missing)
  const config = soundConfig(file, text, around, soundBefore()) ?? (await explained(file, text, around))
  return { config, setup: setupOf(config, around, data === undefined ? undefined : databaseOf(data, resolve)) }
}

const explained = async (file: string, text: string, around: Surroundings): Promise<ConfigFile> => {
  const { config, faults } = await checkConfig(file, text, around)
  if (config === undefined) throw faulty(file, faults)
  return config
}

/** Returns the setup of a configuration file, read with {@link loadConfig}. */
export const loadSetup = async (file: string, data: string | undefined, missing?: string): Promise<Setup> =>
  (await loadConfig(file, data, missing)).setup

/**
 * Makes the setup of a configuration that differs from its file, because some changes of the file wait for a restart. Throws if other
 * settings depend on those changes. `data` overrides the configuration's.
 */
export const setupFor = async (file: string, config: ConfigFile, waiting: ReadonlyArray<string>, data?: string): Promise<Setup> => {
  const around = surroundingsOf(file)
  const { faults } = await checkConfig("served.json", JSON.stringify(config), around)
  if (faults.length === 0) return setupOf(config, around, data === undefined ? undefined : databaseOf(data, resolve))
  throw failed(
    `${file} needs a restart`,
    undefined,
    faults.map(({ path, message }) => `${path} ${message}, while these wait for a restart: ${waiting.join(", ")}`),
  )
}

const faulty = (file: string, faults: ReadonlyArray<Fault>) => {
  const count = faults.length === 1 ? "a fault" : `${faults.length} faults`
  return failed(
    `${file} has ${count}`,
    `fix ${faults.length === 1 ? "it" : "them"}, then check with: postern check-config ${inShell(file)}`,
    faults.map((fault) => writeFault(file, fault)),
  )
}
