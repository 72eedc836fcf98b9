import { governed, profileNamed, ruleTablesOf } from "@postern/core"
import type { Client, ProfileParameters } from "@postern/core/model"
import type { Setup } from "../config/setup.ts"
import { declaredClients } from "./setting.ts"

/** A consequence of a configuration change, and the clients that it affects. */
interface ClientConsequence {
  /** The predicate of a sentence about the clients, such as `lose the password grant`. */
  readonly happens: string
  readonly clients: ReadonlyArray<string>
}

/** A rule that only one of the configurations has, or that demands something different in each. */
interface RuleConsequence {
  readonly rule: string
  readonly cites: string
  readonly happens: string
  /** The affected clients; undefined for all. */
  readonly clients: ReadonlyArray<string> | undefined
}

/** The list members of clients. For each value, the clients that lose or gain it are reported. */
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
  // A client made from metadata is a plain object.
  const [old, fresh] = [before, after] as unknown as ReadonlyArray<Readonly<Record<string, unknown>>>
  const members = [...new Set([...Object.keys(old ?? {}), ...Object.keys(fresh ?? {})])].filter((name) => !listed.has(name))
  const changed = members.flatMap((name) => {
    const [was, is] = [old?.[name], fresh?.[name]]
    if (JSON.stringify(was) === JSON.stringify(is)) return []
    // The values of objects, such as keys and lifetimes, are too long to show.
    return [typeof was === "object" || typeof is === "object" ? `change ${name}` : `change ${name} from ${shown(was)} to ${shown(is)}`]
  })
  return [...moved, ...changed]
}

/** Returns the consequences for declared clients, with the clients that each affects. */
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

/** Returns the rules that only one of two setups has, or that have another parameter for a client. */
export const ruleConsequences = (before: Setup, after: Setup): ReadonlyArray<RuleConsequence> => {
  const [old, fresh] = [before, after].map(
    ({ features }) => new Map(ruleTablesOf({ features }).flatMap(({ rules }) => rules.map(({ id, cites }) => [id, cites] as const))),
  )
  const only = (mine: ReadonlyMap<string, string> | undefined, other: ReadonlyMap<string, string> | undefined, happens: string) =>
    [...(mine ?? [])].flatMap(([rule, cites]) => (other?.has(rule) === true ? [] : [{ rule, cites, happens, clients: undefined }]))
  const [had, has] = [declaredClients(before), declaredClients(after)]
  // The keys of the table are the parameter names.
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
