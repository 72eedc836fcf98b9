import { isDeepStrictEqual } from "node:util"
import * as Schema from "effect/Schema"
import { defaultFeatures } from "@postern/core"
import { plainJson } from "./plainJson.ts"
import { readDocument } from "./document.ts"
import { type Fault, type Finding, inOrder, located } from "./fault.ts"
import type { ConfigRule } from "./rule.ts"
import { type PagesTrial, pagesTrial } from "./pages.ts"
import { withPresentNames } from "./renamed.ts"
import { acrRules } from "./rules/acr.ts"
import { cibaRules } from "./rules/ciba.ts"
import { clientRules } from "./rules/clients.ts"
import { detailRules } from "./rules/details.ts"
import { grantRules } from "./rules/grants.ts"
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

/** Every rule of a configuration, beyond its shape. */
export const configRules = [
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

/** A configuration without fault, or all its faults in the order of the file; either with its warnings, in the same order. */
export type Checked =
  | { readonly config: ConfigFile; readonly faults: readonly []; readonly warnings: ReadonlyArray<Fault> }
  | { readonly config: undefined; readonly faults: ReadonlyArray<Fault>; readonly warnings: ReadonlyArray<Fault> }

/** The file as it can be judged: without its issuer too, which a rule then misses. */
const judgeable = ({ fields }: typeof ConfigFile) => Schema.Struct({ ...fields, issuer: Schema.optionalKey(fields.issuer) })

const judgeableFile = judgeable(ConfigFile)

/**
 * Reads a configuration that is plain JSON and has no fault, without its warnings; undefined for any other, which `checkConfig` explains. A start need not know
 * where in the file anything stands: with 500 clients that is 25 ms of 300, with 5,000 it is 190 of 890.
 */
export const soundConfig = (name: string, text: string, around: Surroundings, before?: SoundBefore): ConfigFile | undefined =>
  soundAgain(text, around, before) ?? soundNow(name, text, around, before)

/**
 * Reads a file of many clients that was sound when it was read before: its clients are judged by nothing but the file. All else is judged again, since it speaks of
 * other files and of variables.
 */
const soundAgain = (text: string, around: Surroundings, before: SoundBefore | undefined): ConfigFile | undefined => {
  if (before?.has(text) !== true) return undefined
  // It was a configuration then.
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

/** So many clients are worth it: the file of fewer is judged in no time. */
const many = 100

/** Reports whether a file has many clients, each of whom it states whole and as it is used: no secret lies elsewhere, and no module adds to what there is. */
const isJudgedByItself = ({ clients = [], grants }: ConfigFile, file: unknown): boolean =>
  clients.length >= many &&
  grants?.modules === undefined &&
  clients.every(({ client_secret: secret }) => secret === undefined || typeof secret === "string") &&
  isDeepStrictEqual(clients, (file as { readonly clients?: unknown }).clients)

const soundValue = (file: unknown, around: Surroundings): ConfigFile | undefined => {
  const kept = keptOf(withPresentNames(file).value, around)
  // The pages are loaded to be judged.
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
  // The pages are only loaded for a file that says something of them.
  const trial = kept.value?.pages === undefined && kept.value?.grants?.modules === undefined ? () => undefined : await pagesTrial()
  const placed = (found: ReadonlyArray<Finding>): ReadonlyArray<Fault> =>
    inOrder(found.map((each) => located({ ...each, path: present.original(each.path) }, document.placeOf)))
  const findings = [...kept.findings, ...judged(configRules, kept, around, trial)]
  const warnings = placed([...present.warnings, ...judged(configWarnings, kept, around, trial)])
  const issuer = kept.value?.issuer
  return findings.length === 0 && document.faults.length === 0 && kept.value !== undefined && issuer !== undefined
    ? { config: { ...kept.value, issuer }, faults: [], warnings }
    : { config: undefined, faults: inOrder([...document.faults, ...placed(findings)]), warnings }
}

/** The part of a file that can be judged: its shape is that of the features which the file states. */
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
