import type { TrustedIssuer } from "@postern/core/grants"
import * as Schema from "effect/Schema"
import { absent, line, section } from "./described.ts"
import { IdJag } from "./idJag.ts"
import { contextsMember, issuerMembers } from "./issuerMembers.ts"

/** A trusted issuer of JWTs. */
export const TrustedIssuerSection = section("TrustedIssuer", "An issuer whose JWTs may identify users of this provider.", {
  ...issuerMembers,
  acr_values: contextsMember,
})

type Declared = Omit<typeof TrustedIssuerSection.Type, "acr_values"> & {
  readonly acr_values?: Readonly<Record<string, string>> | undefined
}

/** Converts a declared issuer. */
export const trustedIssuer = (declared: Declared): TrustedIssuer => ({
  issuer: declared.issuer,
  jwks: declared.jwks,
  jwksUri: declared.jwks_uri,
  audiences: declared.audiences,
  algorithms: declared.algorithms,
  subjectClaim: declared.subject_claim,
  subjects: declared.subjects,
  maxLifetime: declared.max_lifetime,
  acrValues: declared.acr_values,
})

/** Extension grants. */
export const Grants = section("Grants", "Extension grants. A client's grant_policies define what it may do with each.", {
  token_exchange: [
    absent(Schema.Boolean),
    "Enables token exchange (RFC 8693) for clients whose grant_types include the grant. Default: false.",
  ],
  jwt_bearer: [
    absent(Schema.Boolean),
    "Enables JWT bearer assertions (RFC 7523 §2.1) of trusted_issuers for clients whose grant_types include the grant. Default: false.",
  ],
  id_jag: [absent(IdJag), "Issues and accepts identity assertion JWT authorization grants: cross-app access. Default: neither."],
  modules: [
    absent(Schema.Array(line(1024))),
    "Modules of yours whose default export is a feature or an extension grant, or a list of them: see docs/embedding.md and docs/grants.md.",
  ],
  trusted_issuers: [
    absent(Schema.Array(TrustedIssuerSection)),
    "Issuers whose JWTs are accepted as assertions, and as subject tokens where a client's policy allows it.",
  ],
})
