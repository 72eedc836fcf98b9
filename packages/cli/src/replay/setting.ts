import {
  type Beginning,
  type DecidedBy,
  type Recording,
  RecordingUnreadable,
  readRecording,
  recordedSalt,
} from "@postern/conformance/recording"
import { type AnyFeature, compose, defaultFeatures, type ProviderOptions } from "@postern/core"
import type { Client } from "@postern/core/model"
import { registeredClient } from "@postern/core/registered"
import * as Redacted from "effect/Redacted"
import { addedFeatures } from "../config/features.ts"
import { systemCode } from "../config/file.ts"
import { providerOptions } from "../config/providerOptions.ts"
import type { ConfigFile } from "../config/schema.ts"
import type { Setup } from "../config/setup.ts"
import { failed } from "../failure.ts"

const sayings: Readonly<Record<string, string>> = { ENOENT: "is not there", EACCES: "may not be read by this user", EISDIR: "is a folder" }

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

/** The settings that a provider was recorded with. Fails where they need a module of the operator's. */
export const decidedByRecord = ({ settings, features: recorded, grants, limited, pairwise }: Beginning): DecidedBy => {
  // The section was written as it stood in a configuration without fault.
  const { modules: _modules, ...shipped } = (grants ?? {}) as NonNullable<ConfigFile["grants"]>
  const available = [...defaultFeatures, ...addedFeatures(shipped)]
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
