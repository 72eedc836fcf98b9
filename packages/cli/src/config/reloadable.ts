import { documentsServed } from "./features.ts"
import type { ConfigFile } from "./schema.ts"

type Settings = Readonly<Record<keyof ConfigFile, unknown>>

/** Reports whether a change can be applied, from the active configuration and the one that the file contains now. */
type Judge = (before: Partial<ConfigFile>, after: Partial<ConfigFile>) => boolean

/** The table of documents is created only at startup. */
const hasTable: Judge = (before, after) => documentsServed(before) === documentsServed(after)

/** The settings that a running server applies on a reload. The others need a restart. Each new setting must be listed here. */
const takenUp: Readonly<Record<keyof ConfigFile, boolean | Judge>> = {
  $schema: true,
  clients: true,
  resources: true,
  scopes: true,
  users: true,
  acr: true,
  acr_values_supported: true,
  identity_providers: true,
  grants: true,
  // The tables of registration are created only at startup.
  registration: (before, after) => before.registration !== undefined && after.registration !== undefined,
  // The table of CIBA requests is created only at startup.
  ciba: (before, after) => before.ciba !== undefined && after.ciba !== undefined,
  metadata_documents: hasTable,
  session_management: false,
  // The table of upstream sessions is created only at startup.
  upstream_logout: false,
  pages: true,
  log: true,
  // The certificate can change on a reload, but not the choice between http and https.
  tls: (before, after) => before.tls !== undefined && after.tls !== undefined,
  mutual_tls: false,
  issuer: false,
  listen: false,
  workers: false,
  data: false,
  // Without a section of documents, the profile says whether they are enabled.
  profile: (before, after) =>
    documentsServed({ profile: before.profile }) === documentsServed({ profile: after.profile }) || hasTable(before, after),
  lifetimes: false,
  limits: false,
  signing: false,
  key_encryption_key: false,
  pairwise_salt: false,
  trusted_proxies: false,
  trail: false,
  audit: false,
  metrics: false,
  development: false,
  conformance_resource: false,
}

/** Members that need a restart though the rest of their setting is reloadable. The sender of messages is created at startup. */
const waitingMembers: { readonly [Name in keyof ConfigFile]?: string } = { ciba: "notification" }

/** Returns a reloadable setting with one member kept from before. */
const withMember = (member: string, before: unknown, after: unknown): unknown => {
  if (typeof before !== "object" || before === null || typeof after !== "object" || after === null) return after
  const others = Object.entries(after).filter(([name]) => name !== member)
  const kept: unknown = Reflect.get(before, member)
  return Object.fromEntries(kept === undefined ? others : [...others, [member, kept]])
}

/** The changes of a configuration for a running server. */
export interface Changes {
  /** The configuration to apply: the new one, with the old value of each setting that needs a restart. */
  readonly config: ConfigFile
  /** The names of the applied settings, such as `clients.web.scope`, never their values. */
  readonly changed: ReadonlyArray<string>
  /** The names of the changed settings that need a restart. */
  readonly waiting: ReadonlyArray<string>
}

/** Compares the active configuration with the one that the file contains now. */
export const changesOf = (before: ConfigFile, after: ConfigFile): Changes => {
  const [old, fresh]: [Partial<Settings>, Partial<Settings>] = [before, after]
  const changed: Array<string> = []
  const waiting: Array<string> = []
  const config: Partial<Record<keyof ConfigFile, unknown>> = {}
  for (const key of Object.keys(takenUp) as Array<keyof ConfigFile>) {
    const rule = takenUp[key]
    const taken = typeof rule === "boolean" ? rule : rule(before, after)
    const member = waitingMembers[key]
    const place = `${key}.${member}`
    for (const name of differences(key, old[key], fresh[key]))
      (taken && name !== place && !name.startsWith(`${place}.`) ? changed : waiting).push(name)
    const value = !taken ? old[key] : member === undefined ? fresh[key] : withMember(member, old[key], fresh[key])
    if (value !== undefined) config[key] = value
  }
  // The settings of features are applied when the provider is recreated.
  const others = [...new Set([...Object.keys(old), ...Object.keys(fresh)])].filter((key) => !Object.hasOwn(takenUp, key))
  for (const key of others as Array<keyof ConfigFile>) {
    changed.push(...differences(key, old[key], fresh[key]))
    if (fresh[key] !== undefined) config[key] = fresh[key]
  }
  // Each member comes from one of two validated files.
  return { config: config as ConfigFile, changed, waiting }
}

/**
 * Returns the member that identifies an item of a list. Users are not identified, because the log may be read by people who must not know
 * them.
 */
const nameOf = (item: unknown): string | undefined => {
  if (typeof item !== "object" || item === null) return undefined
  for (const key of ["client_id", "identifier", "name"]) {
    const name: unknown = Reflect.get(item, key)
    if (typeof name === "string") return name
  }
  return undefined
}

/** Splits a value into the parts that are compared separately: the members of an object, or the named items of a list. */
const partsOf = (value: unknown): ReadonlyMap<string, unknown> | undefined => {
  if (Array.isArray(value)) {
    const named = value
      .map((item: unknown) => [nameOf(item), item] as const)
      .filter((part): part is [string, unknown] => part[0] !== undefined)
    return named.length === value.length ? new Map(named) : undefined
  }
  return typeof value === "object" && value !== null ? new Map(Object.entries(value)) : undefined
}

/** Returns the names of differing parts, down to three levels. This names the member of a client, but never a value. */
const differences = (name: string, before: unknown, after: unknown, levels = 3): ReadonlyArray<string> => {
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  const [old, fresh] = [partsOf(before), partsOf(after)]
  if (levels === 1 || old === undefined || fresh === undefined) return [name]
  const found = [...new Set([...old.keys(), ...fresh.keys()])].flatMap((key) =>
    differences(`${name}.${key}`, old.get(key), fresh.get(key), levels - 1),
  )
  return found.length === 0 ? [name] : found
}
