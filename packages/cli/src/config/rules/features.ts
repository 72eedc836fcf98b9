import { type Finding, finding, isSamePath } from "../fault.ts"
import { refusedOptions } from "../features.ts"
import { type ConfigRule, configRule } from "../rule.ts"

/** Members whose names in the configuration are not those of core in lower case. */
const renamed: Readonly<Record<string, string>> = {
  detailTypes: "authorization_details_types",
  issuers: "trusted_issuers",
  softwareStatementRequired: "require_software_statement",
}

const nameHere = (name: string): string => renamed[name] ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Splits a place such as `identityProviders[0].jwksUri` into a path. Members of these objects have names of the operator's own. */
const pathHere = (place: string): Finding["path"] => {
  const parts = place.split(/[.[\]]+/).filter((part) => part !== "")
  const isOwn = (at: number): boolean => /^(?:clients|subjects|acrValues|metadata)$/.test(parts[at - 1] ?? "")
  return parts.map((part, at) => (/^\d+$/.test(part) ? Number(part) : isOwn(at) ? part : nameHere(part)))
}

/** Replaces the names of core in a text, but nothing that is quoted. */
const textHere = (text: string): string =>
  text.replace(/"(?:[^"\\]|\\.)*"|\b[a-z]+(?:[A-Z][a-z]*)+\b/g, (word) => (word.startsWith('"') ? word : nameHere(word)))

const findingHere = (section: ReadonlyArray<string>, fault: string): Finding => {
  const [, place = "", said = ""] = /^(.*?): (.*)$/s.exec(fault) ?? []
  const [message = said, hint = ""] = said.split(/; |, and (?=must be )/)
  return finding([...section, ...pathHere(place)], textHere(message), textHere(hint.startsWith("must be ") ? `it ${hint}` : hint))
}

const isSame = (one: Finding, other: Finding): boolean => one.message === other.message && isSamePath(one.path, other.path)

/** The options of features that core refuses, and for which the configuration has no rule of its own. */
export const optionRules: ReadonlyArray<ConfigRule> = [
  configRule("config.feature-options", "specification §1", ({ config }) =>
    refusedOptions(config)
      .flatMap(([section, faults]) => faults.map((fault) => findingHere(section, fault)))
      .filter((each, at, all) => all.findIndex((other) => isSame(each, other)) === at),
  ),
]
