import type { ClientMetadata } from "../../model/index.ts"
import { uriParts } from "../../rules/redirectUri.ts"
import { type Fault, type Registration, fault } from "../../rules/registrationFault.ts"
import { fetchable } from "../../rules/registrationPublished.ts"
import { pass, table } from "../../rules/rule.ts"

/** The distinct hosts of a client's redirect URIs. */
const hosts = ({ redirect_uris = [] }: ClientMetadata): ReadonlySet<string> =>
  new Set(redirect_uris.map((uri) => uriParts(uri)?.host.toLowerCase() ?? ""))

/** Rules for clients that use pairwise subjects. */
export const registration = table<Registration, Fault>("registration/subject-types")
  .rule("registration.pairwise-salt", "OpenID Connect Core §8.1", ({ client, provider: seen }) =>
    client.subject_type !== "pairwise" || seen.pairwise
      ? pass
      : fault(["subject_type"], "is pairwise, and the provider has no pairwise_salt", "set pairwise_salt, once and for all"),
  )
  .rule("registration.pairwise-sector", "OpenID Connect Core §8.1", ({ client }) =>
    client.subject_type !== "pairwise" || client.sector_identifier_uri !== undefined || hosts(client).size <= 1
      ? pass
      : fault(
          ["sector_identifier_uri"],
          "is missing: the redirect URIs have several hosts, which would be several sectors",
          "name the one sector with a sector_identifier_uri",
        ),
  )
  .include(fetchable("registration.sector-identifier-uri", "OpenID Connect Dynamic Client Registration §5", "sector_identifier_uri"))
