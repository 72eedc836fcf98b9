import type { CertificateProxies, MutualTls } from "@postern/adapter-http"
import type { UpstreamProvider } from "@postern/adapter-http/upstream"
import type { PagesOptions } from "@postern/adapter-http/pages"
import type { DeclaredUser } from "@postern/stores"
import { type AnyFeature, defaultProfile, type RegistrationOptions } from "@postern/core"
import type { KeyPolicy } from "@postern/core/jose"
import type { Limited } from "@postern/core/ports"
import {
  type Catalog,
  type ClientMetadata,
  type DefaultAcr,
  defaultAcr,
  defaultInteractionLifetime,
  defaultLifetimes,
  defaultSessionLifetime,
  type IdentityProvider,
  type KeyEncryptionAlgorithm,
  type Lifetimes,
  lifetimesFrom,
  type Members,
  type Seconds,
  type SigningAlgorithm,
} from "@postern/core/model"
import * as Redacted from "effect/Redacted"
import { declaredCatalog } from "./catalog.ts"
import { type Database, databaseOf } from "./database.ts"
import { featuresOf, pageDesigns, registrationOptions } from "./features.ts"
import { limitsOf } from "./limits.ts"
import { pagesOptions } from "./pages.ts"
import { clientMetadata } from "./rules/clients.ts"
import { keyEncryptionKey } from "./rules/secrets.ts"
import { signingDefaults } from "./rules/signing.ts"
import { upstreamProvider } from "./rules/upstream.ts"
import { type ConfigFile, featureSettings } from "./schema.ts"
import type { Secret } from "./secretSchema.ts"
import { secretText } from "./secret.ts"
import type { Surroundings } from "./surroundings.ts"

/** A valid configuration with defaults applied, secrets read, and paths made absolute. Members with secrets are redacted when printed. */
export interface Setup {
  readonly issuer: string
  readonly development: boolean
  /** The number of worker processes; 0 means one per core. */
  readonly workers: number
  readonly listen: { readonly host: string; readonly port: number }
  readonly tls: { readonly key: string; readonly cert: string } | undefined
  /** The listener that requests client certificates. */
  readonly mutualTls: MutualTls | undefined
  /** The proxies trusted to forward client certificates. */
  readonly certificateProxies: CertificateProxies | undefined
  /** True if the endpoint for `postern proxy-check` is enabled. */
  readonly proxyCheck: boolean
  /** The client with which the conformance test resource introspects tokens; undefined if that resource is disabled. */
  readonly testResourceClient: string | undefined
  readonly trustedProxies: ReadonlyArray<string>
  readonly database: Database
  readonly catalog: Catalog
  /** The features of the provider. */
  readonly features: ReadonlyArray<AnyFeature>
  /** The name of the default profile of clients. */
  readonly profile: string
  readonly lifetimes: Lifetimes
  readonly sessionLifetime: Seconds
  readonly interactionLifetime: Seconds
  readonly algorithms: ReadonlyArray<SigningAlgorithm>
  readonly encryptionAlgorithms: ReadonlyArray<KeyEncryptionAlgorithm>
  readonly keyPolicy: KeyPolicy
  /** 32 bytes in base64url. */
  readonly keyEncryptionKey: Redacted.Redacted | undefined
  readonly pairwiseSalt: Redacted.Redacted | undefined
  readonly clients: Redacted.Redacted<ReadonlyArray<ClientMetadata>>
  readonly people: Redacted.Redacted<ReadonlyArray<DeclaredUser>>
  readonly acr: DefaultAcr
  /** The authentication contexts that sign-ins can reach, from weakest to strongest. */
  readonly acrValues: ReadonlyArray<string>
  /** The upstream identity providers, as pages show them. */
  readonly upstream: ReadonlyArray<IdentityProvider>
  /** Our registrations with the upstream identity providers. */
  readonly upstreamProviders: Redacted.Redacted<ReadonlyArray<UpstreamProvider>>
  readonly pages: PagesOptions
  /** Limits in requests per minute; undefined if there are none. */
  readonly limits: Readonly<Record<Limited, number | undefined>> | undefined
  readonly trail: NonNullable<ConfigFile["trail"]>
  readonly audit: { readonly log: boolean; readonly store: boolean; readonly age: Seconds; readonly most: number }
  readonly logLevel: NonNullable<NonNullable<ConfigFile["log"]>["level"]>
  readonly metrics: boolean | undefined
  /** The settings of dynamic registration; undefined if it is disabled. */
  readonly registration: RegistrationOptions | undefined
  /** The settings of features. */
  readonly settings: Members["members"]
}

