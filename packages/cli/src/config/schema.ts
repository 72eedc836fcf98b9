import * as Schema from "effect/Schema"
import { type AnyFeature, clientFieldsOf, compose, defaultFeatures, profiles } from "@postern/core"
import { type ClientMetadata, type Field, fieldsOf, type LifetimesMetadata, type Members, schemaOf } from "@postern/core/model"
import { mostWorkers } from "../workerCount.ts"
import { absent, between, described, line, section } from "./described.ts"
import { Secret } from "./secretSchema.ts"
import { IdentityProvider, User } from "./people.ts"
import { IdentityScope, Resource } from "./resources.ts"
import { Acr, Audit, AuthenticationContexts, Listen, Log, MutualTls, Pages, RateLimits, Signing, Tls } from "./sections.ts"
import { Grants } from "./grants.ts"
import { optionalSections } from "./optional.ts"

/** The names of the built-in features' fields. */
const shipped = new Set([...clientFieldsOf({}), ...compose().providerSettings].map(({ name }) => name))

/** Makes a module's field be validated by its own function. Its schema may come from another copy of the library. */
const judgedByItself = (field: Field): Field =>
  shipped.has(field.name) || field.values.form.kind !== "schema"
    ? field
    : { ...field, values: { ...field.values, form: { kind: "judged", fits: field.values.fits } } }

/** Converts the fields of features to schema fields. Only the features know their names, so they have no static type. */
const featureFields = (fields: ReadonlyArray<Field>): {} => {
  const schemas = fieldsOf(fields.map(judgedByItself))
  return described(Object.fromEntries(fields.flatMap(({ name, description }) => rowOf(name, schemas[name], description))))
}

const rowOf = (name: string, schema: Schema.Top | undefined, description: string) =>
  schema === undefined ? [] : [[name, [schema, description] as const] as const]

/** A client as written in the file. */
export type ConfigClient = Omit<ClientMetadata, "client_secret"> & { readonly client_secret?: Secret }

/** Returns the schema of a client for the given features, with the metadata names of RFC 7591 and our own. */
export const configClient = (features: ReadonlyArray<AnyFeature> = defaultFeatures): Schema.Codec<ConfigClient> => {
  const { clientAuthentication } = compose({ features })
  // In the file, a secret may be a reference, and the authentication method must be one of those available.
  const own: Readonly<Record<string, Schema.Top>> = {
    client_secret: absent(Secret),
    token_endpoint_auth_method: absent(Schema.Literals(clientAuthentication.map(({ method }) => method))),
  }
  const all = clientFieldsOf({ features })
  const fields = fieldsOf(all.map(judgedByItself))
  const rows = all.flatMap(({ name, values, description }) =>
    rowOf(name, own[name] ?? (name === "client_id" ? schemaOf(values) : fields[name]), description),
  )
  const about = "A client, with the metadata names of RFC 7591 §2 and some of Postern's own."
  // The fields are type-checked against client metadata where they are declared.
  return section("Client", about, Object.fromEntries(rows)) as unknown as Schema.Codec<ConfigClient>
}

interface StatedLifetimes extends LifetimesMetadata {
  readonly session_lifetime?: number
  readonly interaction_lifetime?: number
}

/** Returns the schema of lifetimes in seconds, including those of features, sessions, and interactions. */
const lifetimesOf = (features: ReadonlyArray<AnyFeature>): Schema.Codec<StatedLifetimes> =>
  // The fields are type-checked where they are declared.
  Schema.Struct({
    ...featureFields(compose({ features }).lifetimes),
    ...described({
      session_lifetime: [absent(between(60, 31_536_000)), "Life of a sign-in session since it was last used, in seconds. Default: 36000."],
      interaction_lifetime: [
        absent(between(30, 86_400)),
        "Lifetime of an authorization request that waits for sign-in or consent, in seconds. Default: 900.",
      ],
    }),
  }).annotate({ identifier: "Lifetimes", description: "Lifetimes in seconds. Clients may have their own." })

/** Returns the values of the features' settings, by name. */
export const featureSettings = (config: ConfigFile, features: ReadonlyArray<AnyFeature>): Members["members"] => {
  const { providerSettings } = compose({ features })
  const stated = Object.entries(config).filter(([name]) => providerSettings.some((each) => each.name === name))
  // The schema has decoded each with the codec of its setting.
  return Object.fromEntries(stated) as Members["members"]
}

