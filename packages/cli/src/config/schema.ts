import * as Schema from "effect/Schema"
import { type AnyFeature, clientFieldsOf, compose, defaultFeatures, profiles } from "@postern/core"
import { type ClientMetadata, type Field, fieldsOf, type LifetimesMetadata, type Members, schemaOf, ScopeName } from "@postern/core/model"
import { mostWorkers } from "../workerCount.ts"
import { Ciba } from "./ciba.ts"
import { absent, between, described, text } from "./described.ts"
import { Secret } from "./secretSchema.ts"
import { Audit, AuthenticationContexts, Listen, Log, MutualTls, Pages, RateLimits, Signing, Tls } from "./sections.ts"
import { Grants } from "./grants.ts"
import { MetadataDocuments, Registration } from "./registration.ts"

/** Names of the fields that this program's own features have. */
const shipped = new Set([...clientFieldsOf({}), ...compose().providerSettings].map(({ name }) => name))

/** A field whose values are judged by itself, where they are a schema: a module's was made by another copy of the library. */
const judgedByItself = (field: Field): Field =>
  shipped.has(field.name) || field.values.form.kind !== "schema"
    ? field
    : { ...field, values: { ...field.values, form: { kind: "judged", fits: field.values.fits } } }

const wordsOf = (fields: ReadonlyArray<Field>) => Object.fromEntries(fields.map(({ name, description }) => [name, description]))

/** The fields of features in a schema; their names are known to the features alone, and so to no type. */
const featureFields = (fields: ReadonlyArray<Field>): {} => described(fieldsOf(fields.map(judgedByItself)), wordsOf(fields))

/** A client as the file states it. */
export type ConfigClient = Omit<ClientMetadata, "client_secret"> & { readonly client_secret?: Secret }

/** A client at a provider of the features given: RFC 7591's names, and Postern's own. */
export const configClient = (features: ReadonlyArray<AnyFeature> = defaultFeatures): Schema.Codec<ConfigClient> => {
  const { clientAuthentication } = compose({ features })
  // A file may say where a secret is, and chooses among the ways of client authentication that there are.
  const own: Readonly<Record<string, Schema.Top>> = {
    client_secret: absent(Secret),
    token_endpoint_auth_method: absent(Schema.Literals(clientAuthentication.map(({ method }) => method))),
  }
  const all = clientFieldsOf({ features })
  const fields = fieldsOf(all.map(judgedByItself))
  const named = Object.fromEntries(
    all.map(({ name, values }) => [name, own[name] ?? (name === "client_id" ? schemaOf(values) : fields[name])]),
  )
  // Fields are checked against the type of client metadata where they are made.
  return Schema.Struct(described(named as Record<string, Schema.Top>, wordsOf(all))).annotate({
    identifier: "Client",
    description: "A client that may ask for tokens, by the names of RFC 7591 §2 and some of Postern's own.",
  }) as unknown as Schema.Codec<ConfigClient>
}

const words = {
  title: absent(text(200)),
  description: absent(text(1000)),
  required: absent(Schema.Boolean),
}

const wordTexts = {
  title: "The name on the consent page.",
  description: "The description on the consent page.",
  required: "Keeps the user from unticking the scope on the consent page. Default: false.",
}

const ResourceScope = Schema.Struct(
  described({ name: ScopeName, ...words }, { name: "The scope as clients ask for it.", ...wordTexts }),
).annotate({ identifier: "ResourceScope", description: "A scope of a protected resource." })

const Resource = Schema.Struct(
  described(
    {
      identifier: Schema.String.check(
        Schema.isPattern(/^[\x21-\x7e]{1,200}$/u, { expected: "1 to 200 printable ASCII characters without space" }),
      ),
      title: absent(text(200)),
      scopes: Schema.Array(Schema.Union([ScopeName, ResourceScope]).annotate({ expected: 'a scope name, or { "name": … }' })),
      metadata: absent(Schema.Record(Schema.String, Schema.Json)),
      listed: absent(Schema.Boolean),
    },
    {
      identifier: "The audience of its access tokens, and what clients name as `resource` (RFC 8707): usually its URL.",
      title: "The name on the consent page.",
      scopes: "The scopes it understands: names, or objects with words for the consent page.",
      metadata:
        "Serves the metadata of the resource (RFC 9728), with further members such as `resource_documentation`; `{}` for none. Default: not served.",
      listed: "Names the resource in the `protected_resources` of discovery (RFC 9728 §4). Default: as `metadata` is given.",
    },
  ),
).annotate({ identifier: "Resource", description: "An API that accepts access tokens, with the scopes it owns." })