const day = 86_400

/** The time for which an unscheduled key is published before it signs, in seconds. Clients may cache a JWK set that long. */
const propagation = 3600

const keyPolicyOf = ({ rotation_days, overlap_days }: NonNullable<ConfigFile["signing"]>): KeyPolicy => {
  const overlap = (overlap_days ?? signingDefaults.overlapDays) * day
  return { active: (rotation_days ?? signingDefaults.rotationDays) * day, lead: overlap, retain: overlap, propagation }
}

/** Makes the setup of a validated configuration, whose secrets are all readable. `database` overrides the file's `data`. */
export const setupOf = (config: ConfigFile, around: Surroundings, database?: Database): Setup => {
  const { tls, listen, lifetimes, signing = {}, mutual_tls: mutual } = config
  const textOf = (secret: Secret | undefined): string | undefined => {
    const read = secret === undefined ? undefined : secretText(secret, around)
    return read !== undefined && "text" in read ? read.text : undefined
  }
  const features = featuresOf(config, around.absolute, (secret) => textOf(secret))
  const person = ({ password, password_hash, ...user }: NonNullable<ConfigFile["users"]>[number]): DeclaredUser => ({
    ...user,
    password: textOf(password),
    passwordHash: textOf(password_hash),
  })
  const salt = textOf(config.pairwise_salt)
  const sealing = keyEncryptionKey(textOf(config.key_encryption_key) ?? "")
  return {
    issuer: config.issuer,
    development: config.development ?? false,
    listen: { host: listen?.host ?? "127.0.0.1", port: listen?.port ?? 8080 },
    workers: config.workers ?? 1,
    tls: tls === undefined ? undefined : { key: around.absolute(tls.key_file), cert: around.absolute(tls.cert_file) },
    mutualTls:
      mutual?.listen === undefined
        ? undefined
        : {
            listen: { host: mutual.listen.host ?? "127.0.0.1", port: mutual.listen.port ?? 8443 },
            ca: mutual.ca_file === undefined ? undefined : around.absolute(mutual.ca_file),
          },
    certificateProxies: mutual?.proxies,
    proxyCheck: mutual?.proxy_check ?? false,
    testResourceClient: config.conformance_resource,
    trustedProxies: config.trusted_proxies ?? [],
    database: database ?? databaseOf(textOf(config.data), around.absolute),
    catalog: declaredCatalog(config),
    features,
    profile: config.profile ?? defaultProfile.name,
    lifetimes: lifetimesFrom(lifetimes ?? {}, defaultLifetimes),
    sessionLifetime: lifetimes?.session_lifetime ?? defaultSessionLifetime,
    interactionLifetime: lifetimes?.interaction_lifetime ?? defaultInteractionLifetime,
    algorithms: signing.algorithms ?? signingDefaults.algorithms,
    encryptionAlgorithms: signing.encryption_algorithms ?? [],
    keyPolicy: keyPolicyOf(signing),
    keyEncryptionKey: sealing === undefined ? undefined : Redacted.make(sealing),
    pairwiseSalt: salt === undefined ? undefined : Redacted.make(salt),
    clients: Redacted.make((config.clients ?? []).map((client) => clientMetadata(client, around))),
    people: Redacted.make((config.users ?? []).map(person)),
    acr: { password: config.acr?.password ?? defaultAcr.password, upstream: config.acr?.upstream ?? defaultAcr.upstream },
    acrValues: config.acr_values_supported ?? [],
    upstream: (config.identity_providers ?? []).map(({ name, display_name }) => ({ name, displayName: display_name })),
    upstreamProviders: Redacted.make((config.identity_providers ?? []).map((provider) => upstreamProvider(provider, textOf))),
    pages: { ...pagesOptions(config.pages ?? {}, around.absolute), pages: pageDesigns(config, around.absolute) },
    limits: limitsOf(config),
    trail: config.trail ?? "refused",
    audit: {
      log: config.audit?.log ?? true,
      store: config.audit?.store ?? false,
      age: (config.audit?.days ?? 90) * day,
      most: config.audit?.max_events ?? 1_000_000,
    },
    logLevel: config.log?.level ?? "info",
    metrics: config.metrics,
    registration: registrationOptions(config),
    settings: featureSettings(config, features),
  }
}
