import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type { pushingRequired } from "../features/authorize/index.ts"
import type { HolderOf } from "../model/member.ts"
import { lifetimesFrom } from "../model/metadata.ts"
import { type ClientMetadataSchema, clientMetadataSchema, refuseSharedNames, registering } from "./compose.ts"
import {
  type Client,
  type ClientMetadata,
  type Lifetimes,
  catalog,
  defaultLifetimes,
  keyEncryptionAlgorithms,
  standardScopes,
} from "../model/index.ts"
import { registeredClient } from "../model/registered.ts"
import type { ProviderOptions } from "./options.ts"
import { closest } from "../model/closest.ts"
import { kindFault, refuseFaults } from "../model/members.ts"
import { isLoopback, uriParts } from "../rules/redirectUri.ts"
import { registrationFaults } from "../rules/registration.ts"
import { slidesBeyondEnd } from "../rules/registrationLifetimes.ts"
import { type Fault, type RegistrationSeen, fault } from "../rules/registrationFault.ts"

/** Client metadata by its registered names (RFC 7591 §2), without the secret, which belongs to the client store. */
export type ClientDefinition = Omit<ClientMetadata, "client_secret"> & HolderOf<typeof pushingRequired>

/** The provider that a client is defined for. The options of `createProvider` can be used. */
export interface ClientSetting extends Pick<
  ProviderOptions,
  "scopes" | "resources" | "features" | "grants" | "upstream" | "pairwiseSalt" | "profile" | "rulesOff"
> {
  /** The issuer. With `http` on a loopback host, web clients may have such redirect URIs too. */
  readonly issuer?: string | undefined
  /** Lifetimes that the metadata does not state; they override `defaultLifetimes`. */
  readonly lifetimes?: Partial<Lifetimes> | undefined
  /**
   * The algorithms that the signer signs with, as from `await signer.algorithms()`. If given, a client with responses that no key can sign is
   * refused; otherwise the requests of such a client fail.
   */
  readonly signingAlgorithms?: ReadonlyArray<string> | undefined
  /** The algorithms that the signer can decrypt; all known ones by default. */
  readonly encryptionAlgorithms?: ReadonlyArray<string> | undefined
}

/** All faults of a client's definition; thrown by {@link defineClient}. */
export class ClientRefused extends TypeError {
  override readonly name = "ClientRefused"
  /** The faults, each with its path in the metadata, the reason, and a hint for a fix. */
  readonly faults: ReadonlyArray<Fault>

  constructor(clientId: unknown, faults: ReadonlyArray<Fault>) {
    const lines = faults.map(({ path, reason, hint }) => `- ${path.join(".")}: ${reason}; ${hint}`)
    super(`client ${typeof clientId === "string" ? JSON.stringify(clientId) : "without a client_id"} is refused:\n${lines.join("\n")}`)
    this.faults = faults
  }
}

/**
 * Rejects names that client metadata does not have, even if the type of a variable contains them. The names of custom features have no
 * static type.
 */
type Exact<Given, Provider> = Provider extends { readonly features: ReadonlyArray<unknown> }
  ? unknown
  : { readonly [Name in Exclude<keyof Given, keyof ClientDefinition>]: never }

/**
 * Defines a client: validates its metadata by the registration rules and applies the defaults of RFC 7591 §2. PKCE and consent are required
 * unless the metadata states otherwise. Throws one {@link ClientRefused} with every fault.
 */
export const defineClient = <Given extends ClientDefinition, Provider extends ClientSetting = ClientSetting>(
  metadata: Given & Exact<Given, Provider>,
  // Every member of a setting is optional.
  provider: Provider = {} as Provider,
): Client => {
  refuseFaults("defineClient", kindFault("options", provider, "object"))
  refuseSharedNames(provider)
  const schema = clientMetadataSchema(provider)
  const names = Object.keys(schema.fields)
  const [known, unfit] = decode(metadata, schema)
  // A member that is invalid, or whose name was misspelled, is not reported as missing.
  const named = new Set(unfit.flatMap(({ path }) => meant(String(path[0]), names)).filter((name) => !(name in known)))
  const judged = registrationFaults(known, seenBy(provider)).filter(({ path }) => !named.has(String(path[0])))
  const faults = [...unfit, ...judged, ...lifetimeFaults(provider)]
  if (faults.length > 0) throw new ClientRefused((metadata as Partial<ClientDefinition> | undefined)?.client_id, faults)
  return registeredClient(known, { ...defaultLifetimes, ...provider.lifetimes })
}

