import { governed, profileNamed, ruleTablesOf } from "@postern/core"
import type { Client, ProfileParameters } from "@postern/core/model"
import type { Setup } from "../config/setup.ts"
import { declaredClients } from "./setting.ts"

/** One consequence of another configuration, and the clients that it is for. */
interface ClientConsequence {
  /** The sentence about them, as `lose the password grant`. */
  readonly happens: string
  readonly clients: ReadonlyArray<string>
}

/** A rule that is there, or demands more or less, in one configuration alone. */
interface RuleConsequence {
  readonly rule: string
  readonly cites: string
  readonly happens: string
  /** The clients it is for; undefined for all. */
  readonly clients: ReadonlyArray<string> | undefined
}

/** Members of clients that are lists: of each value, whoever loses or gains it is told. */
const lists: ReadonlyArray<readonly [member: keyof Client, told: (value: string) => string]> = [
  ["grantTypes", (value) => `the ${value} grant`],
  ["responseTypes", (value) => `the response type ${value}`],
  ["scope", (value) => `the scope ${value}`],
  ["redirectUris", (value) => `the redirect URI ${value}`],
  ["postLogoutRedirectUris", (value) => `the post-logout redirect URI ${value}`],
  ["authenticationMethods", (value) => `the authentication method ${value}`],
  ["introspectionResources", (value) => `introspection for ${value}`],
]

const listed = new Set<string>(lists.map(([member]) => member))

const textsOf = (value: unknown): ReadonlyArray<string> => (Array.isArray(value) ? value.map(String) : [])

const shown = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value))

const ofClient = (before: Client, after: Client): ReadonlyArray<string> => {
  const moved = lists.flatMap(([member, told]) => {
    const [old, fresh] = [textsOf(before[member]), textsOf(after[member])]
    return [
      ...old.filter((value) => !fresh.includes(value)).map((value) => `lose ${told(value)}`),
      ...fresh.filter((value) => !old.includes(value)).map((value) => `gain ${told(value)}`),
    ]
  })
  // A client made of metadata is plain data.
  const [old, fresh] = [before, after] as unknown as ReadonlyArray<Readonly<Record<string, unknown>>>
  const members = [...new Set([...Object.keys(old ?? {}), ...Object.keys(fresh ?? {})])].filter((name) => !listed.has(name))
  const changed = members.flatMap((name) => {
    const [was, is] = [old?.[name], fresh?.[name]]
    if (JSON.stringify(was) === JSON.stringify(is)) return []
    // Keys and lifetimes are long: their names say enough.
    return [typeof was === "object" || typeof is === "object" ? `change ${name}` : `change ${name} from ${shown(was)} to ${shown(is)}`]
  })
  return [...moved, ...changed]
}

/** The consequences for declared clients, each with the clients that it is for. */
export const clientConsequences = (before: Setup, after: Setup): ReadonlyArray<ClientConsequence> => {
  const [old, fresh] = [declaredClients(before), declaredClients(after)]
  const byWhat = new Map<string, Array<string>>()
  const add = (happens: string, id: string): void => void byWhat.set(happens, [...(byWhat.get(happens) ?? []), id])
  for (const [id, client] of old) {
    const other = fresh.get(id)
    if (other === undefined) add("are no longer declared", id)
    else for (const happens of ofClient(client, other)) add(happens, id)
  }
  for (const id of fresh.keys()) if (!old.has(id)) add("are declared anew", id)
  return [...byWhat].map(([happens, clients]) => ({ happens, clients }))
}

const parametersFor = (setup: Setup, client: Client | undefined): ProfileParameters | undefined =>
  profileNamed(client?.profile ?? setup.profile)?.parameters

/** The rules that one of two setups has alone, or holds a client to with another parameter. */
export const ruleConsequences = (before: Setup, after: Setup): ReadonlyArray<RuleConsequence> => {
  const [old, fresh] = [before, after].map(
    ({ features }) => new Map(ruleTablesOf({ features }).flatMap(({ rules }) => rules.map(({ id, cites }) => [id, cites] as const))),
  )
  const only = (mine: ReadonlyMap<string, string> | undefined, other: ReadonlyMap<string, string> | undefined, happens: string) =>
    [...(mine ?? [])].flatMap(([rule, cites]) => (other?.has(rule) === true ? [] : [{ rule, cites, happens, clients: undefined }]))
  const [had, has] = [declaredClients(before), declaredClients(after)]
  // Names of parameters are the keys of the table.
  const parameters = Object.keys(governed) as ReadonlyArray<keyof ProfileParameters>
  const held = parameters.flatMap((name) => {
    const moved = [...has].flatMap(([id, client]) => {
      const was = had.get(id)
      if (was === undefined) return []
      const [from, to] = [parametersFor(before, was)?.[name], parametersFor(after, client)?.[name]]
      return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ id, change: `${shown(from)} to ${shown(to)}` }]
    })
    return [...Map.groupBy(moved, ({ change }) => change)].flatMap(([change, each]) =>
      governed[name]
        .filter((rule) => !rule.startsWith("registration."))
        .map((rule) => ({
          rule,
          cites: fresh?.get(rule) ?? "",
          happens: `changes ${name} from ${change}`,
          clients: each.map(({ id }) => id),
        })),
    )
  })
  return [...only(old, fresh, "is gone"), ...only(fresh, old, "is new"), ...held]
}
