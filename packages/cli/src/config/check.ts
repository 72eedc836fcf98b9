import { isDeepStrictEqual } from "node:util"
import * as Schema from "effect/Schema"
import { defaultFeatures } from "@postern/core"
import { plainJson } from "./plainJson.ts"
import { readDocument } from "./document.ts"
import { type Fault, type Finding, type Path, inOrder, located } from "./fault.ts"
import type { ConfigRule } from "./rule.ts"
import { type PagesTrial, pagesTrial } from "./pages.ts"
import { withPresentNames } from "./renamed.ts"
import { acrRules } from "./rules/acr.ts"
import { cibaRules } from "./rules/ciba.ts"
import { clientRules } from "./rules/clients.ts"
import { detailRules } from "./rules/details.ts"
import { grantRules } from "./rules/grants.ts"
import { optionRules } from "./rules/features.ts"
import { mutualTlsRules } from "./rules/mutualTls.ts"
import { peopleRules } from "./rules/people.ts"
import { registrationRules } from "./rules/registration.ts"
import { scopeRules } from "./rules/scopes.ts"
import { secretRules } from "./rules/secrets.ts"
import { serverRules } from "./rules/server.ts"
import { signingRules } from "./rules/signing.ts"
import { upstreamRules } from "./rules/upstream.ts"
import { configWarnings } from "./rules/warnings.ts"
import { featuresStated } from "./features.ts"
import { ConfigFile, configFile } from "./schema.ts"
import type { SoundBefore } from "./soundBefore.ts"
import type { Surroundings } from "./surroundings.ts"
import { type Tolerated, tolerated } from "./tolerated.ts"

const ownRules = [
  ...serverRules,
  ...mutualTlsRules,
  ...scopeRules,
  ...detailRules,
  ...clientRules,
  ...grantRules,
  ...registrationRules,
  ...cibaRules,
  ...peopleRules,
  ...signingRules,
  ...upstreamRules,
  ...acrRules,
  ...secretRules,
]

/** All rules of a configuration that its schema can't express. */
export const configRules = [...ownRules, ...optionRules]

/** A valid configuration, or all its faults; in both cases with its warnings. Faults and warnings are in the order of the file. */
export type Checked =
  | { readonly config: ConfigFile; readonly faults: readonly []; readonly warnings: ReadonlyArray<Fault> }
  | { readonly config: undefined; readonly faults: ReadonlyArray<Fault>; readonly warnings: ReadonlyArray<Fault> }

/** The schema of a file for the rules. The issuer is optional, so that a file without one can still be checked. */
const judgeable = ({ fields }: typeof ConfigFile) => Schema.Struct({ ...fields, issuer: Schema.optionalKey(fields.issuer) })

const judgeableFile = judgeable(ConfigFile)

/**
 * Reads a configuration that is plain JSON and valid, without its warnings. Returns undefined for any other, whose faults `checkConfig`
 * reports. A start doesn't need source positions; skipping them saves 25 ms of 300 with 500 clients, and 190 of 890 with 5,000.
 */
export const soundConfig = (name: string, text: string, around: Surroundings, before?: SoundBefore): ConfigFile | undefined =>
  soundAgain(text, around, before) ?? soundNow(name, text, around, before)

/**
 * Reads a file of many clients that was valid in an earlier start. Its clients aren't validated again, because their validity depends on
 * the file alone. Everything else is, because it refers to other files and variables.
 */
const soundAgain = (text: string, around: Surroundings, before: SoundBefore | undefined): ConfigFile | undefined => {
  if (before?.has(text) !== true) return undefined
  // The text was validated in an earlier start.
  const { clients = [], ...others } = JSON.parse(text) as ConfigFile
  const config = soundValue({ ...others, clients: [] }, around)
  return config && { ...config, clients }
}

const soundNow = (name: string, text: string, around: Surroundings, before: SoundBefore | undefined): ConfigFile | undefined => {
  const file = plainJson(name, text)
  const config = file === undefined ? undefined : soundValue(file, around)
  if (config !== undefined && isJudgedByItself(config, file)) before?.keep(text)
  return config
}

