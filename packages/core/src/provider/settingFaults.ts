import { type Secret, repeats, scopeFaults } from "../model/index.ts"
import { profileNamed, profiles } from "../profiles/index.ts"
import { normalIssuer } from "../wire/issuer.ts"
import type { ProviderOptions } from "./options.ts"

/** Returns every fault of a provider's settings, as text. */
export const settingFaults = (options: ProviderOptions): ReadonlyArray<string> => {
  const {
    issuer,
    upstream = [],
    sessionLifetime = 1,
    interactionLifetime = 1,
    processes = 1,
    portTimeout = 1,
    acrValues = [],
    pairwiseSalt,
    accountKey,
  } = options
  const names = upstream.map(({ name }) => name)
  const faults: Array<string> = []
  if (typeof issuer !== "string" || !/^https?:\/\/[a-z0-9.\-[\]:]+(?:\/[^\s?#]*)?$/.test(issuer))
    faults.push("issuer: must be an http or https URL in lower case, without query or fragment (RFC 8414 §2)")
  else if (issuer.replace(/\/$/, "") !== normalIssuer(issuer))
    faults.push(
      "issuer: must be in normal form, without default port, empty or dot segments: clients compare it byte for byte (RFC 8414 §3.3)",
    )
  if (repeats(names).length > 0 || names.some((name) => !/^[a-z0-9-]{1,50}$/.test(name)))
    faults.push("upstream: each provider has a name of its own, 1 to 50 lower-case letters, digits and dashes")
  for (const [name, value, unit] of [
    ["sessionLifetime", sessionLifetime, "of seconds "],
    ["interactionLifetime", interactionLifetime, "of seconds "],
    ["processes", processes, ""],
  ] as const)
    if (!Number.isInteger(value) || value < 1) faults.push(`${name}: must be a whole number ${unit}above 0`)
  if (!(portTimeout > 0 && portTimeout <= longestTimeout))
    faults.push(`portTimeout: must be a number of milliseconds above 0 and up to ${longestTimeout}`)
  for (const [place, value, form] of formed(options)) {
    const { pattern, words } = forms[form]
    if (value !== undefined && !pattern.test(value)) faults.push(`${place}: must be ${words}`)
  }
  for (const { path, message, hint } of scopeFaults(options)) faults.push(`${placeOf(path)}: ${message}; ${hint}`)
  for (const at of repeats(acrValues)) faults.push(`acrValues[${at}]: is named twice; name each context once`)
  if (!isKey(pairwiseSalt))
    faults.push("pairwiseSalt: must be a Secret of at least 32 characters, made with secretOf (OpenID Connect Core §8.1)")
  if (options.profile !== undefined && profileNamed(options.profile) === undefined)
    faults.push(`profile: there is no such profile; use ${profiles.map(({ name }) => name).join(" or ")}`)
  if (!isKey(accountKey)) faults.push("accountKey: must be a Secret of at least 32 characters, made with secretOf")
  return faults
}

const placeOf = (path: ReadonlyArray<string | number>): string => path.join(".").replace(/\.(\d+)/g, "[$1]")

/** The longest time limit that the timers of all runtimes support, in milliseconds. */
export const longestTimeout = 2_147_483_647

/** The formats of strings in the settings. */
const forms = {
  path: {
    pattern: /^\/(?!\/)[\w\-.~/%@:+]*$/,
    words: "a path of the issuer's origin without query, such as \"/sign-in\": no other origin gets the browser's cookies",
  },
  context: {
    pattern: /^(?!idp:|tenant:)[\x21-\x7e]{1,200}$/,
    words: "an authentication context of 1 to 200 printable ASCII characters without space, beginning neither with idp: nor tenant:",
  },
  scope: { pattern: /^[\x21\x23-\x5b\x5d-\x7e]+$/, words: 'a scope of printable ASCII characters without space, " and \\ (RFC 6749 §3.3)' },
  word: { pattern: /^[\x21-\x7e]+$/, words: "printable ASCII characters without space" },
} as const

type Formed = readonly [place: string, value: string | undefined, form: keyof typeof forms]

/** Returns the strings that have a format, each with its place. */
const formed = ({ interactions = {}, acr = {}, acrValues = [], tenants = [], scopes = [], resources = [] }: ProviderOptions) => [
  ...Object.entries(interactions).map(([name, path]): Formed => [`interactions.${name}`, path, "path"]),
  ...Object.entries(acr).map(([name, value]): Formed => [`acr.${name}`, value, "context"]),
  ...acrValues.map((value, at): Formed => [`acrValues[${at}]`, value, "context"]),
  ...tenants.map((value, at): Formed => [`tenants[${at}]`, value, "word"]),
  ...scopes.map(({ name }, at): Formed => [`scopes[${at}].name`, name, "scope"]),
  ...resources.flatMap(({ identifier, scopes: owned }, at): ReadonlyArray<Formed> => [
    [`resources[${at}].identifier`, identifier, "word"],
    ...owned.map(({ name }, of): Formed => [`resources[${at}].scopes[${of}].name`, name, "scope"]),
  ]),
]

const isKey = (value: Secret | undefined): boolean => {
  if (value === undefined) return true
  // A caller without types may pass anything.
  const text: unknown = typeof value?.reveal === "function" ? value.reveal() : undefined
  return typeof text === "string" && text.length >= 32
}
