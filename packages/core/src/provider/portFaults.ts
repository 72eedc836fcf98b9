import { isJsonObject } from "../model/index.ts"
import { type MemberKind, type MemberKinds, kindFault, partFaults } from "../model/members.ts"
import { eachRead } from "../ports/namedReads.ts"
import { policyFaults } from "../wire/index.ts"
import type { ProviderPorts } from "./options.ts"
import { longestTimeout } from "./settingFaults.ts"

type Kinds = { readonly [Name in Exclude<keyof ProviderPorts, "clock" | "report">]-?: MemberKinds<NonNullable<ProviderPorts[Name]>> }

/** The kinds of the members of each port that is an object. */
export const portKinds: Kinds = {
  clients: {
    find: "function",
    verifySecret: "function",
    secretOf: "function",
    unsignedRequestObjects: "function?",
  },
  tokens: {
    find: "function",
    list: "function",
    ...eachRead(() => "function" as const),
    recentAttempts: "function?",
    commit: "function",
    durable: "function?",
    keeps: "function?",
  },
  signer: {
    sign: "function",
    verify: "function",
    decrypt: "function",
    keys: "function",
    algorithms: "function",
    encryptionAlgorithms: "function",
  },
  authenticator: {
    verify: "function",
    find: "function",
    admit: "function",
    identify: "function?",
  },
  pages: {
    render: "function",
    draws: "function?",
    languages: "texts?",
    timeout: "own?",
    policies: "own?",
  },
  identityProviders: {
    begin: "function",
    finish: "function",
    password: "function",
    logoutKeys: "function?",
  },
  outbound: { fetch: "function", post: "function?" },
  outbox: { written: "function" },
  jwts: { verify: "function", verifySecret: "function", encrypt: "function" },
  entropy: { bytes: "function" },
  digest: { sha256: "function", sha512: "function" },
  trails: { record: "function" },
  audit: { record: "function" },
  limiter: { take: "function" },
  timer: { start: "function" },
  recorder: { begin: "function" },
}

/** Ports without a default. */
const needed: ReadonlyArray<string> = ["clients", "tokens", "signer", "authenticator", "pages"]

/** The name of a port's interface. */
const typeOf = (name: string): string => {
  const stores: Readonly<Record<string, string>> = { clients: "clientStore", tokens: "tokenStore", trails: "trail" }
  return `${(stores[name] ?? name).replace(/^./, (letter) => letter.toUpperCase())}Port`
}

const faultsOf = (name: string, port: unknown, kinds: Readonly<Record<string, MemberKind>>): ReadonlyArray<string> => {
  if (port === undefined && !needed.includes(name)) return []
  return partFaults(name, port, kinds, typeOf(name))
}

/** Returns the faults of the members of the pages port that are no functions. */
const pagesFaults = ({ timeout = 1, policies }: Readonly<Record<string, unknown>>): ReadonlyArray<string> => [
  ...(typeof timeout === "number" && timeout > 0 && timeout <= longestTimeout
    ? []
    : [`pages.timeout: must be a number of milliseconds above 0 and up to ${longestTimeout} (PagesPort)`]),
  ...policyFaults(policies),
]

/** Ports that are functions. */
const functions = ["clock", "report"]

/** Names of all ports. */
export const portNames: ReadonlyArray<string> = [...Object.keys(portKinds), ...functions]

/** Returns the faults of missing or invalid ports in untyped options. */
export const portFaults = (given: Readonly<Record<string, unknown>>): ReadonlyArray<string> => [
  ...Object.entries(portKinds).flatMap(([name, kinds]) => [
    ...faultsOf(name, given[name], kinds),
    ...(name === "pages" && isJsonObject(given[name]) ? pagesFaults(given[name]) : []),
  ]),
  ...functions.flatMap((name) => kindFault(name, given[name], "function?") ?? []),
]
