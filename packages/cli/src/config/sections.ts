import * as Schema from "effect/Schema"
import { peerAlgorithms } from "@postern/core/model"
import { absent, between, described, text } from "./described.ts"

/** The address on which the server listens. */
export const Listen = Schema.Struct(
  described(
    { host: absent(text(255)), port: absent(between(0, 65_535)) },
    {
      host: "The address to listen on; 0.0.0.0 means every IPv4 address. Default: 127.0.0.1.",
      port: "The port; 0 picks a free one. Default: 8080.",
    },
  ),
).annotate({ identifier: "Listen", description: "The listening address." })

/** The files of a server that ends TLS itself. */
export const Tls = Schema.Struct(
  described(
    { key_file: text(1024), cert_file: text(1024) },
    { key_file: "The private key, PEM.", cert_file: "The certificate and its chain, PEM." },
  ),
).annotate({ identifier: "Tls", description: "Serves https itself. Leave it out behind a proxy that ends TLS." })

/** Certificates of clients: who asks for them, and who is believed. */
export const MutualTls = Schema.Struct(
  described(
    {
      listen: absent(Listen),
      ca_file: absent(text(1024)),
      proxies: absent(
        Schema.Struct(
          described(
            {
              form: Schema.Literals(["client-cert", "nginx", "envoy", "haproxy", "alb"]),
              from: Schema.Array(text(100)).check(Schema.isMinLength(1)),
              verifies: absent(Schema.Boolean),
            },
            {
              form: "The form of the proxy's header: client-cert (RFC 9440), nginx, envoy, haproxy or alb.",
              from: "Addresses or CIDR ranges of the proxies; nobody else's header is believed.",
              verifies: "True if the proxy refuses certificates whose chain it cannot verify, for client-cert and envoy. Default: false.",
            },
          ),
        ),
      ),
      proxy_check: absent(Schema.Boolean),
    },
    {
      listen: "A listener of its own that asks for certificates and requires none. It needs tls.",
      ca_file: "The authorities of clients' certificates, PEM, for tls_client_auth. Without it, self-signed certificates alone count.",
      proxies: "Proxies that ask for certificates and pass them on in a header.",
      proxy_check: "Tells at /health/proxy which proxy headers arrive, for `postern proxy-check`. Default: false.",
    },
  ),
).annotate({ identifier: "MutualTls", description: "TLS certificates of clients (RFC 8705)." })

const Color = Schema.String.check(Schema.isPattern(/^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/u, { expected: "a color such as #2457d6" }))

const Colors = Schema.Struct(
  described(
    { accent: absent(Color), accent_dark: absent(Color), background: absent(Color), background_dark: absent(Color) },
    {
      accent: "Buttons and links; darkened until it is readable.",
      accent_dark: "The same in dark mode. Default: derived from accent.",
      background: "Behind the panel.",
      background_dark: "The same in dark mode.",
    },
  ),
)

const looks = { name: absent(text(100)), logo: absent(text(1024)), colors: absent(Colors) }

const lookTexts = {
  name: "The provider's name on the pages. The issuer's host when not given.",
  logo: "An image shown above the forms: a file, or an https address.",
  colors: "Colors of the pages.",
}

const TenantLooks = Schema.Struct(described(looks, lookTexts)).annotate({
  identifier: "TenantLooks",
  description: "The look of a tenant's pages.",
})

/** The pages that people see. */
export const Pages = Schema.Struct(
  described(
    {
      templates: absent(text(1024)),
      ...looks,
      tenants: absent(Schema.Record(Schema.String, TenantLooks)),
      default_locale: absent(text(35)),
    },
    {
      templates: "A folder whose templates, styles, images and locales replace the built-in ones of the same name.",
      ...lookTexts,
      tenants: "Per-tenant looks, keyed by the NAME of acr_values=tenant:NAME. A member left out falls back to the provider's.",
      default_locale: "The language for browsers that ask for none of ours. Default: en.",
    },
  ),
).annotate({ identifier: "Pages", description: "The pages." })

/** Keys that sign tokens. */
export const Signing = Schema.Struct(
  described(
    {
      algorithms: absent(Schema.Array(Schema.Literals(["RS256", "ES256", "PS256", "EdDSA"])).check(Schema.isMinLength(1))),
      encryption_algorithms: absent(Schema.Array(Schema.Literals(["RSA-OAEP-256", "ECDH-ES"]))),
      rotation_days: absent(between(1, 3650)),
      overlap_days: absent(between(1, 365)),
    },
    {
      algorithms: "Signing algorithms; the provider creates a key for each. Default: RS256, ES256, PS256 and EdDSA.",
      encryption_algorithms: "Key encryption algorithms for request objects; the provider creates a key for each. Default: none.",
      rotation_days: "Days that a key signs before its successor takes over. Default: 90.",
      overlap_days: "Days that a key is published before it signs, and after. Default: 14.",
    },
  ),
).annotate({ identifier: "Signing", description: "Signing keys. They are created at the first start and rotate while the server runs." })