const seenBy = (provider: ClientSetting): RegistrationSeen => {
  const { scopes = [], resources = [], upstream = [], encryptionAlgorithms = keyEncryptionAlgorithms } = provider
  const issuer = uriParts(provider.issuer ?? "")
  return {
    catalog: catalog([...standardScopes, ...scopes], resources),
    ...registering(provider),
    identityProviders: upstream.map(({ name }) => name),
    // The client store has the secret, encrypted or hashed as needed.
    secretKept: true,
    sealing: true,
    development: issuer?.scheme === "http" && isLoopback(issuer.host),
    pairwise: provider.pairwiseSalt !== undefined,
    encryptionAlgorithms,
    signingAlgorithms: provider.signingAlgorithms,
    profile: provider.profile,
    rulesOff: new Set(provider.rulesOff),
  }
}

/** Returns the faults of the lifetimes in the settings, by the rules for those that metadata states. */
const lifetimeFaults = ({ lifetimes }: ClientSetting): ReadonlyArray<Fault> => {
  if (lifetimes === undefined) return []
  const schema = clientMetadataSchema({})
  // With its own name as its value, each member of metadata tells the name of its lifetime.
  const members = Object.entries(
    lifetimesFrom(Object.fromEntries(Object.keys(schema.fields).map((name) => [name, name])), defaultLifetimes),
  )
  const unknown = Object.keys(lifetimes).filter((name) => members.every(([known]) => known !== name))
  const stated = members.map(([name, member]) => [member, Object.entries(lifetimes).find(([given]) => given === name)?.[1]])
  const [known, unfit] = decode({ client_id: "lifetimes", ...Object.fromEntries(stated) }, schema)
  return [
    ...unknown.map((name) => fault(["lifetimes", name], "is no lifetime", `use one of: ${members.map(([known]) => known).join(", ")}`)),
    ...[...unfit, slidesBeyondEnd(known) ?? []].flat().map((found) => {
      const [name = ""] = members.find(([, member]) => String(member) === found.path[0]) ?? []
      return { ...found, path: ["lifetimes", name] }
    }),
  ]
}

const formatted = SchemaIssue.makeFormatterStandardSchemaV1()

const read = (metadata: unknown, schema: ClientMetadataSchema) =>
  Schema.decodeUnknownResult(schema)(metadata, { errors: "all", onExcessProperty: "error" })

/** Returns the metadata without its invalid members, and their faults. */
const decode = (metadata: object, schema: ClientMetadataSchema): readonly [ClientMetadata, ReadonlyArray<Fault>] => {
  if (kindFault("", metadata, "object") !== undefined)
    throw new ClientRefused(undefined, [fault([], "is no object", "give client metadata")])
  // Undefined members count as absent, like optional members of a type.
  const given = Object.entries(metadata).filter(([, value]) => value !== undefined)
  const faults: Array<Fault> = given.some(([name]) => name === "client_secret") ? [secretGiven] : []
  const stated = given.filter(([name]) => name !== "client_secret")
  const result = read(Object.fromEntries(stated), schema)
  if (Result.isSuccess(result)) return [result.success, faults]
  const names = Object.keys(schema.fields)
  faults.push(...formatted(result.failure.issue).issues.map(({ path = [], message }) => shapeFault(path.map(keyOf), message, names)))
  const unfit = new Set(faults.map(({ path }) => path[0]))
  const rest = read({ client_id: "unnamed", ...Object.fromEntries(stated.filter(([name]) => !unfit.has(name))) }, schema)
  // Members are valid independently, so the remaining ones are valid.
  if (Result.isFailure(rest)) throw new ClientRefused(undefined, faults)
  return [rest.success, faults]
}

const secretGiven = fault(["client_secret"], "is no part of a definition", "give the secret to the client store, which keeps it")

type Key = string | number

const keyOf = (part: PropertyKey | { readonly key: PropertyKey }): Key => {
  const key = typeof part === "object" ? part.key : part
  return typeof key === "number" ? key : String(key)
}

const shapeFault = (path: ReadonlyArray<Key>, message: string, names: ReadonlyArray<string>): Fault => {
  const name = String(path[0])
  if (names.includes(name))
    return fault(
      path,
      message.replace(/^[A-Z]/, (letter) => letter.toLowerCase()),
      "correct it",
    )
  const near = meant(name, names)
  return fault(path, "is no client metadata", near.length === 0 ? "remove it" : `did you mean ${near.join(" or ")}?`)
}

/** Returns the member with this name, or the most likely intended ones. */
const meant = (name: string, names: ReadonlyArray<string>): ReadonlyArray<string> => (names.includes(name) ? [name] : closest(name, names))