/** Returns the schema of a configuration file for the given features. */
export const configFile = (features: ReadonlyArray<AnyFeature> = defaultFeatures) =>
  Schema.Struct({
    ...described({
      $schema: [absent(Schema.String), "The URL of this schema, for editors."],
      issuer: [
        line(1024),
        "The issuer identifier: the public base URL, byte for byte as clients compare it, for example https://id.example.com",
      ],
      listen: [absent(Listen), "The listening address."],
      workers: [
        absent(between(0, mostWorkers)),
        "The number of worker processes that answer: 0 is one for each core, at most 8. Default: 1, a single process.",
      ],
      tls: [absent(Tls), "Serves https itself. Leave it out behind a proxy that ends TLS."],
      mutual_tls: [absent(MutualTls), "TLS certificates of clients (RFC 8705). It goes with mutual_tls_url."],
      data: [
        absent(Secret),
        'The folder of the database, sqlite:FILE, or postgres://USER:PASSWORD@HOST/DATABASE, best from { "env": … } or { "file": … }. Relative paths start from the folder of this file. Default: ./data.',
      ],
      clients: [absent(Schema.Array(configClient(features))), "Clients; applied at every start. Clients added on the command line stay."],
      resources: [absent(Schema.Array(Resource)), "APIs that accept access tokens, with the scopes they own."],
      scopes: [absent(Schema.Array(IdentityScope)), "Identity scopes beside the standard openid, profile, email, address, phone and role."],
      users: [absent(Schema.Array(User)), "Users; applied at every start. Users added on the command line stay."],
      identity_providers: [
        absent(Schema.Array(IdentityProvider)),
        "Other OpenID Providers at which users may sign in, where a client allows it.",
      ],
      acr: [absent(AuthenticationContexts), "The acr claim of sign-ins that state none."],
      acr_values_supported: [
        absent(Schema.Array(Acr)),
        "Authentication contexts that sign-ins here can reach, from weakest to strongest: who asks for one above the session's has the person sign in again (RFC 9470). Default: those of acr alone, without an order.",
      ],
      grants: [absent(Grants), "Extension grants: token exchange, JWT bearer assertions, cross-app access. Default: none."],
      ...optionalSections,
      profile: [
        absent(Schema.Literals(profiles.map(({ name }) => name))),
        `The profile of clients that name none: ${profiles.map(({ name }) => name).join(", ")}. Default: default.`,
      ],
      lifetimes: [absent(lifetimesOf(features)), "Lifetimes in seconds. Clients may have their own."],
      limits: [absent(RateLimits), "Rate limits."],
      signing: [absent(Signing), "Signing keys."],
      key_encryption_key: [
        absent(Secret),
        'Encrypts the signing keys, and secrets that clients sign with, in the database: 32 bytes in base64, best from { "env": … } or { "file": … }.',
      ],
      pairwise_salt: [
        absent(Secret),
        "The salt of pairwise subjects: at least 32 random characters. It must never change, or pairwise clients no longer recognize anyone.",
      ],
      trusted_proxies: [
        absent(Schema.Array(line(100))),
        "Addresses or CIDR ranges of proxies whose X-Forwarded-For is believed. Default: none.",
      ],
      pages: [absent(Pages), "The pages."],
      trail: [
        absent(Schema.Literals(["refused", "all", "off"])),
        "Requests that leave a trail for `postern explain`: refused, all or off. Default: refused.",
      ],
      audit: [absent(Audit), "Audit events."],
      log: [absent(Log), "The log."],
      metrics: [absent(Schema.Boolean), "Access to /metrics: true for everyone, false for no one. Default: callers on this machine."],
      development: [
        absent(Schema.Boolean),
        "Accepts http on loopback addresses for the issuer, redirect URIs and the documents of clients. Never use it in production. Default: false.",
      ],
      conformance_resource: [
        absent(line(255)),
        "The client_id by which a resource for conformance tests, at /conformance/resource, introspects tokens. Only with development. Default: no such resource.",
      ],
    }),
    ...featureFields(compose({ features }).providerSettings),
  }).annotate({ title: "Postern configuration", description: "The configuration file of Postern." })

/** The schema of a configuration file with the default features. */
export const ConfigFile = configFile()

/** The configuration as written in the file. */
export type ConfigFile = typeof ConfigFile.Type
