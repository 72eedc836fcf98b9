import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { configRules } from "../../packages/cli/src/config/check.ts"
import { client, complaints, faultsOf, sound, world } from "./config.ts"
import { pem } from "./pem.ts"

const user = (more: object = {}): object => ({ username: "alice", password: "wonderland", ...more })
const provider = (more: object = {}): object => ({
  name: "corp",
  display_name: "Corporation",
  issuer: "https://corp.example.com",
  client_id: "postern",
  client_secret: "s3cret",
  ...more,
})
/** A client of FAPI 1 Advanced, whose only fault is that nobody asks it for a certificate. */
const advanced = {
  client_id: "bank",
  token_endpoint_auth_method: "private_key_jwt",
  jwks: {
    keys: [{ kty: "EC", crv: "P-256", x: "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4", y: "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM" }],
  },
  redirect_uris: ["https://bank.example/cb"],
  scope: "openid",
  id_token_signed_response_alg: "ES256",
  access_token_signed_response_alg: "ES256",
  authorization_signed_response_alg: "ES256",
}
const hash = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNo"

const exchange = "urn:ietf:params:oauth:grant-type:token-exchange"
const elsewhere = { issuer: "https://as.todo.example", scope: "todo.read", clients: { wiki: { client_id: "wiki-at-todo" } } }
const peer = (more: object = {}): object => ({ issuer: "https://peer.example.com", jwks_uri: "https://peer.example.com/jwks", ...more })

const office = fileURLToPath(new URL("./office.ts", import.meta.url))
const otherOffice = fileURLToPath(new URL("./otherOffice.ts", import.meta.url))
const turnstile = fileURLToPath(new URL("./turnstile.ts", import.meta.url))
const grantless = fileURLToPath(new URL("./pem.ts", import.meta.url))

