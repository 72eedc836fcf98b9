import { kindOf } from "../rules/members.ts"
import type { PagePolicy } from "../model/index.ts"
import { policyFaults } from "../wire/index.ts"
import { type CommonPorts, type PlainPorts, type ProviderPorts, longestTimeout } from "./options.ts"

/** A port's members: each is a function that is required or optional, or an optional value of its kind; the type keeps the list whole. */
type Members<Port> = {
  readonly [Name in keyof Port]-?: NonNullable<Port[Name]> extends ReadonlyArray<string>
    ? "texts"
    : NonNullable<Port[Name]> extends number
      ? "number"
      : NonNullable<Port[Name]> extends Readonly<Record<string, PagePolicy>>
        ? "policies"
        : undefined extends Port[Name]
          ? "optional"
          : "required"
}

/** A port that is an object of functions, and of values where it says so. */
interface Shape {
  readonly members: Readonly<Record<string, "required" | "optional" | "texts" | "number" | "policies">>
  /** The name of its interface. */
  readonly type: string
}

const shape = <Port>(type: string, members: Members<Port>): Shape => ({ type, members })

type Port<Name extends keyof ProviderPorts> = NonNullable<ProviderPorts[Name]>

const plain: Readonly<Record<keyof PlainPorts, Shape>> = {
  clients: shape<Port<"clients">>("ClientStorePort", {
    find: "required",
    verifySecret: "required",
    secretOf: "required",
    unsignedRequestObjects: "optional",
  }),
  tokens: shape<Port<"tokens">>("TokenStorePort", {
    find: "required",
    list: "required",
    findGrant: "required",
    grantsOf: "required",
    findCode: "required",
    findAccessToken: "required",
    findRefreshToken: "required",
    findSession: "required",
    sessionsOf: "required",
    findInteraction: "required",
    findDevice: "required",
    findDeviceByUserCode: "required",
    findAttempts: "required",
    recentAttempts: "optional",
    findConsent: "required",
    consentsOf: "required",
    commit: "required",
    durable: "optional",
    keeps: "optional",
  }),
  signer: shape<Port<"signer">>("SignerPort", {
    sign: "required",
    verify: "required",
    decrypt: "required",
    keys: "required",
    algorithms: "required",
    encryptionAlgorithms: "required",
  }),
  authenticator: shape<Port<"authenticator">>("AuthenticatorPort", {
    verify: "required",
    find: "required",
    admit: "required",
    identify: "optional",
  }),
}

const common: Readonly<Record<Exclude<keyof CommonPorts, "clock" | "report">, Shape>> = {
  pages: shape<Port<"pages">>("PagesPort", {
    render: "required",
    draws: "optional",
    languages: "texts",
    timeout: "number",
    policies: "policies",
  }),
  identityProviders: shape<Port<"identityProviders">>("IdentityProvidersPort", {
    begin: "required",
    finish: "required",
    password: "required",
    logoutKeys: "optional",
  }),
  outbound: shape<Port<"outbound">>("OutboundPort", { fetch: "required", post: "optional" }),
  outbox: shape<Port<"outbox">>("OutboxPort", { written: "required" }),
  jwts: shape<Port<"jwts">>("JwtsPort", { verify: "required", verifySecret: "required", encrypt: "required" }),
  entropy: shape<Port<"entropy">>("EntropyPort", { bytes: "required" }),
  digest: shape<Port<"digest">>("DigestPort", { sha256: "required", sha512: "required" }),
  trails: shape<Port<"trails">>("TrailPort", { record: "required" }),
  audit: shape<Port<"audit">>("AuditPort", { record: "required" }),
  limiter: shape<Port<"limiter">>("LimiterPort", { take: "required" }),
  timer: shape<Port<"timer">>("TimerPort", { start: "required" }),
  recorder: shape<Port<"recorder">>("RecorderPort", { begin: "required" }),
}

/** Ports without a default. */
const needed: ReadonlySet<string> = new Set([...Object.keys(plain), "pages"])

const faultsOf = (name: string, port: unknown, { members, type }: Shape): ReadonlyArray<string> => {
  const required = Object.keys(members).filter((member) => members[member] === "required")
  if (port === undefined && !needed.has(name)) return []
  if (typeof port !== "object" || port === null || Array.isArray(port))
    return [`${name}: is ${port === undefined ? "missing" : kindOf(port)}, and must be an object, ${type}, with ${required.join(", ")}`]
  // A port may be an instance of a class: its functions need not be its own.
  const held = port as Readonly<Record<string, unknown>>
  return Object.keys(members).flatMap((member) => {
    const value = held[member]
    if (members[member] === "texts") {
      const fits = value === undefined || (Array.isArray(value) && value.every((each) => typeof each === "string"))
      return fits ? [] : [`${name}.${member}: is ${kindOf(value)}, and must be a list of texts (${type})`]
    }
    if (members[member] === "number") {
      const fits = value === undefined || (typeof value === "number" && value > 0 && value <= longestTimeout)
      return fits ? [] : [`${name}.${member}: must be a number of milliseconds above 0 and up to ${longestTimeout} (${type})`]
    }
    if (members[member] === "policies") return policyFaults(value)
    if (typeof value === "function" || (value === undefined && members[member] === "optional")) return []
    return [`${name}.${member}: is ${value === undefined ? "missing" : kindOf(value)}, and must be a function (${type})`]
  })
}

/** Ports that are functions by themselves. */
const functions = ["clock", "report"]

/** Names of all ports. */
export const portNames: ReadonlyArray<string> = [...Object.keys(plain), ...Object.keys(common), ...functions]

/** Tells of every port that is missing or wrong among options that may be anything. */
export const portFaults = (given: Readonly<Record<string, unknown>>): ReadonlyArray<string> => [
  ...Object.entries({ ...plain, ...common }).flatMap(([name, stated]) => faultsOf(name, given[name], stated)),
  ...functions.flatMap((name) =>
    given[name] === undefined || typeof given[name] === "function" ? [] : [`${name}: is ${kindOf(given[name])}, and must be a function`],
  ),
]
