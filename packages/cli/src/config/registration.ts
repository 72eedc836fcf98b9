import * as Schema from "effect/Schema"
import { absent, between, described, text } from "./described.ts"
import { PublicKeys, WebUrl } from "./parties.ts"

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

const DocumentHosts = Schema.Array(
  Schema.String.check(
    Schema.isPattern(/^(?:\*|(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?|\[[0-9a-f:.]+\](?::\d{1,5})?)$/u, {
      expected: "a host in lower case, *.HOST, or * for all",
    }),
    Schema.isMaxLength(255),
  ),
).check(Schema.isMinLength(1))

const DocumentPolicy = Schema.Struct(
  described(
    {
      hosts: DocumentHosts,
      allow: absent(Schema.Boolean),
      verified: absent(Schema.Boolean),
      redirect_hosts: absent(Hosts),
      scope: absent(Schema.Array(text(200))),
      grant_types: absent(Schema.Array(text(200))),
      metadata: absent(Schema.Record(Schema.String, Schema.Json)),
    },
    {
      hosts: "Hosts of documents: claude.ai, *.example.com, or * for all.",
      allow: "Serves the clients of these hosts. Default: true.",
      verified: "Vouches for the clients of these hosts: pages do not warn of them. Default: false.",
      redirect_hosts: "Hosts that redirect URIs may have, as in registration. Default: any.",
      scope: "Scopes that clients may have. Default: the identity scopes and offline_access; every scope with the profile mcp.",
      grant_types: "Grant types that clients may have; others are dropped. Default: authorization_code and refresh_token.",
      metadata: "Metadata that every client gets, whatever its document says, by the names that clients have here.",
    },
  ),
).annotate({
  identifier: "DocumentPolicy",
  description: "Limits of clients by the host of their document; the first policy that names a host counts.",
})

/** Client ID metadata documents. */
export const MetadataDocuments = Schema.Struct(
  described(
    {
      enabled: absent(Schema.Boolean),
      policies: absent(Schema.Array(DocumentPolicy)),
      loopback_localhost: absent(Schema.Boolean),
      most_documents: absent(between(1, 1_000_000)),
      stale_lifetime: absent(between(0, 604_800)),
    },
    {
      enabled: "Serves clients that are known by a document at their id. Default: true.",
      policies: "Limits by host, in order. Clients of hosts that none names are served with the default limits. Default: none.",
      loopback_localhost: "Lets redirect URIs on http://localhost vary in port. Default: as the profile says.",
      most_documents: "Number of documents that are kept. Default: 1000.",
      stale_lifetime: "Seconds for which a document still counts while its host cannot be reached. Default: 86400.",
    },
  ),
).annotate({
  identifier: "MetadataDocuments",
  description: "Clients known by a document at their own id, a URL. Off without this section, unless the profile is mcp.",
})

const StatementIssuer = Schema.Struct(
  described(
    {
      issuer: text(1024),
      jwks: absent(PublicKeys),
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