/** For each rule: a configuration it refuses, and what it says. */
const refusals: ReadonlyArray<readonly [rule: string, title: string, config: object, complaint: string]> = [
  ["config.issuer-url", "the issuer must be there", {}, "issuer: is missing"],
  [
    "config.authorization-details-types",
    "a type is for declared resources (RFC 9396 §2.2)",
    sound({
      authorization_details_types: { loan: { resources: ["https://bank.example"], words: { en: { title: "Loan", summary: "Borrow" } } } },
    }),
    "authorization_details_types.loan.resources[0]: https://bank.example is no declared resource",
  ],
  [
    "config.issuer-url",
    "the issuer is an https URL in full (RFC 8414 §2)",
    sound({ issuer: "id.example.com" }),
    "issuer: is not an https URL",
  ],
  [
    "config.issuer-url",
    "the issuer has no query (RFC 8414 §2)",
    sound({ issuer: "https://id.example.com?tenant=a" }),
    "issuer: has a query",
  ],
  [
    "config.issuer-url",
    "the issuer has no fragment (RFC 8414 §2)",
    sound({ issuer: "https://id.example.com#a" }),
    "issuer: has a fragment",
  ],
  [
    "config.issuer-url",
    "the issuer is written as clients compare it (RFC 8414 §3.3)",
    sound({ issuer: "https://id.example.comhttps://id.example.com" }),
    "issuer: is not in the form in which clients compare it (RFC 8414 §3.3)",
  ],
  ["config.issuer-url", "the issuer names no user", sound({ issuer: "https://me@id.example.com" }), "issuer: carries a user name"],
  [
    "config.issuer-slash",
    "the issuer does not end with a slash (OpenID Connect Discovery §4.1)",
    sound({ issuer: "https://id.example.com/" }),
    "issuer: ends with a slash",
  ],
  [
    "config.issuer-https",
    "an http issuer is refused outside loopback, in development too",
    sound({ issuer: "http://id.example.com", development: true }),
    "issuer: is http",
  ],
  [
    "config.issuer-https",
    "an http issuer on loopback needs development mode",
    sound({ issuer: "http://127.0.0.1:8080" }),
    "issuer: is http, and this is not development mode",
  ],
  [
    "config.tls-files",
    "the TLS key can be read",
    sound({ tls: { key_file: "nope.pem", cert_file: "cert.pem" } }),
    "tls.key_file: nope.pem cannot be read",
  ],
  [
    "config.tls-files",
    "the TLS certificate is PEM",
    sound({ tls: { key_file: "key.pem", cert_file: "key.pem" } }),
    "tls.cert_file: key.pem holds no certificate in PEM form",
  ],
  [
    "config.tls-files",
    "the TLS key is not encrypted",
    sound({ tls: { key_file: "sealed.pem", cert_file: "cert.pem" } }),
    "tls.key_file: is encrypted",
  ],
  [
    "config.tls-files",
    "the TLS certificate can be used",
    sound({ tls: { key_file: "key.pem", cert_file: "junk.pem" } }),
    "tls.cert_file: cannot be used: PEM routines::bad base64 decode",
  ],
  [
    "config.tls-files",
    "the TLS certificate is the key's",
    sound({ tls: { key_file: "other.pem", cert_file: "cert.pem" } }),
    "tls.cert_file: does not match the key: x509 certificate routines::key values mismatch",
  ],
  [
    "config.data",
    "the store is one of this version's",
    sound({ data: "mysql://db/postern" }),
    "data: mysql: is not a store of this version",
  ],
  [
    "config.data",
    "a PostgreSQL URL names a database",
    sound({ data: "postgres://postern:hunter2@db.example" }),
    "data: is not the URL of a database: it names no database",
  ],
  [
    "config.data",
    "a PostgreSQL URL is one, and its password is not repeated",
    sound({ data: "postgres://postern:hunter%2#2@db.example/postern" }),
    "data: is not the URL of a database: it has a #; in a password that is written as %23",
  ],
  [
    "config.secrets",
    "the store's URL can be read",
    sound({ data: { env: "NO_SUCH" } }),
    "data: the environment variable NO_SUCH is not set",
  ],
  [
    "config.secret-characters",
    "a secret that is sent or typed has no control character (RFC 6749 Appendix A.2)",
    sound({ clients: [client({ client_secret: "line one\nline two" })] }),
    "clients[0].client_secret: contains a control character",
  ],
  [
    "config.trusted-proxies",
    "a trusted proxy is an address or a range",
    sound({ trusted_proxies: ["::1", "10.0.0.0/33"] }),
    "trusted_proxies[1]: 10.0.0.0/33 is not an address or range",
  ],
  [
    "config.conformance-resource",
    "the resource for conformance tests is for development alone (FAPI 2.0 Security Profile §5.3.4)",
    sound({ conformance_resource: "api" }),
    "conformance_resource: is only for development mode",
  ],
  [
    "config.conformance-resource",
    "and introspects by a client that may (RFC 7662 §2.1)",
    sound({ development: true, conformance_resource: "api" }),
    "conformance_resource: api is not a client with a secret that may introspect tokens of https://id.example.com/conformance/resource",
  ],
  [
    "config.mutual-tls-listen",
    "a listener that asks for certificates speaks TLS (RFC 8705 §6.1)",
    sound({ mutual_tls_url: "https://mtls.example.com", mutual_tls: { listen: { port: 8443 } } }),
    "mutual_tls.listen: needs tls, which is not set",
  ],
  [
    "config.mutual-tls-source",
    "where clients are sent to, somebody asks for certificates (RFC 8705 §5)",
    sound({ mutual_tls_url: "https://mtls.example.com" }),
    "mutual_tls_url: is set, but nothing asks for certificates there",
  ],
  [
    "config.mutual-tls-source",
    "clients are told where somebody asks (RFC 8705 §5)",
    sound({ mutual_tls: { proxies: { form: "nginx", from: ["10.0.0.7"] } } }),
    "mutual_tls: asks for certificates, but clients cannot find out where",
  ],
  [
    "config.mutual-tls-path",
    "the host for certificates has the issuer's path (RFC 8705 §5)",
    sound({ mutual_tls_url: "https://mtls.example.com/tenant", mutual_tls: { proxies: { form: "nginx", from: ["10.0.0.7"] } } }),
    "mutual_tls_url: has another path than the issuer",
  ],
  [
    "config.mutual-tls-authority",
    "the authorities of clients are certificates (RFC 8705 §7.4)",
    sound({ mutual_tls: { ca_file: "/nowhere.pem" } }),
    "mutual_tls.ca_file: /nowhere.pem holds no certificate in PEM form, or cannot be read",
  ],
  [
    "config.mutual-tls-proxies",
    "proxies are addresses or ranges (RFC 9440 §2.4)",
    sound({ mutual_tls_url: "https://mtls.example.com", mutual_tls: { proxies: { form: "nginx", from: ["proxy.example"] } } }),
    "mutual_tls.proxies.from[0]: proxy.example is not an address or range",
  ],
  [
    "config.mutual-tls-clients",
    "a client with a certificate is asked for it (RFC 8705 §2)",
    sound({
      clients: [
        {
          client_id: "robot",
          token_endpoint_auth_method: "tls_client_auth",
          tls_client_auth_san_dns: "robot.example",
          grant_types: ["client_credentials"],
          response_types: [],
        },
      ],
    }),
    "clients[0].token_endpoint_auth_method: needs a certificate, but nothing asks clients for one",
  ],
  [
    "config.mutual-tls-clients",
    "so is one whose profile binds tokens to certificates alone (FAPI 1.0 Part 2 §5.2.2)",
    sound({ clients: [{ ...advanced, profile: "fapi1-advanced" }] }),
    "clients[0].profile: needs a certificate, but nothing asks clients for one",
  ],
  [
    "config.mutual-tls-clients",
    "so are all clients where the provider has that profile (FAPI 1.0 Part 2 §5.2.2)",
    sound({ profile: "fapi1-advanced", clients: [advanced] }),
    "profile: needs a certificate, but nothing asks clients for one",
  ],
  [
    "config.pages",
    "the templates are in a folder",
    sound({ pages: { templates: "/nowhere" } }),
    "pages.templates: /nowhere: there is no such folder",
  ],
  [
    "config.pages",
    "the logo can be read",
    sound({ pages: { logo: "/nowhere.svg" } }),
    "pages.logo: /nowhere.svg: ENOENT: no such file or directory, stat '/nowhere.svg'",
  ],
  [
    "config.pages",
    "the default language is one that the pages speak",
    sound({ pages: { default_locale: "tlh" } }),
    'pages.default_locale: there is no "tlh"; there are de, en, es, fr, ja, pt-PT, pt',
  ],
  [
    "config.pages",
    "text can be read on the background",
    sound({ pages: { colors: { background_dark: "#ffffff" } } }),
    'pages.colors.background_dark: text cannot be read on "#ffffff"; choose a darker one',
  ],
  [
    "config.scope-names",
    "an identity scope is declared once",
    sound({
      scopes: [
        { name: "a", claims: [] },
        { name: "a", claims: [] },
      ],
    }),
    "scopes[1].name: is also the name of an earlier entry",
  ],
  [
    "config.scope-names",
    "a resource names a scope once",
    sound({ resources: [{ identifier: "https://api", scopes: ["a", { name: "a" }] }] }),
    "resources[0].scopes[1]: is declared twice by this resource",
  ],
  [
    "config.scope-kinds",
    "a scope is not both about a person and about a resource",
    sound({ resources: [{ identifier: "https://api", scopes: ["email"] }] }),
    "resources[0].scopes[0]: email is an identity scope",
  ],
  [
    "config.scope-reserved",
    "offline_access is built in (OpenID Connect Core §11)",
    sound({ scopes: [{ name: "offline_access", claims: [] }] }),
    "scopes[0].name: is built in",
  ],
  [
    "config.scope-reserved",
    "openid always releases sub",
    sound({ scopes: [{ name: "openid", claims: ["name"] }] }),
    "scopes[0].claims: lacks sub, which openid always releases",
  ],
  [
    "config.resource-identifiers",
    "a resource is declared once",
    sound({
      resources: [
        { identifier: "https://api", scopes: [] },
        { identifier: "https://api", scopes: [] },
      ],
    }),
    "resources[1].identifier: is also the identifier of an earlier resource",
  ],
  [
    "config.resource-identifiers",
    "a resource identifier has no fragment (RFC 8707 §2)",
    sound({ resources: [{ identifier: "https://api#x", scopes: [] }] }),
    "resources[0].identifier: has a fragment",
  ],
  [
    "config.resource-metadata",
    "a resource with metadata is a URL (RFC 9728 §1.2)",
    sound({ resources: [{ identifier: "urn:example:api", scopes: [], metadata: {} }] }),
    "resources[0].identifier: is no https URL without fragment, so it has no metadata",
  ],
  [
    "config.resource-metadata",
    "two resources do not have their metadata at one place (RFC 9728 §3.1)",
    sound({
      resources: [
        { identifier: "https://one.example/mcp", scopes: [], metadata: {} },
        { identifier: "https://two.example/mcp", scopes: [], metadata: {} },
      ],
    }),
    "resources[1].metadata: has its metadata at /.well-known/oauth-protected-resource/mcp, as https://one.example/mcp has",
  ],
  [
    "config.resource-metadata",
    "metadata does not state what the declaration says (RFC 9728 §2)",
    sound({ resources: [{ identifier: "https://api.example", scopes: [], metadata: { scopes_supported: ["a"] } }] }),
    "resources[0].metadata.scopes_supported: is not for the declaration to state",
  ],
  [
    "config.client-ids",
    "a client_id names one client (RFC 6749 §2.2)",
    sound({ clients: [client(), client()] }),
    "clients[1].client_id: is also the client_id of an earlier client",
  ],
  [
    "config.clients",
    "every client passes the registration rules (RFC 7591 §2)",
    sound({ clients: [client({ redirect_uris: ["http://app.example.com/cb"] })] }),
    "clients[0].redirect_uris[0]: is http and not a loopback address of a native client",
  ],
  [
    "config.clients",
    "a client's scopes are declared (RFC 6749 §3.3)",
    sound({ clients: [client({ scope: "openid api.raed" })] }),
    "clients[0].scope: api.raed: no such scope",
  ],
  [
    "config.clients",
    "a public client has no secret, wherever that would be read from (RFC 6749 §2.1)",
    sound({ clients: [client({ token_endpoint_auth_method: "none", client_secret: { env: "SECRET" } })] }),
    "clients[0].client_secret: is given for a client that authenticates by none",
  ],
  [
    "config.clients",
    "there is a key for how a client's request objects are encrypted (OpenID Connect Dynamic Client Registration §2)",
    sound({ clients: [client({ request_object_encryption_alg: "ECDH-ES" })], signing: { encryption_algorithms: ["RSA-OAEP-256"] } }),
    "clients[0].request_object_encryption_alg: is ECDH-ES: the provider has no key for that",
  ],
  [
    "config.clients",
    "a client states its public keys alone (RFC 7591 §2)",
    sound({ clients: [client({ jwks: { keys: [{ kty: "OKP", crv: "Ed25519", x: "x", d: "d" }] } })] }),
    "clients[0].jwks.keys[0]: holds d, which is secret",
  ],
  [
    "config.clients",
    "there is a key for what a client's tokens are signed with",
    sound({ signing: { algorithms: ["ES256"] }, clients: [client({ access_token_format: "reference" })] }),
    "clients[0].id_token_signed_response_alg: is not given, which means RS256: the provider has no key for that",
  ],
  [
    "config.lifetimes",
    "a refresh token does not slide past its absolute end",
    sound({ lifetimes: { refresh_token_sliding_lifetime: 200, refresh_token_absolute_lifetime: 100 } }),
    "lifetimes.refresh_token_sliding_lifetime: is longer than refresh_token_absolute_lifetime",
  ],
  [
    "config.usernames",
    "a username is one person's, without regard to case",
    sound({ users: [user(), user({ username: "Alice" })] }),
    "users[1].username: is also the username of an earlier user",
  ],
  [
    "config.usernames",
    "usernames are compared as the store compares them",
    sound({ users: [user(), user({ username: " ａlice " })] }),
    "users[1].username: is also the username of an earlier user",
  ],
  [
    "config.usernames",
    "a username is one the store takes",
    sound({ users: [user({ username: " " })] }),
    "users[0].username: is blank, too long or contains a control character",
  ],
  [
    "config.subjects",
    "a subject is one person's (OpenID Connect Core §2)",
    sound({ users: [user({ subject: "1" }), user({ username: "bob", subject: "1" })] }),
    "users[1].subject: is also the subject of an earlier user",
  ],
  [
    "config.password",
    "a person has a password",
    sound({ users: [{ username: "alice" }] }),
    "users[0].password: is missing, and so is password_hash",
  ],
  [
    "config.password",
    "a person has one password",
    sound({ users: [user({ password_hash: hash })] }),
    "users[0].password_hash: is given in addition to a password",
  ],
  [
    "config.password",
    "a password hash is argon2id in PHC form",
    sound({ users: [{ username: "alice", password_hash: "$2b$12$abc" }] }),
    "users[0].password_hash: is not an argon2id hash in PHC form",
  ],
  [
    "config.password",
    "a password hash is judged wherever it is read from",
    sound({ users: [{ username: "alice", password_hash: { env: "HASH" } }] }),
    "users[0].password_hash: is not an argon2id hash in PHC form",
  ],
  [
    "config.password",
    "a password hash may be checked without harm",
    sound({ users: [{ username: "alice", password_hash: hash.replace("m=19456", "m=262145") }] }),
    "users[0].password_hash: costs too much to check",
  ],
  [
    "config.password",
    "a password is no longer than is ever hashed",
    sound({ users: [user({ password: { env: "LONG" } })] }),
    "users[0].password: is too long",
  ],
  [
    "config.reserved-claims",
    "a person's record states no claim of the provider's (OpenID Connect Core §2)",
    sound({ users: [user({ claims: { sub: "1" } })] }),
    "users[0].claims.sub: is a claim that only the provider sets",
  ],
  [
    "config.claim-types",
    "standard claims have their types (OpenID Connect Core §5.1)",
    sound({ users: [user({ claims: { email_verified: "yes" } })] }),
    "users[0].claims.email_verified: is not true or false",
  ],
  [
    "config.claim-types",
    "role is a text or a list of texts (specification §2.5)",
    sound({ users: [user({ claims: { role: { admin: true } } })] }),
    "users[0].claims.role: is not a text or a list of texts",
  ],
  [
    "config.pages",
    "a tenant's colors can be read",
    sound({ pages: { tenants: { acme: { colors: { background: "#777" } } } } }),
    'pages.tenants.acme.colors.background: text cannot be read on "#777"; choose a lighter one',
  ],
  [
    "config.provider-names",
    "each provider has a name of its own, and so a callback (RFC 9700 §4.4.2.2)",
    sound({ identity_providers: [provider(), provider()] }),
    "identity_providers[1].name: is also the name of an earlier entry",
  ],
  [
    "config.provider-issuers",
    "a provider is reached over https (RFC 9700 §2.6)",
    sound({ identity_providers: [provider({ issuer: "http://127.0.0.1:9000" })] }),
    "identity_providers[0].issuer: is not https",
  ],
  [
    "config.provider-issuers",
    "in development a provider is reached over http on loopback alone",
    sound({ development: true, identity_providers: [provider({ issuer: "http://corp.example.com" })] }),
    "identity_providers[0].issuer: is not https",
  ],
  [
    "config.provider-issuers",
    "an issuer has no query (RFC 8414 §2)",
    sound({ identity_providers: [provider({ issuer: "https://corp.example.com?a=b" })] }),
    "identity_providers[0].issuer: is no issuer",
  ],
  [
    "config.provider-issuer-ours",
    "a provider is another one",
    sound({ identity_providers: [provider({ issuer: "https://id.example.com" })] }),
    "identity_providers[0].issuer: is this provider's own",
  ],
  [
    "config.provider-authentication",
    "a secret is given for a method that needs one (OpenID Connect Core §9)",
    sound({
      identity_providers: [
        { name: "corp", display_name: "C", issuer: "https://c.example", client_id: "p", token_endpoint_auth_method: "client_secret_post" },
      ],
    }),
    "identity_providers[0].client_secret: is missing",
  ],
  [
    "config.provider-authentication",
    "a secret is not given for a method without one",
    sound({ identity_providers: [provider({ token_endpoint_auth_method: "none" })] }),
    "identity_providers[0].client_secret: has no effect with none",
  ],
  [
    "config.provider-authentication",
    "a client key is a private JWK with its algorithm",
    sound({
      identity_providers: [{ name: "corp", display_name: "C", issuer: "https://c.example", client_id: "p", client_key: '{"kty":"EC"}' }],
    }),
    "identity_providers[0].client_key: is not a private key that can sign",
  ],
  [
    "config.provider-scopes",
    "openid is asked for (OpenID Connect Core §3.1.2.1)",
    sound({ identity_providers: [provider({ scopes: ["profile"] })] }),
    "identity_providers[0].scopes: lacks openid",
  ],
  [
    "config.provider-claims",
    "no other provider states our own claims (OpenID Connect Core §2)",
    sound({ identity_providers: [provider({ claims: { sub: "email" } })] }),
    "identity_providers[0].claims.sub: is a claim that only this provider sets",
  ],
  [
    "config.provider-trusted-claims",
    "email_verified is mapped only from a provider that is trusted for it (OpenID Connect Core §5.7)",
    sound({ identity_providers: [provider({ claims: { email_verified: "email_verified" } })] }),
    "identity_providers[0].claims.email_verified: is not accepted from a provider that is not trusted for it",
  ],
  [
    "config.provider-trusted-claims",
    "a claim that a provider is trusted for is mapped",
    sound({ identity_providers: [provider({ claims: { email: "email" }, trusted_claims: ["email_verified"] })] }),
    "identity_providers[0].trusted_claims: names email_verified, but claims maps nothing to it",
  ],
  [
    "config.clients",
    "a client's providers are configured",
    sound({ identity_providers: [provider()], clients: [client({ identity_providers: ["corp", "school"] })] }),
    "clients[0].identity_providers[1]: school is no configured provider",
  ],
  [
    "config.clients",
    "a client without passwords has a provider",
    sound({ clients: [client({ allow_local_login: false })] }),
    "clients[0].allow_local_login: leaves its people no way to sign in",
  ],
  [
    "config.secrets",
    "a provider's secret can be read",
    sound({ identity_providers: [provider({ client_secret: { env: "NOPE" } })] }),
    "identity_providers[0].client_secret: the environment variable NOPE is not set",
  ],
  [
    "config.signing-overlap",
    "a key signs for longer than it is published before",
    sound({ signing: { rotation_days: 10 } }),
    "signing.rotation_days: keys are published 14 days before they sign, but sign for 10 days only",
  ],
  [
    "config.signing-retention",
    "no token outlives the key that verifies it (OpenID Connect Core §10.1.1)",
    sound({ lifetimes: { access_token_lifetime: 8 * 86_400 }, signing: { overlap_days: 7 } }),
    "lifetimes.access_token_lifetime: is longer than the 7 days a key stays published after it signed",
  ],
  [
    "config.secrets",
    "an environment variable with a secret is set",
    sound({ clients: [client({ client_secret: { env: "NOPE" } })] }),
    "clients[0].client_secret: the environment variable NOPE is not set",
  ],
  [
    "config.secrets",
    "a file with a secret can be read",
    sound({ users: [user({ password: { file: "nope" } })] }),
    "users[0].password: the file nope cannot be read",
  ],
  [
    "config.secrets",
    "a reference is not written as a text",
    sound({ clients: [client({ client_secret: "env:SECRET" })] }),
    "clients[0].client_secret: is meant as a reference but written as a text",
  ],
  [
    "config.trusted-issuers",
    "an issuer is trusted once",
    sound({ grants: { jwt_bearer: true, trusted_issuers: [peer(), peer()] } }),
    "grants.trusted_issuers[1].issuer: is also the issuer of an earlier entry",
  ],
  [
    "config.trusted-issuers",
    "the provider does not trust itself as another",
    sound({ grants: { jwt_bearer: true, trusted_issuers: [peer({ issuer: "https://id.example.com" })] } }),
    "grants.trusted_issuers[0].issuer: is this provider itself",
  ],
  [
    "config.trusted-issuer-keys",
    "a trusted issuer has keys (RFC 7523 §3)",
    sound({ grants: { token_exchange: true, trusted_issuers: [{ issuer: "https://peer.example.com" }] } }),
    "grants.trusted_issuers[0]: has no keys",
  ],
  [
    "config.trusted-issuer-keys",
    "and has them from one place",
    sound({ grants: { jwt_bearer: true, trusted_issuers: [peer({ jwks: { keys: [] } })] } }),
    "grants.trusted_issuers[0]: has its keys twice",
  ],
  [
    "config.trusted-issuer-keys",
    "whose keys are public",
    sound({
      grants: { jwt_bearer: true, trusted_issuers: [{ issuer: "https://peer.example.com", jwks: { keys: [{ kty: "EC", d: "x" }] } }] },
    }),
    "grants.trusted_issuers[0].jwks.keys[0]: is not a public key",
  ],
  [
    "config.trusted-issuer-keys",
    "and fetched over https (RFC 9700 §2.6)",
    sound({ grants: { jwt_bearer: true, trusted_issuers: [peer({ jwks_uri: "http://peer.example.com/jwks" })] } }),
    "grants.trusted_issuers[0].jwks_uri: is not an https URL",
  ],
  [
    "config.trusted-issuers",
    "nor as an identity provider of ID-JAGs (ID-JAG §9.3)",
    sound({ grants: { id_jag: { identity_providers: [peer({ issuer: "https://id.example.com" })] } } }),
    "grants.id_jag.identity_providers[0].issuer: is this provider itself",
  ],
  [
    "config.trusted-issuer-keys",
    "an identity provider of ID-JAGs has keys, too",
    sound({ grants: { id_jag: { identity_providers: [{ issuer: "https://peer.example.com" }] } } }),
    "grants.id_jag.identity_providers[0]: has no keys",
  ],
  [
    "config.feature-options",
    "each authorization server is named once (ID-JAG §4.3)",
    sound({ grants: { id_jag: { authorization_servers: [elsewhere, elsewhere] } } }),
    "grants.id_jag.authorization_servers[1].issuer: is also that of an earlier entry",
  ],
  [
    "config.feature-options",
    "an identity provider that is trusted with addresses names subjects (ID-JAG §3.1)",
    sound({ grants: { id_jag: { identity_providers: [peer({ email: true })] } } }),
    "grants.id_jag.identity_providers[0].email: is trusted without subjects: every sub would be a subject of ours",
  ],
  [
    "config.feature-options",
    "a trusted issuer has a key at least (RFC 7517 §5)",
    sound({
      grants: { jwt_bearer: true, token_exchange: true, trusted_issuers: [{ issuer: "https://peer.example.com", jwks: { keys: [] } }] },
    }),
    "grants.trusted_issuers[0].jwks.keys: is empty",
  ],
  [
    "config.feature-options",
    "whose address has no part that is never sent (RFC 9110 §7.1)",
    sound({ ciba: { login_hint_token_issuers: [peer({ jwks_uri: "https://peer.example.com/jwks#one" })] } }),
    "ciba.login_hint_token_issuers[0].jwks_uri: has a fragment",
  ],
  [
    "config.feature-options",
    "a client may get some scope of a server (ID-JAG §4.3.3)",
    sound({ grants: { id_jag: { authorization_servers: [{ ...elsewhere, clients: { app: { client_id: "a", scope: "noSuch" } } }] } } }),
    "grants.id_jag.authorization_servers[0].clients.app.scope: has none of the server's scopes",
  ],
  [
    "config.feature-options",
    "statements that all clients need have an issuer (RFC 7591 §2.3)",
    sound({ registration: { open: true, require_software_statement: true } }),
    "registration.require_software_statement: refuses every client without software_statements",
  ],
  [
    "config.trusted-issuers",
    "nor do ID-JAGs go to the provider that issues them (ID-JAG §4.3)",
    sound({ grants: { id_jag: { authorization_servers: [{ ...elsewhere, issuer: "https://id.example.com" }] } } }),
    "grants.id_jag.authorization_servers[0].issuer: is this provider itself",
  ],
  [
    "config.grant-modules",
    "a module of the operator's own exports an extension grant (RFC 6749 §4.5)",
    sound({ grants: { modules: [grantless] } }),
    "grants.modules[0]: its default export is not a feature, an extension grant or a list of them",
  ],
  [
    "config.grant-names",
    "each extension grant has a name of its own (RFC 6749 §4.5)",
    sound({ grants: { modules: [turnstile, turnstile] } }),
    "grants.modules: https://grants.example.com/word is the name of an existing grant",
  ],
  [
    "config.own-features",
    "two features do not share a name (architecture 10)",
    sound({ grants: { modules: [office, otherOffice] } }),
    "grants.modules: there is a feature named office already",
  ],
  [
    "config.trusted-issuers-used",
    "assertions need an issuer (RFC 7523 §3)",
    sound({ grants: { jwt_bearer: true } }),
    "grants.jwt_bearer: accepts no assertions",
  ],
  [
    "config.trusted-issuers-used",
    "an issuer is trusted for something",
    sound({ grants: { trusted_issuers: [peer()] } }),
    "grants.trusted_issuers: are trusted for nothing",
  ],
  [
    "config.registration-metadata",
    "a policy adds metadata that clients have (RFC 7591 §3.2.1)",
    sound({ registration: { open: true, policy: { metadata: { require_consents: true } } } }),
    "registration.policy.metadata.require_consents: is not client metadata of this provider: every registration would be refused",
  ],
  [
    "config.registration-metadata",
    "with a value that it may have",
    sound({ registration: { policy: { metadata: { require_consent: "yes" } } } }),
    "registration.policy.metadata.require_consent: is not an allowed value: every registration would be refused",
  ],
  [
    "config.registration-metadata",
    "and nothing that is each client's own",
    sound({ registration: { policy: { metadata: { client_secret: "s".repeat(43) } } } }),
    "registration.policy.metadata.client_secret: is each client's own",
  ],
  [
    "config.registration-metadata",
    "and a way of client authentication that there is",
    sound({ registration: { policy: { metadata: { token_endpoint_auth_method: "nosuch" } } } }),
    "registration.policy.metadata.token_endpoint_auth_method: is not an allowed value: every registration would be refused",
  ],
  [
    "config.registration-metadata",
    "and leaves clients a grant type (RFC 7591 §2)",
    sound({ registration: { policy: { grant_types: ["nosuch"] } } }),
    "registration.policy.grant_types: has no grant type of this provider: every registration would be refused",
  ],
  [
    "config.documents-metadata",
    "a policy of documents adds metadata that clients have, too",
    sound({ metadata_documents: { policies: [{ hosts: ["a.example"] }, { hosts: ["*"], metadata: { require_pkcee: true } }] } }),
    "metadata_documents.policies[1].metadata.require_pkcee: is not client metadata of this provider: every client of these hosts would be refused",
  ],
  [
    "config.documents-development",
    "nobody vouches for clients that are under development",
    sound({ metadata_documents: { policies: [{ hosts: ["a.example"], verified: true, development: true }] } }),
    "metadata_documents.policies[0].development: is set for hosts that are verified",
  ],
  [
    "config.documents-metadata",
    "with a value that it may have",
    sound({ metadata_documents: { policies: [{ hosts: ["*"], metadata: { require_consent: "yes" } }] } }),
    "metadata_documents.policies[0].metadata.require_consent: is not an allowed value: every client of these hosts would be refused",
  ],
  [
    "config.ciba-notification",
    "the service that tells people has a URL",
    sound({ ciba: { notification: { endpoint: "https://[" } } }),
    "ciba.notification.endpoint: is no URL",
  ],
  [
    "config.ciba-notification",
    "of https, unless it is on this machine (RFC 6750 §5.3)",
    sound({ development: true, ciba: { notification: { endpoint: "http://push.internal.example/ciba", token: "token" } } }),
    "ciba.notification.endpoint: is http to another machine: anyone on the network could read whom it tells and the token",
  ],
  [
    "config.ciba-notification",
    "without a user name, which no request would carry",
    sound({ ciba: { notification: { endpoint: "https://user:word@push.example/ciba" } } }),
    "ciba.notification.endpoint: carries a user name",
  ],
  [
    "config.ciba-user-code",
    "people's codes go nowhere in the clear (CIBA Core §7.1, RFC 9700 §2.6)",
    sound({ ciba: { user_code: { endpoint: "http://codes.internal.example/check" } } }),
    "ciba.user_code.endpoint: is http to another machine: anyone on the network could read the codes of people and the token",
  ],
  [
    "config.ciba-hint-issuers",
    "an issuer of login_hint_tokens is named once",
    sound({ ciba: { login_hint_token_issuers: [peer(), peer()] } }),
    "ciba.login_hint_token_issuers[1].issuer: is also the issuer of an earlier entry",
  ],
  [
    "config.ciba-hint-issuers-apart",
    "and its hints are not taken for assertions (RFC 8725 §3.12)",
    sound({ grants: { jwt_bearer: true, trusted_issuers: [peer()] }, ciba: { login_hint_token_issuers: [peer()] } }),
    "ciba.login_hint_token_issuers[0].issuer: is also among grants.trusted_issuers: its hints would be accepted as assertions",
  ],
  [
    "config.trusted-issuers",
    "and is not this provider",
    sound({ ciba: { login_hint_token_issuers: [{ ...peer(), issuer: "https://id.example.com" }] } }),
    "ciba.login_hint_token_issuers[0].issuer: is this provider itself",
  ],
  [
    "config.trusted-issuer-keys",
    "with keys to verify its tokens by",
    sound({ ciba: { login_hint_token_issuers: [{ issuer: "https://directory.example" }] } }),
    "ciba.login_hint_token_issuers[0]: has no keys",
  ],
  [
    "config.acr-order",
    "an authentication context has one place among the others (RFC 9470 §5)",
    sound({ acr: { password: "urn:example:low" }, acr_values_supported: ["urn:example:low", "urn:example:low"] }),
    "acr_values_supported[1]: is named twice",
  ],
  [
    "config.acr-reachable",
    "discovery names contexts that a sign-in can reach (OpenID Connect Discovery §3)",
    sound({ acr_values_supported: ["urn:example:high"] }),
    "acr_values_supported[0]: is reached by no sign-in",
  ],
  [
    "config.acr-reachable",
    "by a provider too that reports others",
    sound({
      acr_values_supported: ["urn:example:middle", "urn:example:high"],
      identity_providers: [provider({ acr_values: { "urn:example:middle": "2" } })],
    }),
    "acr_values_supported[1]: is reached by no sign-in",
  ],
  [
    "config.clients",
    "an extension grant is turned on before a client uses it (RFC 6749 §4.5)",
    sound({ clients: [client({ grant_types: ["authorization_code", exchange] })] }),
    `clients[0].grant_types[1]: ${exchange} is not a grant type of this provider`,
  ],
  [
    "config.clients",
    "a client's policy is one that its grant can read",
    sound({
      grants: { token_exchange: true },
      clients: [client({ grant_types: ["authorization_code", exchange], grant_policies: { [exchange]: { impersonation: "yes" } } })],
    }),
    `clients[0].grant_policies["${exchange}"].impersonation: is not true or false`,
  ],
  [
    "config.clients",
    "a client of client_secret_jwt needs a key to seal its secret with (OpenID Connect Core §9)",
    sound({ clients: [client({ token_endpoint_auth_method: "client_secret_jwt", client_secret: "s".repeat(32) })] }),
    "clients[0].token_endpoint_auth_method: is client_secret_jwt, whose secret cannot be kept as a hash, and there is no key to seal it with",
  ],
  [
    "config.clients",
    "a client of client_secret_jwt whose secret cannot be read has that fault alone",
    sound({
      key_encryption_key: "A".repeat(43),
      clients: [client({ token_endpoint_auth_method: "client_secret_jwt", client_secret: { env: "NOPE" } })],
    }),
    "clients[0].client_secret: the environment variable NOPE is not set",
  ],
  [
    "config.clients",
    "a client of private_key_jwt has keys",
    sound({ clients: [{ client_id: "c", token_endpoint_auth_method: "private_key_jwt", redirect_uris: ["https://app.example.com/cb"] }] }),
    "clients[0].token_endpoint_auth_method: is private_key_jwt, and no key of the client is known",
  ],
  [
    "config.key-encryption-key",
    "the key-encryption key is 32 bytes (RFC 7518 §5.3)",
    sound({ key_encryption_key: "short" }),
    "key_encryption_key: is not 32 bytes in base64",
  ],
  [
    "config.pairwise-salt",
    "the salt of pairwise subjects cannot be guessed (OpenID Connect Core §8.1)",
    sound({ pairwise_salt: "short" }),
    "pairwise_salt: is shorter than 32 characters",
  ],
]

