import * as Schema from "effect/Schema"
import { Ciba } from "./ciba.ts"
import { absent, type Described } from "./described.ts"
import { MetadataDocuments, Registration } from "./registration.ts"

/** The sections of the configuration that each enable an optional feature, except the grants. */
export const optionalSections = {
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
} satisfies Described

/** The name of a section that enables an optional feature. */
export type OptionalSection = keyof typeof optionalSections