const IdentityScope = Schema.Struct(
  described(
    { name: ScopeName, claims: Schema.Array(text(200)), ...words },
    { name: "The scope as clients ask for it.", claims: "The claims about a person that it releases.", ...wordTexts },
  ),
).annotate({ identifier: "IdentityScope", description: "A name for a set of claims about a person (OpenID Connect Core §5.4)." })

const User = Schema.Struct(
  described(
    {
      username: text(200),
      subject: absent(
        Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,255}$/u, { expected: "1 to 255 printable ASCII characters without space" })),
      ),
      password: absent(Secret),
      password_hash: absent(Secret),
      claims: absent(Schema.Record(Schema.String, Schema.Json)),
      disabled: absent(Schema.Boolean),
      tenant: absent(
        Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,200}$/u, { expected: "1 to 200 printable ASCII characters without space" })),
      ),
    },
    {
      username: "The username.",
      subject: "The `sub` claim; never reuse one for another user. Default: generated at the first start.",
      password: "The password; kept hashed with argon2id. Give this or password_hash.",
      password_hash: "The password's argon2id hash in PHC form: $argon2id$v=19$…",
      claims: "The user's claims by name. Scopes decide which of them a client gets.",
      disabled: "Disables the user. Default: false.",
      tenant: "The only tenant to which the user may sign in. Default: any.",
    },
  ),
).annotate({ identifier: "User", description: "A person who may sign in." })

const IdentityProvider = Schema.Struct(
  described(
    {
      name: Schema.String.check(Schema.isPattern(/^[a-z0-9-]{1,50}$/u, { expected: "1 to 50 lower-case letters, digits and dashes" })),
      display_name: text(100),
      issuer: text(1024),
      client_id: text(255),
      client_secret: absent(Secret),
      client_key: absent(Secret),
      token_endpoint_auth_method: absent(Schema.Literals(["client_secret_basic", "client_secret_post", "private_key_jwt", "none"])),
      scopes: absent(Schema.Array(ScopeName)),
      claims: absent(Schema.Record(Schema.String, text(200))),
      trusted_claims: absent(Schema.Array(Schema.Literals(["email_verified", "phone_number_verified"]))),
      password_grant: absent(Schema.Boolean),
    },
    {
      name: "The NAME in acr_values=idp:NAME and in identity_providers of clients. Its redirect URI is ISSUER/login/callback/NAME.",
      display_name: "The name on the sign-in page.",
      issuer: "The provider's issuer, byte for byte.",
      client_id: "Our client_id there.",
      client_secret: "Our secret there.",
      client_key: "Our private key there, for private_key_jwt: a JWK with its alg, and its kid where it has one.",
      token_endpoint_auth_method:
        "Our authentication method at that provider. Default: client_secret_basic with a secret, private_key_jwt with a key, otherwise none.",
      scopes: "The scopes that we request. Default: openid, profile and email.",
      claims: "Maps our claim names to the provider's. Default: the standard claims unchanged.",
      trusted_claims:
        "Which of email_verified and phone_number_verified are believed: name one only if that provider verifies such addresses itself. Default: none.",
      password_grant: "Passes passwords of the password grant on to that provider, for clients that ask for it. Default: false.",
    },
  ),
).annotate({ identifier: "IdentityProvider", description: "Another OpenID Provider at which users may sign in." })

interface StatedLifetimes extends LifetimesMetadata {
  readonly session_lifetime?: number
  readonly interaction_lifetime?: number
}

/** Lifetimes in seconds: those of what features issue, and of what waits for people. */
const lifetimesOf = (features: ReadonlyArray<AnyFeature>): Schema.Codec<StatedLifetimes> =>
  // Fields are checked against the type of client metadata where they are made.
  Schema.Struct({
    ...featureFields(compose({ features }).lifetimes),
    ...described(
      { session_lifetime: absent(between(60, 31_536_000)), interaction_lifetime: absent(between(30, 86_400)) },
      {
        session_lifetime: "Life of a sign-in session since it was last used, in seconds. Default: 36000.",
        interaction_lifetime: "Lifetime of an authorization request that waits for sign-in or consent, in seconds. Default: 900.",
      },
    ),
  }).annotate({ identifier: "Lifetimes", description: "Lifetimes in seconds. Clients may have their own." })

/** The settings of features that a configuration states, by their names. */
export const featureSettings = (config: ConfigFile, features: ReadonlyArray<AnyFeature>): Members["members"] => {
  const { providerSettings } = compose({ features })
  const stated = Object.entries(config).filter(([name]) => providerSettings.some((each) => each.name === name))
  // The schema has decoded them, each by its own member's.
  return Object.fromEntries(stated) as Members["members"]
}

