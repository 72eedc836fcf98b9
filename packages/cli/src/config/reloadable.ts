import type { ConfigFile } from "./schema.ts"

type Settings = Readonly<Record<keyof ConfigFile, unknown>>

/** Both configurations: the one that is served, and the one that the file states now. */
type Judge = (before: Partial<ConfigFile>, after: Partial<ConfigFile>) => boolean

/** Reports whether documents of clients are served: the profile mcp does it without a section. */
const documentsServed = ({ metadata_documents: declared, profile }: Partial<ConfigFile>): boolean =>
  declared === undefined ? profile === "mcp" : declared.enabled !== false

/** The database makes the table of documents at a start. */
const hasTable: Judge = (before, after) => documentsServed(before) === documentsServed(after)

/** Settings that a running server takes up; the others wait for its next start. A new setting has to be given its place here. */
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
  // The database makes the tables of registration at a start.
  registration: (before, after) => before.registration !== undefined && after.registration !== undefined,
  // The database makes the table of its requests at a start.
  ciba: (before, after) => before.ciba !== undefined && after.ciba !== undefined,
  metadata_documents: hasTable,
  session_management: false,
  // The database makes the table of its sessions at a start.
  upstream_logout: false,
  pages: true,
  log: true,
  // Another certificate, but not https instead of http.
  tls: (before, after) => before.tls !== undefined && after.tls !== undefined,
  mutual_tls: false,
  issuer: false,
  listen: false,
  workers: false,
  data: false,
  profile: (before, after) => (before.profile === "mcp") === (after.profile === "mcp") || hasTable(before, after),
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

/** Members of settings that wait where the others are taken up: what delivers messages is made at a start. */
const waitingMembers: { readonly [Name in keyof ConfigFile]?: string } = { ciba: "notification" }

/** A setting that is taken up, with a member as it was. */
const withMember = (member: string, before: unknown, after: unknown): unknown => {
  if (typeof before !== "object" || before === null || typeof after !== "object" || after === null) return after
  const others = Object.entries(after).filter(([name]) => name !== member)
  const kept: unknown = Reflect.get(before, member)
  return Object.fromEntries(kept === undefined ? others : [...others, [member, kept]])
}

/** A change of the configuration, as a running server sees it. */
export interface Changes {
  /** The configuration from now on: the new one, with the settings before where only a start takes up others. */
  readonly config: ConfigFile
  /** Names of the settings that are taken up, such as `clients.web.scope`: never their values. */
  readonly changed: ReadonlyArray<string>
  /** Names of the settings that a start is needed for. */
  readonly waiting: ReadonlyArray<string>
}

/** Compares the configuration that is served with the one that the file states now. */
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
  // Settings of features are taken up with the provider that is made again.
  const others = [...new Set([...Object.keys(old), ...Object.keys(fresh)])].filter((key) => !Object.hasOwn(takenUp, key))
  for (const key of others as Array<keyof ConfigFile>) {
    changed.push(...differences(key, old[key], fresh[key]))
    if (fresh[key] !== undefined) config[key] = fresh[key]
  }
  // Each member is from one of two files that were checked.
  return { config: config as ConfigFile, changed, waiting }
}

/** The member by which an item of a list is known. People are not named: a log is read by more than those who may know them. */
const nameOf = (item: unknown): string | undefined => {
  if (typeof item !== "object" || item === null) return undefined
  for (const key of ["client_id", "identifier", "name"]) {
    const name: unknown = Reflect.get(item, key)
    if (typeof name === "string") return name
  }
  return undefined
}

/** A value taken apart into what can differ by itself: the members of an object, the named items of a list. */
const partsOf = (value: unknown): ReadonlyMap<string, unknown> | undefined => {
  if (Array.isArray(value)) {
    const named = value
      .map((item: unknown) => [nameOf(item), item] as const)
      .filter((part): part is [string, unknown] => part[0] !== undefined)
    return named.length === value.length ? new Map(named) : undefined
  }
  return typeof value === "object" && value !== null ? new Map(Object.entries(value)) : undefined
}

/** The names of what differs; three levels down, so that the member of a client is named and no value ever is. */
const differences = (name: string, before: unknown, after: unknown, levels = 3): ReadonlyArray<string> => {
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  const [old, fresh] = [partsOf(before), partsOf(after)]
  if (levels === 1 || old === undefined || fresh === undefined) return [name]
  const found = [...new Set([...old.keys(), ...fresh.keys()])].flatMap((key) =>
    differences(`${name}.${key}`, old.get(key), fresh.get(key), levels - 1),
  )
  return found.length === 0 ? [name] : found
}
