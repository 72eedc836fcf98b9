import {
  type Beginning,
  type DecidedBy,
  type Recording,
  RecordingUnreadable,
  RequestUndecided,
  SettingsRefused,
  readRecording,
  recordedSalt,
} from "@postern/conformance/recording"
import { type AnyFeature, compose, type ProviderOptions } from "@postern/core"
import type { Client } from "@postern/core/model"
import { registeredClient } from "@postern/core/registered"
import * as Redacted from "effect/Redacted"
import { type Declaring, everySection, featuresOf, sectionsIn } from "../config/features.ts"
import { systemCode } from "../config/file.ts"
import { providerOptions } from "../config/providerOptions.ts"
import type { ConfigFile } from "../config/schema.ts"
import type { Setup } from "../config/setup.ts"
import { type Failed, failed } from "../failure.ts"

const sayings: Readonly<Record<string, string>> = { ENOENT: "is not there", EACCES: "is not readable by this user", EISDIR: "is a folder" }

/** The hint if a configuration to compare doesn't exist. Creating a first one would not help. */
export const notOurs = "name a configuration that is there"

/** Creates the failure of a recording whose settings are not valid for a provider. */
export const settingsUnusable = (file: string, { message }: Pick<SettingsRefused, "message">): Failed =>
  failed(`${file} cannot be used: line 1: its settings are refused: ${message.slice(0, 300)}`, "`postern record` writes recordings")

/** Translates a failure of deciding a recorded request by a configuration. It names the request, or the configuration with the fault. */
export const undecided = (error: unknown, recording: string, config: string): unknown => {
  if (error instanceof SettingsRefused) return failed(`${config} cannot be used: its settings are refused: ${error.message.slice(0, 300)}`)
  if (!(error instanceof RequestUndecided)) return error
  return failed(
    `${recording} cannot be used with ${config}: ${error.message}`,
    "the provider that recorded it has what this configuration has not: replay it there, or leave that line out",
  )
}

/** Reads a recording. Throws a failure that names the line of the fault. */
export const recordingOf = (file: string): Recording => {
  try {
    return readRecording(file)
  } catch (error) {
    if (error instanceof RecordingUnreadable) throw failed(`${file} cannot be used: ${error.message}`, "`postern record` writes recordings")
    const code = systemCode(error)
    if (code === "") throw error
    throw failed(`${file} ${sayings[code] ?? `cannot be read: ${code}`}`)
  }
}

/** Returns the declared clients of a setup. */
export const declaredClients = (setup: Setup): ReadonlyMap<string, Client> =>
  new Map(Redacted.value(setup.clients).map((metadata) => [metadata.client_id, registeredClient(metadata, setup.lifetimes)]))

/**
 * Makes the settings that decide recorded requests from a setup. Declared clients are as in the setup. A client that the recorded provider
 * declared and the setup doesn't is treated as removed.
 */
export const decidedBySetup = (setup: Setup, { declared = [] }: Beginning): DecidedBy => {
  const clients = declaredClients(setup)
  const before = new Set(declared)
  return {
    options: providerOptions(setup),
    isLimited: setup.limits !== undefined,
    client: (id) => clients.get(id) ?? (before.has(id) ? null : undefined),
  }
}

const namesOf = (features: ReadonlyArray<AnyFeature>): ReadonlyArray<string> => compose({ features }).features.map(({ name }) => name)

/** Stands for a service of the operator. Its responses are recorded, so it is never called. */
const service = { endpoint: "https://service.invalid/" }

/**
 * Returns the configuration sections for a recording that determine features, except the grants. Secrets and the URLs to which they are
 * sent are removed.
 */
export const sectionsOf = (config: ConfigFile): NonNullable<Beginning["sections"]> => {
  const { ciba, profile, lifetimes } = config
  const { notification, user_code, ...others } = ciba ?? {}
  const asked = { ...(notification && { notification: service }), ...(user_code && { user_code: service }) }
  const sections = { ...sectionsIn(config), profile, lifetimes }
  // JSON omits undefined members.
  return JSON.parse(JSON.stringify({ ...sections, ...(ciba && { ciba: { ...others, ...asked } }) })) as NonNullable<Beginning["sections"]>
}

/** Returns the features that the recorded sections of a configuration enable. */
const availableBy = ({ grants, sections }: Beginning, file: string): ReadonlyArray<AnyFeature> => {
  // The sections were recorded from a valid configuration.
  const { modules: _modules, ...shipped } = (grants ?? {}) as NonNullable<ConfigFile["grants"]>
  try {
    // Earlier recordings have no sections. All features are then enabled with default settings.
    return featuresOf({ ...((sections as Declaring | undefined) ?? everySection), grants: shipped })
  } catch (error) {
    throw settingsUnusable(file, error instanceof Error ? error : { message: String(error) })
  }
}

/** Makes the settings of a recorded provider. Throws if they need an operator's module. */
export const decidedByRecord = (beginning: Beginning, file: string): DecidedBy => {
  const { settings, features: recorded, limited, pairwise } = beginning
  const available = availableBy(beginning, file)
  const names = namesOf(available)
  const unknown = recorded.filter((name) => !names.includes(name))
  if (unknown.length > 0)
    throw failed(
      `the recorded provider has features that are not of this version: ${unknown.join(", ")}`,
      "name its configuration with --config",
    )
  const features = available.filter((_, at) => recorded.includes(names[at] ?? ""))
  // The shape was validated when the file was read. createProvider validates the content.
  const options = settings as unknown as ProviderOptions
  return { options: { ...options, features, ...(pairwise ? { pairwiseSalt: recordedSalt } : {}) }, isLimited: limited }
}
