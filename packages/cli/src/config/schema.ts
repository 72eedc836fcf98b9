import * as Schema from "effect/Schema"
import { type AnyFeature, clientFieldsOf, compose, defaultFeatures, profiles } from "@postern/core"
import { type ClientMetadata, type Field, fieldsOf, type LifetimesMetadata, type Members, schemaOf, ScopeName } from "@postern/core/model"
import { mostWorkers } from "../workerCount.ts"
import { Ciba } from "./ciba.ts"
import { absent, between, type Described, described, section, text } from "./described.ts"
import { Secret } from "./secretSchema.ts"
import { Acr, Audit, AuthenticationContexts, Listen, Log, MutualTls, Pages, RateLimits, Signing, Tls } from "./sections.ts"
import { Grants } from "./grants.ts"
import { MetadataDocuments, Registration } from "./registration.ts"

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

const words = {
  title: [absent(text(200)), "The name on the consent page."],
  description: [absent(text(1000)), "The description on the consent page."],
  required: [absent(Schema.Boolean), "Prevents the user from unticking the scope on the consent page. Default: false."],
} satisfies Described

const ResourceScope = section("ResourceScope", "A scope of a protected resource.", {
  name: [ScopeName, "The scope as clients ask for it."],
  ...words,
})

const Resource = section("Resource", "An API that accepts access tokens, with the scopes it owns.", {
  identifier: [
    Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,200}$/u, { expected: "1 to 200 printable ASCII characters without space" })),
    "The audience of its access tokens, and the value of `resource` (RFC 8707): usually its URL.",
  ],
  title: [absent(text(200)), "The name on the consent page."],
  scopes: [
    Schema.Array(Schema.Union([ScopeName, ResourceScope]).annotate({ expected: 'a scope name, or { "name": … }' })),
    "The scopes it understands: names, or objects with texts for the consent page.",
  ],
  metadata: [
    absent(Schema.Record(Schema.String, Schema.Json)),
    "Serves the metadata of the resource (RFC 9728), with further members such as `resource_documentation`; `{}` for none. Default: not served.",
  ],
  listed: [
    absent(Schema.Boolean),
    "Names the resource in the `protected_resources` of discovery (RFC 9728 §4). Default: as `metadata` is given.",
  ],
  signed: [
    absent(Schema.Boolean),
    "Signs its `metadata` too, as `signed_metadata` (RFC 9728 §2.2). Each request costs a signature. Default: false.",
  ],
})

const IdentityScope = section("IdentityScope", "A name for a set of claims about a person (OpenID Connect Core §5.4).", {
  name: [ScopeName, "The scope as clients ask for it."],
  claims: [Schema.Array(text(200)), "The claims about a person that it releases."],
  ...words,
})

const User = section("User", "A person who may sign in.", {
  username: [text(200), "The username."],
  subject: [
    absent(
      Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,255}$/u, { expected: "1 to 255 printable ASCII characters without space" })),
    ),
    "The `sub` claim; never reuse one for another user. Default: generated at the first start.",
  ],
  password: [absent(Secret), "The password; kept hashed with argon2id. Give this or password_hash."],
  password_hash: [absent(Secret), "The password's argon2id hash in PHC form: $argon2id$v=19$…"],
  claims: [absent(Schema.Record(Schema.String, Schema.Json)), "The user's claims by name. Scopes decide which of them a client gets."],
  disabled: [absent(Schema.Boolean), "Disables the user. Default: false."],
  tenant: [
    absent(
      Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,200}$/u, { expected: "1 to 200 printable ASCII characters without space" })),
    ),
    "The only tenant to which the user may sign in. Default: any.",
  ],
})

const IdentityProvider = section("IdentityProvider", "Another OpenID Provider at which users may sign in.", {
  name: [
    Schema.String.check(Schema.isPattern(/^[a-z0-9-]{1,50}$/u, { expected: "1 to 50 lower-case letters, digits and dashes" })),
    "The NAME in acr_values=idp:NAME and in identity_providers of clients. Its redirect URI is ISSUER/login/callback/NAME.",
  ],
  display_name: [text(100), "The name on the sign-in page."],
  issuer: [text(1024), "The provider's issuer, byte for byte."],
  client_id: [text(255), "Our client_id there."],
  client_secret: [absent(Secret), "Our secret there."],
  client_key: [absent(Secret), "Our private key there, for private_key_jwt: a JWK with its alg, and its kid where it has one."],
  token_endpoint_auth_method: [
    absent(Schema.Literals(["client_secret_basic", "client_secret_post", "private_key_jwt", "none"])),
    "Our authentication method at that provider. Default: client_secret_basic with a secret, private_key_jwt with a key, otherwise none.",
  ],
  scopes: [absent(Schema.Array(ScopeName)), "The scopes that we request. Default: openid, profile and email."],
  claims: [
    absent(Schema.Record(Schema.String, text(200))),
    "Maps our claim names to the provider's. Default: the standard claims unchanged.",
  ],
  trusted_claims: [
    absent(Schema.Array(Schema.Literals(["email_verified", "phone_number_verified"]))),
    "Which of email_verified and phone_number_verified are believed: name one only if that provider verifies such addresses itself. Default: none.",
  ],
  acr_values: [
    absent(Schema.Record(Acr, Acr)),
    "Maps our authentication contexts to the provider's: asked of it by its own names, and reported by ours; others that it reports count as none. Default: its own, unchanged.",
  ],
  password_grant: [
    absent(Schema.Boolean),
    "Passes passwords of the password grant on to that provider, for clients that ask for it. Default: false.",
  ],
})

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
        text(1024),
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
      registration: [absent(Registration), "Dynamic registration of clients (RFC 7591, RFC 7592). Default: off."],
      ciba: [absent(Ciba), "Client-initiated backchannel authentication (OpenID Connect CIBA). Default: off."],
      metadata_documents: [
        absent(MetadataDocuments),
        "Clients known by a document at their own id, a URL (Client ID Metadata Documents). Default: off; on with the profile mcp.",
      ],
      session_management: [
        absent(Schema.Boolean),
        "Lets clients find out in the browser whether the session has changed, by a frame (OpenID Connect Session Management). Default: false.",
      ],
      upstream_logout: [
        absent(Schema.Boolean),
        "Takes logout tokens of identity_providers (OpenID Connect Back-Channel Logout), which sign people out here. The backchannel_logout_uri to register there is ISSUER/login/upstream-logout/NAME. Default: false.",
      ],
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
        absent(Schema.Array(text(100))),
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
        absent(text(255)),
        "The client_id by which a resource for conformance tests, at /conformance/resource, introspects tokens. Only with development. Default: no such resource.",
      ],
    }),
    ...featureFields(compose({ features }).providerSettings),
  }).annotate({ title: "Postern configuration", description: "The configuration file of Postern." })

/** The schema of a configuration file with the default features. */
export const ConfigFile = configFile()

/** The configuration as written in the file. */
export type ConfigFile = typeof ConfigFile.Type
