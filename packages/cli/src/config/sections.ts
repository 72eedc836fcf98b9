import * as Schema from "effect/Schema"
import { LifetimesMetadata, peerAlgorithms } from "@postern/core/model"
import { absent, between, described, text } from "./described.ts"
import { lifetimeTexts } from "./texts.ts"

/** Where the server listens. */
export const Listen = Schema.Struct(
  described(
    { host: absent(text(255)), port: absent(between(0, 65_535)) },
    {
      host: "The address to listen on. 127.0.0.1 when not given; 0.0.0.0 is every IPv4 address.",
      port: "The port; 0 takes a free one. 8080 when not given.",
    },
  ),
).annotate({ identifier: "Listen", description: "Where the server listens." })

/** The files of a server that ends TLS itself. */
export const Tls = Schema.Struct(
  described(
    { key_file: text(1024), cert_file: text(1024) },
    { key_file: "The private key, PEM.", cert_file: "The certificate and its chain, PEM." },
  ),
).annotate({ identifier: "Tls", description: "Serves https itself. Leave it out behind a proxy that ends TLS." })

/** Lifetimes in seconds. */
export const Lifetimes = Schema.Struct(
  described(
    { ...LifetimesMetadata.fields, session_lifetime: absent(between(60, 31_536_000)), interaction_lifetime: absent(between(30, 86_400)) },
    {
      ...lifetimeTexts,
      session_lifetime: "Life of a sign-in session since it was last used, in seconds. 36000 when not given.",
      interaction_lifetime: "How long a request waits for a person to sign in, in seconds. 900 when not given.",
    },
  ),
).annotate({ identifier: "Lifetimes", description: "Lifetimes in seconds. Clients may have their own." })

const Colour = Schema.String.check(Schema.isPattern(/^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/u, { expected: "a colour such as #2457d6" }))

const Colours = Schema.Struct(
  described(
    { accent: absent(Colour), accent_dark: absent(Colour), background: absent(Colour), background_dark: absent(Colour) },
    {
      accent: "Buttons and links; made darker until it can be read.",
      accent_dark: "The same in dark mode; follows from accent when not given.",
      background: "Behind the panel.",
      background_dark: "The same in dark mode.",
    },
  ),
)

const looks = { name: absent(text(100)), logo: absent(text(1024)), colours: absent(Colours) }

const lookTexts = {
  name: "What the pages call this provider.",
  logo: "An image shown above the forms: a file, or an https address.",
  colours: "Colours of the pages.",
}

const TenantLooks = Schema.Struct(described(looks, lookTexts)).annotate({
  identifier: "TenantLooks",
  description: "How pages look for a tenant.",
})

/** What people see. */
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
      tenants:
        "Looks of tenants, by the name that acr_values=tenant:NAME asks for; others are not shown then. What one leaves out is as for everybody.",
      default_locale: "The language of pages for a browser that asks for none that is known. en when not given.",
    },
  ),
).annotate({ identifier: "Pages", description: "What people see." })

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
      algorithms: "The algorithms there are keys for. RS256, ES256, PS256 and EdDSA when not given.",
      encryption_algorithms:
        "The algorithms by which clients may encrypt request objects to the provider; there is a key for each. None when not given.",
      rotation_days: "How long a key signs before the next one takes over. 90 when not given.",
      overlap_days: "How long a key is published before it signs, and after. 14 when not given.",
    },
  ),
).annotate({ identifier: "Signing", description: "Keys that sign tokens. They are made at first start and rotate while the server runs." })

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
      jwks: "Its public keys, as a JWK set. Give this or jwks_uri.",
      jwks_uri: "Where it publishes its public keys, over https.",
      audiences: "What aud may name beside this provider's issuer and its token endpoint.",
      algorithms: "The algorithms its JWTs may be signed with. Any asymmetric one when not given.",
      subject_claim: "The claim that tells whom a JWT is about. sub when not given.",
      subjects:
        "Subjects of people here, by what that claim says; nobody else is known then. The claim is a subject of ours when not given.",
      max_lifetime: "How far ahead exp may be, in seconds. 3600 when not given.",
    },
  ),
).annotate({ identifier: "TrustedIssuer", description: "Somebody else whose JWTs are believed about people of this provider." })

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
      token_exchange: "Token exchange (RFC 8693), for clients that have it among their grant_types. false when not given.",
      jwt_bearer:
        "JWT bearer assertions (RFC 7523 §2.1) of trusted_issuers, for clients that have it among their grant_types. false when not given.",
      modules: "Files of your own whose default export is an extension grant, or a list of them: see docs/grants.md.",
      trusted_issuers: "Issuers whose JWTs are taken as assertions, and as subject tokens where a client's policy says so.",
    },
  ),
).annotate({ identifier: "Grants", description: "Grants beyond the usual ones. What a client may do with them is its grant_policies." })

const PerMinute = between(1, 1_000_000)

const perMinute = (whose: string, endpoint: string): string =>
  `Requests ${whose} that the ${endpoint} endpoint answers in a minute; more are 429. Any number when not given.`

/** How much anyone may ask. */
export const RateLimits = Schema.Struct(
  described(
    {
      token_requests_per_client: absent(PerMinute),
      token_requests_per_address: absent(PerMinute),
      authorization_requests_per_address: absent(PerMinute),
      device_authorization_requests_per_client: absent(PerMinute),
      device_authorization_requests_per_address: absent(PerMinute),
    },
    {
      token_requests_per_client: perMinute("of one client", "token"),
      token_requests_per_address: perMinute("from one address", "token"),
      authorization_requests_per_address: perMinute("from one address", "authorization"),
      device_authorization_requests_per_client: perMinute("of one client", "device authorization"),
      device_authorization_requests_per_address: perMinute("from one address", "device authorization"),
    },
  ),
).annotate({ identifier: "Limits", description: "How much anyone may ask of this server. Failed attempts are limited without them." })

/** What becomes of audit events. */
export const Audit = Schema.Struct(
  described(
    { log: absent(Schema.Boolean), store: absent(Schema.Boolean), days: absent(between(1, 3650)) },
    {
      log: "Whether they are written to the log. true when not given.",
      store: "Whether they are kept in the database, for `postern audit`. false when not given.",
      days: "How long they are kept there. 90 when not given.",
    },
  ),
).annotate({ identifier: "Audit", description: "Sign-ins, tokens, consents, revocations and changes, without secrets." })

/** The log. */
export const Log = Schema.Struct(
  described(
    { level: absent(Schema.Literals(["debug", "info", "warn", "error", "off"])) },
    { level: "The least severe entry that is written. info when not given." },
  ),
).annotate({ identifier: "Log", description: "The log: one JSON object a line, on standard output." })

const Acr = Schema.String.check(
  Schema.isPattern(/^(?!idp:|tenant:)[\x21-\x7e]{1,200}$/u, {
    expected: "1 to 200 printable ASCII characters without space, not beginning with idp: or tenant:",
  }),
)

/** What sign-ins reach that say nothing of it. */
export const AuthenticationContexts = Schema.Struct(
  described(
    { password: absent(Acr), upstream: absent(Acr) },
    {
      password: "The acr of a password that was checked here. urn:postern:password when not given.",
      upstream: "The acr of a sign-in at another provider that states none. urn:postern:upstream when not given.",
    },
  ),
).annotate({
  identifier: "AuthenticationContexts",
  description: "The acr claim of sign-ins that state no authentication context themselves; discovery names them.",
})