/** The minimum number of clients for which a validated file is remembered. With fewer, validation takes negligible time. */
const many = 100

/**
 * Reports whether a file has many clients whose validity depends on the file alone: their secrets are in the file, their metadata is used
 * as written, and no module adds features.
 */
const isJudgedByItself = ({ clients = [], grants }: ConfigFile, file: unknown): boolean =>
  clients.length >= many &&
  grants?.modules === undefined &&
  clients.every(({ client_secret: secret }) => secret === undefined || typeof secret === "string") &&
  isDeepStrictEqual(clients, (file as { readonly clients?: unknown }).clients)

const soundValue = (file: unknown, around: Surroundings): ConfigFile | undefined => {
  const kept = keptOf(withPresentNames(file).value, around)
  // Checking the pages requires loading them, which `checkConfig` does.
  if (kept.value?.issuer === undefined || kept.value.pages !== undefined || kept.findings.length > 0) return undefined
  const { issuer } = kept.value
  return judged(configRules, kept, around, () => undefined).length === 0 ? { ...kept.value, issuer } : undefined
}

/** Checks the text of a configuration file. */
export const checkConfig = async (name: string, text: string, around: Surroundings): Promise<Checked> => {
  const document = await readDocument(name, text)
  if (!document.readable) return { config: undefined, faults: inOrder(document.faults), warnings: [] }
  const present = withPresentNames(document.value)
  const kept = keptOf(present.value, around)
  // The pages module is loaded only if the file configures pages or modules.
  const trial = kept.value?.pages === undefined && kept.value?.grants?.modules === undefined ? () => undefined : await pagesTrial()
  const placed = (found: ReadonlyArray<Finding>): ReadonlyArray<Fault> =>
    inOrder(found.map((each) => located({ ...each, path: present.original(each.path) }, document.placeOf)))
  const findings = findingsOf(kept, around, trial)
  const warnings = placed([...present.warnings, ...judged(configWarnings, kept, around, trial)])
  const issuer = kept.value?.issuer
  return findings.length === 0 && document.faults.length === 0 && kept.value !== undefined && issuer !== undefined
    ? { config: { ...kept.value, issuer }, faults: [], warnings }
    : { config: undefined, faults: inOrder([...document.faults, ...placed(findings)]), warnings }
}

/** Decodes the valid part of a file, with the schema of the features that the file configures. */
const keptOf = (file: unknown, around: Surroundings): Tolerated<typeof judgeableFile.Type> => {
  const features = featuresStated(file, around.absolute)
  return tolerated(features.length === defaultFeatures.length ? judgeableFile : judgeable(configFile(features)), file)
}

const judged = (
  rules: ReadonlyArray<ConfigRule>,
  { value: config, leftOut, whole, lost, original }: Tolerated<typeof judgeableFile.Type>,
  around: Surroundings,
  trial: PagesTrial,
): ReadonlyArray<Finding> => {
  if (config === undefined) return []
  const seen = {
    config,
    around,
    pagesTrial: trial,
    development: config.development ?? false,
    scopesComplete: whole(["scopes"]) && whole(["resources"]),
    providersComplete: whole(["identity_providers"]),
    lost,
  }
  return rules
    .flatMap(({ check }) => check(seen))
    .map((found) => ({ ...found, path: original(found.path) }))
    .filter(({ path }) => !leftOut(path))
}

const isAtOrBelow = (path: Path, above: Path): boolean => above.every((part, at) => part === path[at])

/** Returns every finding about a file. Where the schema or a rule of the configuration has one, what core says of the place is left out. */
const findingsOf = (kept: Tolerated<typeof judgeableFile.Type>, around: Surroundings, trial: PagesTrial): ReadonlyArray<Finding> => {
  const found = [...kept.findings, ...judged(ownRules, kept, around, trial)]
  const isNew = ({ path }: Finding): boolean => found.every((other) => !isAtOrBelow(path, other.path) && !isAtOrBelow(other.path, path))
  return [...found, ...judged(optionRules, kept, around, trial).filter(isNew)]
}
