import * as Schema from "effect/Schema"
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
      backchannel_authentication_requests_per_client: absent(PerMinute),
      backchannel_authentication_requests_per_address: absent(PerMinute),
      document_fetches_per_address: absent(PerMinute),
    },
    {
      token_requests_per_client: perMinute("of one client", "token"),
      token_requests_per_address: perMinute("from one address", "token"),
      authorization_requests_per_address: perMinute("from one address", "authorization"),
      device_authorization_requests_per_client: perMinute("of one client", "device authorization"),
      device_authorization_requests_per_address: perMinute("from one address", "device authorization"),
      pushed_authorization_requests_per_client: perMinute("of one client", "pushed authorization", "token_requests_per_client"),
      pushed_authorization_requests_per_address: perMinute("from one address", "pushed authorization", "token_requests_per_address"),
      backchannel_authentication_requests_per_client: perMinute("of one client", "backchannel authentication"),
      backchannel_authentication_requests_per_address: perMinute("from one address", "backchannel authentication"),
      document_fetches_per_address:
        "Metadata documents of clients that are fetched for requests from one address in a minute; requests that need more are 503. Default: any number.",
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
