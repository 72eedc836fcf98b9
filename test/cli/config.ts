import { resolve } from "node:path"
import { expect } from "vitest"
import { checkConfig, soundConfig } from "../../packages/cli/src/config/check.ts"
import type { Fault } from "../../packages/cli/src/config/fault.ts"
import type { Surroundings } from "../../packages/cli/src/config/surroundings.ts"

interface World {
  readonly env?: Record<string, string>
  readonly files?: Record<string, string>
  /** Permission bits of files; the configuration's own under no name. */
  readonly modes?: Record<string, number>
}

/** A world with what the test says is in it. */
export const world = ({ env = {}, files = {}, modes = {} }: World = {}): Surroundings => ({
  env: (name) => env[name],
  text: (path) => files[path],
  isReadable: (path) => path in files,
  modeOf: (path = "") => modes[path],
  absolute: (path) => resolve("/etc/postern", path),
})

/** The faults of a configuration given as a value. A start, which asks for none, must find it sound only if there are none, and read the same of it. */
export const faultsOf = async (config: unknown, around: Surroundings = world()): Promise<ReadonlyArray<Fault>> => {
  const text = JSON.stringify(config)
  const { config: checked, faults } = await checkConfig("postern.json", text, around)
  const atStart = soundConfig("postern.json", text, around)
  if (atStart !== undefined || (checked !== undefined && checked.pages === undefined && !text.includes("\\u")))
    expect(atStart).toEqual(checked)
  return faults
}

/** The faults of a configuration, as `path: message`. */
export const complaints = async (config: unknown, around?: Surroundings): Promise<ReadonlyArray<string>> =>
  (await faultsOf(config, around)).map(({ path, message }) => `${path}: ${message}`)

/** A sound configuration with some keys of the test's own. */
export const sound = (more: object = {}): object => ({ issuer: "https://id.example.com", ...more })

/** A sound confidential client with some keys of the test's own. */
export const client = (more: object = {}): object => ({
  client_id: "web",
  client_secret: "s3cret",
  redirect_uris: ["https://app.example.com/cb"],
  scope: "openid",
  ...more,
})
