import {
  type Beginning,
  type DecidedBy,
  type Recording,
  RecordingUnreadable,
  type SettingsRefused,
  readRecording,
  recordedSalt,
} from "@postern/conformance/recording"
import { type AnyFeature, compose, type ProviderOptions } from "@postern/core"
import type { Client } from "@postern/core/model"
import { registeredClient } from "@postern/core/registered"
import * as Redacted from "effect/Redacted"
import { type Declaring, everySection, featuresOf } from "../config/features.ts"
import { systemCode } from "../config/file.ts"
import { providerOptions } from "../config/providerOptions.ts"
import type { ConfigFile } from "../config/schema.ts"
import type { Setup } from "../config/setup.ts"
import { type Failed, failed } from "../failure.ts"

const sayings: Readonly<Record<string, string>> = { ENOENT: "is not there", EACCES: "is not readable by this user", EISDIR: "is a folder" }

/** The hint where a configuration that is to be compared is not there: a first one is of no use. */
export const notOurs = "name a configuration that is there"

/** The failure of a recording whose settings no provider can be made of. */
export const settingsUnusable = (file: string, { message }: Pick<SettingsRefused, "message">): Failed =>
  failed(`${file} cannot be used: line 1: its settings are refused: ${message.slice(0, 300)}`, "`postern record` writes recordings")

/** Reads a recording. Throws a failure that names the line of a fault. */
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

/** The clients that a setup declares. */
export const declaredClients = (setup: Setup): ReadonlyMap<string, Client> =>
  new Map(Redacted.value(setup.clients).map((metadata) => [metadata.client_id, registeredClient(metadata, setup.lifetimes)]))

/** A setup to decide recorded requests by. Clients that it declares are as it says; one that the recorded provider declared and it does not is gone. */
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

/** A service in the place of the operator's: a recording has its answers, so nobody asks it. */
const service = { endpoint: "https://service.invalid/" }

/** The sections of a configuration, beside its grants, that features come of, as a recording has them: without secrets, and without the addresses that these go to. */
export const sectionsOf = (config: ConfigFile): NonNullable<Beginning["sections"]> => {
  const { registration, metadata_documents, session_management, upstream_logout, ciba, profile, lifetimes } = config
  const { notification, user_code, ...others } = ciba ?? {}
  const asked = { ...(notification && { notification: service }), ...(user_code && { user_code: service }) }
  const sections = { registration, metadata_documents, session_management, upstream_logout, profile, lifetimes }
  // JSON leaves out what is undefined.
  return JSON.parse(JSON.stringify({ ...sections, ...(ciba && { ciba: { ...others, ...asked } }) })) as NonNullable<Beginning["sections"]>
}

/** The features that recorded sections of a configuration lead to. */
const availableBy = ({ grants, sections }: Beginning, file: string): ReadonlyArray<AnyFeature> => {
  // The sections were written as they stood in a configuration without fault.
  const { modules: _modules, ...shipped } = (grants ?? {}) as NonNullable<ConfigFile["grants"]>
  try {
    // Earlier recordings have none: then the features are as they are without settings.
    return featuresOf({ ...((sections as Declaring | undefined) ?? everySection), grants: shipped })
  } catch (error) {
    throw settingsUnusable(file, error instanceof Error ? error : { message: String(error) })
  }
}

/** The settings that a provider was recorded with, by a file. Fails where they need a module of the operator's. */
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
  // The form was checked when the file was read; what is in it, createProvider checks.
  const options = settings as unknown as ProviderOptions
  return { options: { ...options, features, ...(pairwise ? { pairwiseSalt: recordedSalt } : {}) }, isLimited: limited }
}
