import { signingAlgorithms } from "@postern/core/model"
import { certificateForms } from "@postern/core/wire"
import * as Schema from "effect/Schema"
import { absent, between, type Described, described, line, section, text } from "./described.ts"

/** The listening address. */
export const Listen = section("Listen", "The listening address.", {
  host: [absent(line(255)), "The address to listen on; 0.0.0.0 means every IPv4 address. Default: 127.0.0.1."],
  port: [absent(between(0, 65_535)), "The port; 0 picks a free one. Default: 8080."],
})

/** The certificate and key files of a server that terminates TLS itself. */
export const Tls = section("Tls", "Serves https itself. Leave it out behind a proxy that ends TLS.", {
  key_file: [line(1024), "The private key, PEM."],
  cert_file: [line(1024), "The certificate and its chain, PEM."],
})

/** TLS client certificates: the listener that requests them, and the proxies trusted to forward them. */
export const MutualTls = section("MutualTls", "TLS certificates of clients (RFC 8705).", {
  listen: [absent(Listen), "A listener of its own that asks for certificates and requires none. It needs tls."],
  ca_file: [
    absent(line(1024)),
    "The authorities of clients' certificates, PEM, for tls_client_auth. Without it, self-signed certificates alone count.",
  ],
  proxies: [
    absent(
      Schema.Struct(
        described({
          form: [
            Schema.Literals(certificateForms),
            "The form of the proxy's header: client-cert (RFC 9440), nginx, envoy, haproxy or alb.",
          ],
          from: [
            Schema.Array(line(100)).check(Schema.isMinLength(1)),
            "Addresses or CIDR ranges of the proxies; nobody else's header is believed.",
          ],
          verifies: [
            absent(Schema.Boolean),
            "True if the proxy refuses certificates whose chain it cannot verify, for client-cert, envoy and alb (its verify mode). Default: false.",
          ],
        }),
      ),
    ),
    "Proxies that ask for certificates and pass them on in a header.",
  ],
  proxy_check: [absent(Schema.Boolean), "Tells at /health/proxy which proxy headers arrive, for `postern proxy-check`. Default: false."],
})

const Color = Schema.String.check(Schema.isPattern(/^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/u, { expected: "a color such as #2457d6" }))

const Colors = Schema.Struct(
  described({
    accent: [absent(Color), "Buttons and links; darkened until it is readable."],
    accent_dark: [absent(Color), "The same in dark mode. Default: derived from accent."],
    background: [absent(Color), "Behind the panel."],
    background_dark: [absent(Color), "The same in dark mode."],
  }),
)

const looks = {
  name: [absent(text(100)), "The provider's name on the pages. The issuer's host when not given."],
  logo: [absent(line(1024)), "An image shown above the forms: a file, or an https address."],
  colors: [absent(Colors), "Colors of the pages."],
} satisfies Described

const TenantLooks = section("TenantLooks", "The look of a tenant's pages.", looks)

/** The pages shown to users. */
export const Pages = section("Pages", "The pages.", {
  templates: [absent(line(1024)), "A folder whose templates, styles, images and locales replace the built-in ones of the same name."],
  ...looks,
  tenants: [
    absent(Schema.Record(Schema.String, TenantLooks)),
    "Per-tenant looks, keyed by the NAME of acr_values=tenant:NAME. A member left out falls back to the provider's.",
  ],
  default_locale: [absent(line(35)), "The language for browsers that ask for none of ours. Default: en."],
})

/** Signing keys. */
export const Signing = section("Signing", "Signing keys. They are created at the first start and rotate while the server runs.", {
  algorithms: [
    absent(Schema.Array(Schema.Literals(signingAlgorithms)).check(Schema.isMinLength(1))),
    "Signing algorithms; the provider creates a key for each. Default: RS256, ES256, PS256 and EdDSA.",
  ],
  encryption_algorithms: [
    absent(Schema.Array(Schema.Literals(["RSA-OAEP-256", "ECDH-ES"]))),
    "Key encryption algorithms for request objects; the provider creates a key for each. Default: none.",
  ],
  rotation_days: [absent(between(1, 3650)), "Days that a key signs before its successor takes over. Default: 90."],
  overlap_days: [absent(between(1, 365)), "Days that a key is published before it signs, and after. Default: 14."],
})

const PerMinute = between(1, 1_000_000)

const perMinute = (whose: string, endpoint: string, otherwise = "any number") =>
  [absent(PerMinute), `Requests ${whose} that the ${endpoint} endpoint answers in a minute; more are 429. Default: ${otherwise}.`] as const

/** Rate limits. */
export const RateLimits = section("Limits", "Rate limits. Failed attempts are limited in any case.", {
  token_requests_per_client: perMinute("of one client", "token"),
  token_requests_per_address: perMinute("from one address", "token"),
  authorization_requests_per_address: [
    absent(PerMinute),
    "Requests from one address that the authorization endpoint, /device and /approve answer in a minute; more are 429. Default: any number.",
  ],
  device_authorization_requests_per_client: perMinute("of one client", "device authorization"),
  device_authorization_requests_per_address: perMinute("from one address", "device authorization"),
  pushed_authorization_requests_per_client: perMinute("of one client", "pushed authorization", "token_requests_per_client"),
  pushed_authorization_requests_per_address: perMinute("from one address", "pushed authorization", "token_requests_per_address"),
  client_registrations_per_address: [
    absent(PerMinute),
    "New clients that one address may register in a minute, without an initial access token and with metadata that no other client has; more are 429. Default: any number.",
  ],
  backchannel_authentication_requests_per_client: perMinute("of one client", "backchannel authentication"),
  backchannel_authentication_requests_per_address: perMinute("from one address", "backchannel authentication"),
  document_fetches_per_address: [
    absent(PerMinute),
    "Metadata documents of clients that are fetched for requests from one address in a minute; requests that need more are 503. Default: 60, where documents are served.",
  ],
  upstream_logouts_per_address: [
    absent(PerMinute),
    "Logout tokens of other providers that are looked at for one address in a minute; more are 429. Default: any number.",
  ],
})

/** Destinations of audit events. */
export const Audit = section("Audit", "Sign-ins, tokens, consents, revocations and changes, without secrets.", {
  log: [absent(Schema.Boolean), "Writes events to the log. Default: true."],
  store: [absent(Schema.Boolean), "Keeps events in the database, for `postern audit`. Default: false."],
  days: [absent(between(1, 3650)), "Days that events are kept in the database. Default: 90."],
  max_events: [
    absent(between(1000, 1_000_000_000)),
    "How many of the latest events are kept in the database; each takes at most 4 KiB, usually 300 bytes. Default: 1000000.",
  ],
})

/** The log. */
export const Log = section("Log", "The log: one JSON object a line, on standard output.", {
  level: [absent(Schema.Literals(["debug", "info", "warn", "error", "off"])), "The lowest level that is logged. Default: info."],
})

/** An authentication context: a value of `acr`. */
export const Acr = Schema.String.check(
  Schema.isPattern(/^(?!idp:|tenant:)[\x21-\x7e]{1,200}$/u, {
    expected: "1 to 200 printable ASCII characters without space, not beginning with idp: or tenant:",
  }),
)

/** The `acr` of sign-ins that report none. */
export const AuthenticationContexts = section(
  "AuthenticationContexts",
  "The acr claim of sign-ins that state no authentication context themselves; discovery names them.",
  {
    password: [absent(Acr), "The acr of a sign-in by password. Default: urn:postern:password."],
    upstream: [absent(Acr), "The acr of a sign-in at another provider that states none. Default: urn:postern:upstream."],
  },
)
