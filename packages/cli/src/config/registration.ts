import { documentHostPattern, redirectHostPattern } from "@postern/core"
import type { Pattern } from "@postern/core/model"
import * as Schema from "effect/Schema"
import { absent, between, line, section } from "./described.ts"
import { PublicKeys, WebUrl } from "./parties.ts"

const hosts = ({ matches, expected }: Pattern) =>
  Schema.Array(Schema.String.check(Schema.isPattern(matches, { expected }), Schema.isMaxLength(255)))

const Hosts = hosts(redirectHostPattern)

/** Returns the fields that limit the metadata of clients which the operator did not register. The arguments describe the defaults. */
const limits = ({ scopes, grants, whatever }: { readonly scopes: string; readonly grants: string; readonly whatever: string }) =>
  ({
    scope: [absent(Schema.Array(line(200))), `Scopes that clients may have. Default: ${scopes}.`],
    grant_types: [absent(Schema.Array(line(200))), `Grant types that clients may have; others are dropped. Default: ${grants}.`],
    metadata: [
      absent(Schema.Record(Schema.String, Schema.Json)),
      `Metadata that every client gets, whatever ${whatever}, under the names of this file's clients.`,
    ],
  }) as const

const RegistrationPolicy = section("RegistrationPolicy", "Limits of registrations, and metadata added to each.", {
  redirect_hosts: [
    absent(Hosts),
    "Hosts that redirect URIs may have: app.example.com, *.example.com, or com.example.app: for a private scheme. Default: any.",
  ],
  ...limits({
    scopes: "the identity scopes and offline_access",
    grants: "authorization_code, refresh_token and implicit",
    whatever: "it asks for",
  }),
})

const DocumentHosts = hosts(documentHostPattern).check(Schema.isMinLength(1))

const DocumentPolicy = section(
  "DocumentPolicy",
  "Limits of clients by the host of their document; the first policy that names the host applies.",
  {
    hosts: [DocumentHosts, "Hosts of documents: claude.ai, *.example.com, or * for all."],
    allow: [absent(Schema.Boolean), "Serves the clients of these hosts. Default: true."],
    verified: [absent(Schema.Boolean), "Vouches for the clients of these hosts: pages show no warning about them. Default: false."],
    development: [
      absent(Schema.Boolean),
      "Marks the clients of these hosts on pages as under development. Clients on this machine are marked in any case if the issuer is http on loopback. Default: false.",
    ],
    redirect_hosts: [absent(Hosts), "Hosts that redirect URIs may have, as in registration. Default: any."],
    ...limits({
      scopes: "the identity scopes and offline_access; every scope with the profile mcp",
      grants: "authorization_code and refresh_token",
      whatever: "its document says",
    }),
  },
)

/** Client ID metadata documents. */
export const MetadataDocuments = section(
  "MetadataDocuments",
  "Clients known by a document at their own id, a URL. Off without this section, unless the profile is mcp.",
  {
    enabled: [absent(Schema.Boolean), "Serves clients that are known by a document at their id. Default: true."],
    policies: [
      absent(Schema.Array(DocumentPolicy)),
      "Limits by host, in order. Clients of other hosts are served with the default limits. Default: none.",
    ],
    loopback_localhost: [absent(Schema.Boolean), "Lets redirect URIs on http://localhost vary in port. Default: as the profile says."],
    most_documents: [absent(between(1, 1_000_000)), "Maximum number of cached documents. Default: 1000."],
    stale_lifetime: [
      absent(between(0, 604_800)),
      "Seconds for which a cached document is used while its host is unreachable. Default: 86400.",
    ],
  },
)

const StatementIssuer = section("StatementIssuer", "An issuer of software statements (RFC 7591 §2.3).", {
  issuer: [line(1024), "The iss of its software statements, byte for byte."],
  jwks: [absent(PublicKeys), "Its public keys, as a JWK set. Set this or jwks_uri."],
  jwks_uri: [absent(WebUrl), "The https URL of its public keys."],
})

/** Dynamic registration of clients. */
export const Registration = section("Registration", "Dynamic registration of clients (RFC 7591, RFC 7592). Off without this section.", {
  open: [absent(Schema.Boolean), "Lets anyone register a client; otherwise, an initial access token is required. Default: false."],
  policy: [absent(RegistrationPolicy), "Limits of open registration, and of initial access tokens that have none of their own."],
  software_statements: [absent(Schema.Array(StatementIssuer)), "Issuers whose software statements are accepted. Default: none."],
  require_software_statement: [absent(Schema.Boolean), "Requires a software statement of each client. Default: false."],
  unused_lifetime: [
    absent(between(60, 31_536_000)),
    "Seconds for which a client of open registration is kept if it never gets a grant. Default: 3600.",
  ],
  most_unused: [
    absent(between(1, 1_000_000)),
    "Maximum number of such clients; beyond it, the least recently used are removed. Default: 10000.",
  ],
})