const around = world({
  env: { SECRET: "x", HASH: "$2b$12$abc", LONG: "x".repeat(1025) },
  files: {
    "key.pem": pem.key,
    "cert.pem": pem.cert,
    "other.pem": pem.otherKey,
    "sealed.pem": pem.key.replaceAll("PRIVATE", "ENCRYPTED PRIVATE"),
    "junk.pem": "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n",
    secret: "s3cret\n",
  },
})

describe("rules of a configuration", () => {
  for (const [rule, title, config, complaint] of refusals) {
    it(`${rule}: ${title}`, async () => {
      expect(await complaints(config, around)).toEqual([complaint])
    })
  }

  it("every rule refuses something here", () => {
    expect(new Set(refusals.map(([rule]) => rule))).toEqual(new Set(configRules.map(({ id }) => id)))
  })

  it("no two rules share an id", () => {
    expect(new Set(configRules.map(({ id }) => id)).size).toBe(configRules.length)
  })

  it("every fault says how to mend it", async () => {
    const faults = (await Promise.all(refusals.map(([, , config]) => faultsOf(config, around)))).flat()
    expect(faults.filter(({ hint }) => hint.length < 5)).toEqual([])
  })

  it("a configuration with everything in it has no fault", async () => {
    const config = sound({
      listen: { host: "0.0.0.0", port: 8443 },
      tls: { key_file: "key.pem", cert_file: "cert.pem" },
      data: "sqlite:./data/postern.sqlite",
      clients: [
        client({
          client_secret: { file: "secret" },
          scope: "openid employment api.read offline_access",
          grant_types: ["authorization_code", "refresh_token", exchange],
          grant_policies: { [exchange]: { clients: ["app"], scope: "api.read" } },
          jwks_uri: "https://app.example.com/jwks",
          request_uris: ["https://app.example.com/request#hash"],
          request_object_signing_alg: "ES256",
          request_object_encryption_alg: "ECDH-ES",
        }),
        client({ client_id: "hmac", token_endpoint_auth_method: "client_secret_jwt", client_secret: "s".repeat(32) }),
        {
          client_id: "signs",
          token_endpoint_auth_method: "private_key_jwt",
          token_endpoint_auth_signing_alg: "ES256",
          client_assertion_audience: "issuer",
          jwks_uri: "https://app.example.com/jwks",
          redirect_uris: ["https://app.example.com/cb"],
        },
      ],
      grants: {
        token_exchange: true,
        jwt_bearer: true,
        trusted_issuers: [
          peer({ audiences: ["us"], algorithms: ["ES256"], subject_claim: "employee", subjects: { e7: "248289761001" }, max_lifetime: 60 }),
        ],
      },
      resources: [{ identifier: "https://api.example.com", scopes: ["api.read", { name: "api.write", title: "Write", required: true }] }],
      scopes: [{ name: "employment", claims: ["department"] }],
      users: [
        user({ subject: "248289761001", claims: { email: "alice@example.com", department: ["a", 1, null] } }),
        { username: "bob", password_hash: hash, tenant: "acme" },
      ],
      lifetimes: { access_token_lifetime: 600, session_lifetime: 600, interaction_lifetime: 300 },
      signing: { algorithms: ["RS256", "ES256"], encryption_algorithms: ["ECDH-ES"], rotation_days: 30, overlap_days: 7 },
      key_encryption_key: "q83vEjRWeJASNFZ4kBI0VniQEjRWeJASNFZ4kBI0Vng=",
      pairwise_salt: "a salt of thirty-two characters, at least",
      trusted_proxies: ["10.0.0.0/8", "::1"],
      pages: { name: "Example", logo: "https://example.com/logo.svg", colors: { accent: "#2457d6" }, default_locale: "de" },
      trail: "all",
      log: { level: "warn" },
    })
    expect(await complaints(config, around)).toEqual([])
  })

  it("development mode accepts http on loopback for the issuer, for redirect URIs and for what clients publish", async () => {
    const config = {
      issuer: "http://localhost:8080",
      development: true,
      clients: [client({ redirect_uris: ["http://127.0.0.1:3000/cb"], jwks_uri: "http://127.0.0.1:3000/jwks" })],
    }
    expect(await complaints(config)).toEqual([])
  })
})
