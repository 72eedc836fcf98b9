import * as Schema from "effect/Schema"
import { ClientMetadata, ScopeName } from "@postern/core/model"
import { absent, described, text } from "./described.ts"
import { Audit, AuthenticationContexts, Grants, Lifetimes, Listen, Log, Pages, RateLimits, Signing, Tls } from "./sections.ts"
import { clientTexts } from "./texts.ts"

/** A secret as it stands in the file: the text itself, or where to read it at start. */
export const Secret = Schema.Union([
  text(1024),
  Schema.Struct(described({ env: text(200) }, { env: "The environment variable that holds it." })),
  Schema.Struct(described({ file: text(1024) }, { file: "The file that holds it; one line break at its end is not part of it." })),
]).annotate({
  identifier: "Secret",
  description: 'A secret: the text itself, or { "env": "NAME" } or { "file": "PATH" } to read it from there at start.',
  expected: 'a text, or { "env": "NAME" }, or { "file": "PATH" }',
})

const { client_secret: _plain, ...clientFields } = ClientMetadata.fields

/** A client: RFC 7591's names, and Postern's own. */
export const ConfigClient = Schema.Struct(described({ ...clientFields, client_secret: absent(Secret) }, clientTexts)).annotate({
  identifier: "Client",
  description: "A client that may ask for tokens, by the names of RFC 7591 §2 and some of Postern's own.",
})

const words = {
  title: absent(text(200)),
  description: absent(text(1000)),
  required: absent(Schema.Boolean),
}

const wordTexts = {
  title: "What the consent page calls it.",
  description: "What the consent page says it allows.",
  required: "Whether it cannot be unticked on the consent page. false when not given.",
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
    },
    {
      identifier: "The audience of its access tokens, and what clients name as `resource` (RFC 8707): usually its URL.",
      title: "What the consent page calls it.",
      scopes: "The scopes it understands: names, or objects with words for the consent page.",
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
      username: "What the person types to sign in.",
      subject: "The `sub` claim; never reuse one for somebody else. Made up at first start when not given.",
      password: "The password; kept hashed with argon2id. Give this or password_hash.",
      password_hash: "The password's argon2id hash in PHC form: $argon2id$v=19$…",
      claims: "Everything known of the person, by claim name; scopes choose among it.",
      disabled: "Whether the person may sign in nowhere. false when not given.",
      tenant: "The only tenant the person signs in to, where a client names one with acr_values=tenant:NAME. Any when not given.",
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
      password_grant: absent(Schema.Boolean),
    },
    {
      name: "What acr_values=idp:NAME and identity_providers of clients call it; its answers come to ISSUER/login/callback/NAME.",
      display_name: "What the sign-in page calls it.",
      issuer: "Its issuer, byte for byte.",
      client_id: "Our client_id there.",
      client_secret: "Our secret there.",
      client_key: "Our private key there, for private_key_jwt: a JWK with its alg, and its kid where it has one.",
      token_endpoint_auth_method:
        "How we prove ourselves there. client_secret_basic when a secret is given, private_key_jwt when a key is, else none.",
      scopes: "What we ask for. openid, profile and email when not given.",
      claims: "Which of its claims each of ours is taken from, by our names. The standard claims as they are when not given.",
      password_grant: "Whether passwords are checked there by the password grant, for clients that ask for it. false when not given.",
    },
  ),
).annotate({ identifier: "IdentityProvider", description: "Another OpenID Provider that people may sign in at." })

/** The configuration file. */
export const ConfigFile = Schema.Struct(
  described(
    {
      $schema: absent(Schema.String),
      issuer: text(1024),
      listen: absent(Listen),
      tls: absent(Tls),
      data: absent(Secret),
      clients: absent(Schema.Array(ConfigClient)),
      resources: absent(Schema.Array(Resource)),
      scopes: absent(Schema.Array(IdentityScope)),
      users: absent(Schema.Array(User)),
      identity_providers: absent(Schema.Array(IdentityProvider)),
      acr: absent(AuthenticationContexts),
      grants: absent(Grants),
      lifetimes: absent(Lifetimes),
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
    },
    {
      $schema: "Where editors find this schema.",
      issuer: "The provider's identifier and public base URL, byte for byte as clients compare it: https://id.example.com",
      listen: "Where the server listens.",
      tls: "Serves https itself. Leave it out behind a proxy that ends TLS.",
      data: 'The folder of the database, sqlite:FILE, or postgres://USER:PASSWORD@HOST/DATABASE, best from { "env": … } or { "file": … }. ./data when not given. Paths in this file start from its own folder.',
      clients: "Clients; upserted at start. Clients added on the command line stay.",
      resources: "APIs that accept access tokens, with the scopes they own.",
      scopes: "Identity scopes beside the standard openid, profile, email, address, phone and role.",
      users: "People who may sign in; upserted at start. People added on the command line stay.",
      identity_providers: "Other OpenID Providers that people may sign in at, where a client allows it.",
      acr: "The acr claim of sign-ins that state no authentication context themselves.",
      grants: "Extension grants: token exchange and JWT bearer assertions. None when not given.",
      lifetimes: "Lifetimes in seconds. Clients may have their own.",
      limits: "How much anyone may ask of this server.",
      signing: "Keys that sign tokens.",
      key_encryption_key:
        'Encrypts the signing keys, and secrets that clients sign with, in the database: 32 bytes in base64, best from { "env": … } or { "file": … }.',
      pairwise_salt:
        "What pairwise subjects are made with: at least 32 characters of chance. It must never change, or those clients no longer know anybody.",
      trusted_proxies: "Addresses or CIDR ranges of proxies whose X-Forwarded-For is believed. None when not given.",
      pages: "What people see.",
      trail: "Which requests leave a trail for `postern explain`: refused ones, all, or none. refused when not given.",
      audit: "What becomes of audit events.",
      log: "The log.",
      metrics: "Who may read /metrics: true is whoever asks, false nobody. Callers on this machine when not given.",
      development:
        "Accepts http on loopback for the issuer, for redirect URIs and for what clients publish. Never in production. false when not given.",
    },
  ),
).annotate({ title: "Postern configuration", description: "The configuration file of Postern." })

/** The configuration as the file states it. */
export type ConfigFile = typeof ConfigFile.Type

/** A client as the file states it. */
export type ConfigClient = typeof ConfigClient.Type

/** A secret as the file states it. */
export type Secret = typeof Secret.Type
