import { type AnyFeature, registering, registrationFaults, slidesBeyondEnd } from "@postern/core"
import { type Catalog, catalog, type ClientMetadata, scopeWords, standardScopes } from "@postern/core/model"
import { declaredCatalog } from "../catalog.ts"
import { finding, type Finding } from "../fault.ts"
import { everyFeature, plainFeatures } from "../features.ts"
import { type ConfigRule, configRule, repeats } from "../rule.ts"
import type { ConfigClient } from "../schema.ts"
import { statedDetailTypes } from "./details.ts"
import { certain } from "./readings.ts"
import { secretText } from "../secret.ts"
import type { Surroundings } from "../surroundings.ts"

/** Returns the metadata of a client with its secret read from the configured source, or without it if it cannot be read. */
export const clientMetadata = ({ client_secret, ...metadata }: ConfigClient, around: Surroundings): ClientMetadata => {
  const read = client_secret === undefined ? undefined : secretText(client_secret, around)
  return read !== undefined && "text" in read ? { ...metadata, client_secret: read.text } : metadata
}

/** The properties of the provider that affect the validation of a client. */
export interface Registrar {
  /** Undefined if the declared scopes are unknown. The scopes of a client are not validated then. */
  readonly catalog: Catalog | undefined
  /** Undefined if the configured identity providers are unknown. */
  readonly identityProviders: ReadonlyArray<string> | undefined
  /** The types of authorization details; undefined if they are unknown. */
  readonly detailTypes?: ReadonlyArray<string> | undefined
  /** Undefined if the enabled features are unknown. A client may use any feature then. */
  readonly features: ReadonlyArray<AnyFeature> | undefined
  readonly secretKept: boolean
  readonly pairwise: boolean
  /** True if there is a key that encrypts secrets which must be readable later. */
  readonly sealing: boolean
  readonly development: boolean
  /** The name of the provider's profile. */
  readonly profile: string | undefined
  readonly encryptionAlgorithms: ReadonlyArray<string>
  /** Undefined if the signing algorithms are unknown. Those of a client are not validated then. */
  readonly signingAlgorithms: ReadonlyArray<string> | undefined
}

/** Returns a catalog that contains every scope and resource that the client names. */
const indulgent = (client: ClientMetadata): Catalog =>
  catalog(
    standardScopes,
    (client.introspection_resources ?? [""]).map((identifier) => ({
      identifier,
      title: undefined,
      scopes: scopeWords(client.scope ?? "").map((name) => ({ name, required: false, title: undefined, description: undefined })),
    })),
  )

/** Returns a function that validates the registration of a client (RFC 7591 §2). */
export const registrationJudge = ({
  features = everyFeature,
  ...known
}: Registrar): ((client: ClientMetadata) => ReadonlyArray<Finding>) => {
  // Composing the features takes 6 µs, so it is done once for all clients; a file may declare thousands.
  const registered = registering({ features })
  return (client) =>
    registrationFaults(client, { ...known, catalog: known.catalog ?? indulgent(client), ...registered }).map(({ path, reason, hint }) => {
      const absent = typeof path[0] === "string" && !(path[0] in client)
      return { path, message: reason, hint, ...(absent ? { about: "absence" as const } : {}) }
    })
}

/** Substitutes a placeholder for an unreadable secret, which is reported where it is declared. */
const judgeable = (client: ConfigClient, around: Surroundings): ClientMetadata =>
  client.client_secret === undefined
    ? clientMetadata(client, around)
    : { client_secret: "unread".padEnd(64), ...clientMetadata(client, around) }

/** Rules about clients. */
export const clientRules: ReadonlyArray<ConfigRule> = [
  configRule("config.client-ids", "RFC 6749 §2.2", ({ config: { clients = [] } }) =>
    repeats(clients, ({ client_id }) => client_id).map((at) =>
      finding(["clients", at, "client_id"], "is also the client_id of an earlier client", "give each client its own id"),
    ),
  ),
  configRule("config.clients", "RFC 7591 §2", ({ config, around, development, scopesComplete, providersComplete, lost }) => {
    const known = scopesComplete ? declaredCatalog(config) : undefined
    const identityProviders = providersComplete ? (config.identity_providers ?? []).map(({ name }) => name) : undefined
    const features = plainFeatures(config, around.absolute)
    const sealing = config.key_encryption_key !== undefined
    const registrar: Registrar = {
      catalog: known,
      identityProviders,
      detailTypes: Object.keys(statedDetailTypes(config)),
      features,
      secretKept: false,
      pairwise: config.pairwise_salt !== undefined,
      sealing,
      development,
      profile: config.profile,
      encryptionAlgorithms: config.signing?.encryption_algorithms ?? [],
      signingAlgorithms: config.signing?.algorithms,
    }
    const findings = registrationJudge(registrar)
    return (config.clients ?? []).flatMap((client, at) =>
      certain(client, lost(["clients", at]), (each) => findings(judgeable(each, around))).map((found) => ({
        ...found,
        path: ["clients", at, ...found.path],
      })),
    )
  }),
  configRule("config.lifetimes", "RFC 9700 §4.14.2", ({ config: { lifetimes = {} } }) =>
    [slidesBeyondEnd(lifetimes) ?? []].flat().map(({ path, reason, hint }) => finding(["lifetimes", ...path], reason, hint)),
  ),
]