/** The configuration file of a provider of the features given. */
export const configFile = (features: ReadonlyArray<AnyFeature> = defaultFeatures) =>
  Schema.Struct({
    ...described(
      {
        $schema: absent(Schema.String),
        issuer: text(1024),
        listen: absent(Listen),
        workers: absent(between(0, mostWorkers)),
        tls: absent(Tls),
        mutual_tls: absent(MutualTls),
        data: absent(Secret),
        clients: absent(Schema.Array(configClient(features))),
        resources: absent(Schema.Array(Resource)),
        scopes: absent(Schema.Array(IdentityScope)),
        users: absent(Schema.Array(User)),
        identity_providers: absent(Schema.Array(IdentityProvider)),
        acr: absent(AuthenticationContexts),
        grants: absent(Grants),
        registration: absent(Registration),
        ciba: absent(Ciba),
        metadata_documents: absent(MetadataDocuments),
        session_management: absent(Schema.Boolean),
        profile: absent(Schema.Literals(profiles.map(({ name }) => name))),
        lifetimes: absent(lifetimesOf(features)),
        limits: absent(RateLimits),
        signing: absent(Signing),
        key_encryption_key: absent(Secret),
        pairwise_salt: absent(Secret),
        trusted_proxies: absent(Schema.Array(text(100))),
        pages: absent(Pages),
        trail: absent(Schema.Literals(["refused", "all", "off"])),
        audit: absent(Audit),
        log: absent(Log),
        metrics: absent(Schema.Boolean),
        development: absent(Schema.Boolean),
        conformance_resource: absent(text(255)),
      },
      {
        $schema: "The URL of this schema, for editors.",
        issuer: "The issuer identifier: the public base URL, byte for byte as clients compare it, for example https://id.example.com",
        listen: "The listening address.",
        workers: "The number of worker processes that answer: 0 is one for each core, at most 8. Default: 1, a single process.",
        tls: "Serves https itself. Leave it out behind a proxy that ends TLS.",
        mutual_tls: "TLS certificates of clients (RFC 8705). It goes with mutual_tls_url.",
        data: 'The folder of the database, sqlite:FILE, or postgres://USER:PASSWORD@HOST/DATABASE, best from { "env": … } or { "file": … }. Relative paths start from the folder of this file. Default: ./data.',
        clients: "Clients; applied at every start. Clients added on the command line stay.",
        resources: "APIs that accept access tokens, with the scopes they own.",
        scopes: "Identity scopes beside the standard openid, profile, email, address, phone and role.",
        users: "Users; applied at every start. Users added on the command line stay.",
        identity_providers: "Other OpenID Providers at which users may sign in, where a client allows it.",
        acr: "The acr claim of sign-ins that state none.",
        registration: "Dynamic registration of clients (RFC 7591, RFC 7592). Default: off.",
        ciba: "Client-initiated backchannel authentication (OpenID Connect CIBA). Default: off.",
        metadata_documents:
          "Clients known by a document at their own id, a URL (Client ID Metadata Documents). Default: off; on with the profile mcp.",
        session_management:
          "Lets clients find out in the browser whether the session has changed, by a frame (OpenID Connect Session Management). Default: false.",
        grants: "Extension grants: token exchange, JWT bearer assertions, cross-app access. Default: none.",
        profile: "The profile of clients that name none: default, or oauth2.1. Default: default.",
        lifetimes: "Lifetimes in seconds. Clients may have their own.",
        limits: "Rate limits.",
        signing: "Signing keys.",
        key_encryption_key:
          'Encrypts the signing keys, and secrets that clients sign with, in the database: 32 bytes in base64, best from { "env": … } or { "file": … }.',
        pairwise_salt:
          "The salt of pairwise subjects: at least 32 random characters. It must never change, or pairwise clients no longer recognize anyone.",
        trusted_proxies: "Addresses or CIDR ranges of proxies whose X-Forwarded-For is believed. Default: none.",
        pages: "The pages.",
        trail: "Requests that leave a trail for `postern explain`: refused, all or off. Default: refused.",
        audit: "Audit events.",
        log: "The log.",
        metrics: "Access to /metrics: true for everyone, false for no one. Default: callers on this machine.",
        development:
          "Accepts http on loopback addresses for the issuer, redirect URIs and the documents of clients. Never use it in production. Default: false.",
        conformance_resource:
          "The client_id by which a resource for conformance tests, at /conformance/resource, introspects tokens. Only with development. Default: no such resource.",
      },
    ),
    ...featureFields(compose({ features }).providerSettings),
  }).annotate({ title: "Postern configuration", description: "The configuration file of Postern." })

/** The configuration file of a provider of the default features. */
export const ConfigFile = configFile()

/** The configuration as the file states it. */
export type ConfigFile = typeof ConfigFile.Type
