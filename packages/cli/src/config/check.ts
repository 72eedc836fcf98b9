import * as Schema from "effect/Schema"
import { defaultFeatures } from "@postern/core"
import { readDocument } from "./document.ts"
import { type Fault, type Finding, inOrder, located } from "./fault.ts"
import type { ConfigRule } from "./rule.ts"
import { type PagesTrial, pagesTrial } from "./pages.ts"
import { withPresentNames } from "./renamed.ts"
import { clientRules } from "./rules/clients.ts"
import { grantRules } from "./rules/grants.ts"
import { peopleRules } from "./rules/people.ts"
import { scopeRules } from "./rules/scopes.ts"
import { secretRules } from "./rules/secrets.ts"
import { serverRules } from "./rules/server.ts"
import { signingRules } from "./rules/signing.ts"
import { upstreamRules } from "./rules/upstream.ts"
import { configWarnings } from "./rules/warnings.ts"
import { featuresStated } from "./features.ts"
import { ConfigFile, configFile } from "./schema.ts"
import type { Surroundings } from "./surroundings.ts"
import { type Tolerated, tolerated } from "./tolerated.ts"

/** Every rule of a configuration, beyond its shape. */
export const configRules = [
  ...serverRules,
  ...scopeRules,
  ...clientRules,
  ...grantRules,
  ...peopleRules,
  ...signingRules,
  ...upstreamRules,
  ...secretRules,
]

/** A configuration without fault, or all its faults in the order of the file; either with its warnings, in the same order. */
export type Checked =
  | { readonly config: ConfigFile; readonly faults: readonly []; readonly warnings: ReadonlyArray<Fault> }
  | { readonly config: undefined; readonly faults: ReadonlyArray<Fault>; readonly warnings: ReadonlyArray<Fault> }

/** The file as it can be judged: without its issuer too, which a rule then misses. */
const judgeable = ({ fields }: typeof ConfigFile) => Schema.Struct({ ...fields, issuer: Schema.optionalKey(fields.issuer) })

const judgeableFile = judgeable(ConfigFile)

/** Checks the text of a configuration file. */
export const checkConfig = async (name: string, text: string, around: Surroundings): Promise<Checked> => {
  const document = await readDocument(name, text)
  if (!document.readable) return { config: undefined, faults: inOrder(document.faults), warnings: [] }
  const present = withPresentNames(document.value)
  const features = featuresStated(present.value, around.absolute)
  const kept = tolerated(features.length === defaultFeatures.length ? judgeableFile : judgeable(configFile(features)), present.value)
  // The pages are only loaded for a file that says something of them.
  const trial = kept.value?.pages === undefined ? () => undefined : await pagesTrial()
  const placed = (found: ReadonlyArray<Finding>): ReadonlyArray<Fault> =>
    inOrder(found.map((each) => located({ ...each, path: present.original(each.path) }, document.placeOf)))
  const findings = [...kept.findings, ...judged(configRules, kept, around, trial)]
  const warnings = placed([...present.warnings, ...judged(configWarnings, kept, around, trial)])
  const issuer = kept.value?.issuer
  return findings.length === 0 && document.faults.length === 0 && kept.value !== undefined && issuer !== undefined
    ? { config: { ...kept.value, issuer }, faults: [], warnings }
    : { config: undefined, faults: inOrder([...document.faults, ...placed(findings)]), warnings }
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
