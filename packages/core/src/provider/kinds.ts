import type { ExtensionGrant } from "../extension/index.ts"
import { featureKinds } from "../features/kinds.ts"
import type { ResourceScope } from "../model/index.ts"
import { type MemberKind, type MemberKinds, kindFault, memberFault, memberFaults } from "../model/members.ts"
import type { CommonPorts, PlainPorts, ProviderOptions, ProviderPorts } from "./options.ts"
import { portNames } from "./portFaults.ts"

type Kinds = Readonly<Record<string, MemberKind>>

/** The kind of each setting. The ports, and settings of kind `own`, have rules of their own. */
export const settingKinds: MemberKinds<Omit<ProviderOptions, "issuer">> = {
  scopes: "objects?",
  resources: "objects?",
  sessionLifetime: "number?",
  interactionLifetime: "number?",
  processes: "number?",
  portTimeout: "number?",
  interactions: "object?",
  upstream: "objects?",
  acr: "object?",
  acrValues: "texts?",
  tenants: "texts?",
  pairwiseSalt: "own?",
  accountKey: "own?",
  features: "objects?",
  settings: "object?",
  grants: "objects?",
  profile: "text?",
  rulesOff: "texts?",
}

const kinds: Kinds = { ...settingKinds, ...Object.fromEntries(["issuer", ...portNames].map((name) => [name, "own?"] as const)) }

/** The kind of each member of an extension grant. */
export const grantKinds: MemberKinds<ExtensionGrant> = {
  name: "text",
  repeatable: "texts",
  takes: "function?",
  tables: "objects",
  issuers: "texts?",
  policyFault: "function",
  open: "function",
}

/** The kind of each member of a resource's scope. */
export const scopeKinds: MemberKinds<ResourceScope> = { name: "text", required: "boolean?", title: "text?", description: "text?" }

type Within<Name extends keyof ProviderOptions> =
  NonNullable<ProviderOptions[Name]> extends ReadonlyArray<infer Each> ? Each : NonNullable<ProviderOptions[Name]>

/** The kinds of the members of settings that are objects, or lists of them. */
export const kindsWithin: { readonly [Name in "scopes" | "resources" | "upstream" | "interactions" | "acr"]: MemberKinds<Within<Name>> } = {
  scopes: { ...scopeKinds, claims: "texts" },
  resources: { identifier: "text", title: "text?", scopes: "objects", metadata: "object?", listed: "boolean?", signed: "boolean?" },
  upstream: { name: "text", displayName: "text" },
  interactions: { signIn: "text?", consent: "text?", device: "text?", approval: "text?" },
  acr: { password: "text?", upstream: "text?" },
}

const faultsWithin = (name: string, value: object, place: string): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap((each: object, at) => faultsWithin(name, each, `${place}[${at}]`))
  const isGrant = name === "grants" || (name === "features" && "open" in value)
  const members: Kinds = isGrant ? grantKinds : name === "features" ? featureKinds : kindsWithin[name as keyof typeof kindsWithin]
  const faults = memberFaults(value, members, `${place}.`)
  return name === "resources" && faults.length === 0
    ? (value as Within<"resources">).scopes.flatMap((each, at) => memberFaults(each, scopeKinds, `${place}.scopes[${at}].`))
    : faults
}

/** Options with members of the right kinds, and the faults of the others. */
export interface SoundOptions {
  /** The options without members of the wrong kind. */
  readonly options: ProviderOptions & CommonPorts & PlainPorts
  /** The faults, as text: unknown names, and values of the wrong kind. */
  readonly faults: ReadonlyArray<string>
}

/** Separates the valid options of a caller without types from the faults, so that the rest can be validated. */
export const soundOptions = (given: ProviderOptions & ProviderPorts): SoundOptions => {
  if (kindFault("", given, "object") !== undefined) throw new TypeError(`createProvider: needs an object of settings and ports`)
  const faults: Array<string> = []
  const sound = Object.entries(given).filter(([name, value]: [string, unknown]) => {
    if (value === undefined) return true
    const own = memberFault(name, value, kinds, "", "setting and no port")
    const hasMembers = own === undefined && (Object.hasOwn(kindsWithin, name) || name === "features" || name === "grants")
    const found = own !== undefined ? [own] : hasMembers ? faultsWithin(name, value as object, name) : []
    faults.push(...found)
    return found.length === 0
  })
  if (faults.length === 0) return { options: given, faults }
  // Each remaining member has the kind of its type.
  return { options: Object.fromEntries(sound) as unknown as SoundOptions["options"], faults }
}