const WebUrl = Schema.String.check(Schema.isPattern(/^https?:\/\/\S+$/u, { expected: "an http or https URL" }))

const TrustedIssuer = Schema.Struct(
  described(
    {
      issuer: text(1024),
      jwks: absent(
        Schema.Struct({
          keys: Schema.Array(Schema.Record(Schema.String, Schema.Json))
            .check(Schema.isMaxLength(50))
            .annotate({ description: "Public keys, each a JWK (RFC 7517 §4)." }),
        }),
      ),
      jwks_uri: absent(WebUrl),
      audiences: absent(Schema.Array(text(1024))),
      algorithms: absent(Schema.Array(Schema.Literals(peerAlgorithms)).check(Schema.isMinLength(1))),
      subject_claim: absent(text(200)),
      subjects: absent(Schema.Record(Schema.String, text(255))),
      max_lifetime: absent(between(1, 86_400)),
    },
    {
      issuer: "The iss of its JWTs, byte for byte.",
      jwks: "The client's public keys, as a JWK set. Set this or jwks_uri.",
      jwks_uri: "The https URL of its public keys.",
      audiences: "Audiences accepted beside this provider's issuer and its token endpoint.",
      algorithms: "The algorithms its JWTs may be signed with. Default: any asymmetric one.",
      subject_claim: "The claim that identifies the user. Default: sub.",
      subjects: "Maps values of that claim to our subjects; other values are refused. Default: the value is a subject of ours.",
      max_lifetime: "Maximum lifetime of an assertion from now, in seconds. Default: 3600.",
    },
  ),
).annotate({ identifier: "TrustedIssuer", description: "An issuer whose JWTs may identify users of this provider." })

/** Extension grants. */
export const Grants = Schema.Struct(
  described(
    {
      token_exchange: absent(Schema.Boolean),
      jwt_bearer: absent(Schema.Boolean),
      modules: absent(Schema.Array(text(1024))),
      trusted_issuers: absent(Schema.Array(TrustedIssuer)),
    },
    {
      token_exchange: "Enables token exchange (RFC 8693) for clients whose grant_types include the grant. Default: false.",
      jwt_bearer:
        "Enables JWT bearer assertions (RFC 7523 §2.1) of trusted_issuers for clients whose grant_types include the grant. Default: false.",
      modules:
        "Files of your own whose default export is a feature or an extension grant, or a list of them: see docs/embedding.md and docs/grants.md.",
      trusted_issuers: "Issuers whose JWTs are accepted as assertions, and as subject tokens where a client's policy allows it.",
    },
  ),
).annotate({ identifier: "Grants", description: "Extension grants. A client's grant_policies say what it may do with each." })

const Hosts = Schema.Array(
  Schema.String.check(
    Schema.isPattern(/^(?:\*\.)?(?:[a-z0-9-]+\.)*[a-z0-9-]+$|^\[[0-9a-f:.]+\]$|^[a-z][a-z0-9+.-]*:$/u, {
      expected: "a host in lower case, *.HOST, or a private scheme with its colon",
    }),
    Schema.isMaxLength(255),
  ),
)

const RegistrationPolicy = Schema.Struct(
  described(
    {
      redirect_hosts: absent(Hosts),
      scope: absent(Schema.Array(text(200))),
      grant_types: absent(Schema.Array(text(200))),
      metadata: absent(Schema.Record(Schema.String, Schema.Json)),
    },
    {
      redirect_hosts:
        "Hosts that redirect URIs may have: app.example.com, *.example.com, or com.example.app: for a private scheme. Default: any.",
      scope: "Scopes that clients may have. Default: the identity scopes and offline_access.",
      grant_types: "Grant types that clients may have; others are dropped. Default: authorization_code, refresh_token and implicit.",
      metadata: "Metadata that every client gets, whatever it asks for, by the names that clients have here.",
    },
  ),
).annotate({ identifier: "RegistrationPolicy", description: "Limits of registrations, and what is added to each." })

const StatementIssuer = Schema.Struct(
  described(
    {
      issuer: text(1024),
      jwks: absent(
        Schema.Struct({
          keys: Schema.Array(Schema.Record(Schema.String, Schema.Json))
            .check(Schema.isMaxLength(50))
            .annotate({ description: "Public keys, each a JWK (RFC 7517 §4)." }),
        }),
      ),
      jwks_uri: absent(WebUrl),
    },
    {
      issuer: "The iss of its software statements, byte for byte.",
      jwks: "Its public keys, as a JWK set. Set this or jwks_uri.",
      jwks_uri: "The https URL of its public keys.",
    },
  ),
).annotate({ identifier: "StatementIssuer", description: "An issuer of software statements (RFC 7591 §2.3)." })

/** Dynamic registration of clients. */
export const Registration = Schema.Struct(
  described(
    {
      open: absent(Schema.Boolean),
      policy: absent(RegistrationPolicy),
      software_statements: absent(Schema.Array(StatementIssuer)),
      require_software_statement: absent(Schema.Boolean),
      unused_lifetime: absent(between(60, 31_536_000)),
      most_unused: absent(between(1, 1_000_000)),
    },
    {
      open: "Lets anybody register a client; without it, an initial access token is needed. Default: false.",
      policy: "Limits of open registration, and of initial access tokens that have none of their own.",
      software_statements: "Issuers whose software statements are taken. Default: none.",
      require_software_statement: "Requires a software statement of each client. Default: false.",
      unused_lifetime: "Seconds that a client of open registration is kept without ever getting a grant. Default: 3600.",
      most_unused: "Number of such clients that are kept; beyond it those that were not asked for longest make way. Default: 10000.",
    },
  ),
).annotate({ identifier: "Registration", description: "Dynamic registration of clients (RFC 7591, RFC 7592). Off without this section." })

const PerMinute = between(1, 1_000_000)

const perMinute = (whose: string, endpoint: string, otherwise = "any number"): string =>
  `Requests ${whose} that the ${endpoint} endpoint answers in a minute; more are 429. Default: ${otherwise}.`

/** Rate limits of requests. */
export const RateLimits = Schema.Struct(
  described(
    {
      token_requests_per_client: absent(PerMinute),
      token_requests_per_address: absent(PerMinute),
      authorization_requests_per_address: absent(PerMinute),
      device_authorization_requests_per_client: absent(PerMinute),
      device_authorization_requests_per_address: absent(PerMinute),
      pushed_authorization_requests_per_client: absent(PerMinute),
      pushed_authorization_requests_per_address: absent(PerMinute),
      client_registrations_per_address: absent(PerMinute),
    },
    {
      token_requests_per_client: perMinute("of one client", "token"),
      token_requests_per_address: perMinute("from one address", "token"),
      authorization_requests_per_address: perMinute("from one address", "authorization"),
      device_authorization_requests_per_client: perMinute("of one client", "device authorization"),
      device_authorization_requests_per_address: perMinute("from one address", "device authorization"),
      pushed_authorization_requests_per_client: perMinute("of one client", "pushed authorization", "token_requests_per_client"),
      pushed_authorization_requests_per_address: perMinute("from one address", "pushed authorization", "token_requests_per_address"),
      client_registrations_per_address:
        "New clients that one address may register in a minute, without an initial access token and with metadata that no other client has; more are 429. Default: any number.",
    },
  ),
).annotate({ identifier: "Limits", description: "Rate limits. Failed attempts are limited in any case." })

/** Destinations of audit events. */
export const Audit = Schema.Struct(
  described(
    {
      log: absent(Schema.Boolean),
      store: absent(Schema.Boolean),
      days: absent(between(1, 3650)),
      max_events: absent(between(1000, 1_000_000_000)),
    },
    {
      log: "Writes events to the log. Default: true.",
      store: "Keeps events in the database, for `postern audit`. Default: false.",
      days: "Days that events are kept in the database. Default: 90.",
      max_events: "How many of the latest events are kept in the database; each takes at most 4 KiB, usually 300 bytes. Default: 1000000.",
    },
  ),
).annotate({ identifier: "Audit", description: "Sign-ins, tokens, consents, revocations and changes, without secrets." })

/** The log. */
export const Log = Schema.Struct(
  described(
    { level: absent(Schema.Literals(["debug", "info", "warn", "error", "off"])) },
    { level: "The lowest level that is logged. Default: info." },
  ),
).annotate({ identifier: "Log", description: "The log: one JSON object a line, on standard output." })

const Acr = Schema.String.check(
  Schema.isPattern(/^(?!idp:|tenant:)[\x21-\x7e]{1,200}$/u, {
    expected: "1 to 200 printable ASCII characters without space, not beginning with idp: or tenant:",
  }),
)

/** The `acr` of sign-ins that state none. */
export const AuthenticationContexts = Schema.Struct(
  described(
    { password: absent(Acr), upstream: absent(Acr) },
    {
      password: "The acr of a sign-in by password. Default: urn:postern:password.",
      upstream: "The acr of a sign-in at another provider that states none. Default: urn:postern:upstream.",
    },
  ),
).annotate({
  identifier: "AuthenticationContexts",
  description: "The acr claim of sign-ins that state no authentication context themselves; discovery names them.",
})
