import type { TrustedIssuer } from "@postern/core/grants"
import * as Schema from "effect/Schema"
import { peerAlgorithms } from "@postern/core/model"
import { absent, between, section, text } from "./described.ts"
import { IdJag } from "./idJag.ts"
import { PublicKeys, WebUrl } from "./parties.ts"

/** An issuer whose JWTs are believed. */
export const TrustedIssuerSection = section("TrustedIssuer", "An issuer whose JWTs may identify users of this provider.", {
  issuer: [text(1024), "The iss of its JWTs, byte for byte."],
  jwks: [absent(PublicKeys), "The client's public keys, as a JWK set. Set this or jwks_uri."],
  jwks_uri: [absent(WebUrl), "The https URL of its public keys."],
  audiences: [absent(Schema.Array(text(1024))), "Audiences accepted beside this provider's issuer and its token endpoint."],
  algorithms: [
    absent(Schema.Array(Schema.Literals(peerAlgorithms)).check(Schema.isMinLength(1))),
    "The algorithms its JWTs may be signed with. Default: any asymmetric one.",
  ],
  subject_claim: [absent(text(200)), "The claim that identifies the user. Default: sub."],
  subjects: [
    absent(Schema.Record(Schema.String, text(255))),
    "Maps values of that claim to our subjects; other values are refused. Default: the value is a subject of ours.",
  ],
  max_lifetime: [absent(between(1, 86_400)), "Maximum lifetime of an assertion from now, in seconds. Default: 3600."],
})

/** An issuer that a configuration declares. */
export const trustedIssuer = (declared: typeof TrustedIssuerSection.Type): TrustedIssuer => ({
  issuer: declared.issuer,
  jwks: declared.jwks,
  jwksUri: declared.jwks_uri,
  audiences: declared.audiences,
  algorithms: declared.algorithms,
  subjectClaim: declared.subject_claim,
  subjects: declared.subjects,
  maxLifetime: declared.max_lifetime,
})

/** Extension grants. */
export const Grants = section("Grants", "Extension grants. A client's grant_policies say what it may do with each.", {
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
    absent(Schema.Array(text(1024))),
    "Files of your own whose default export is a feature or an extension grant, or a list of them: see docs/embedding.md and docs/grants.md.",
  ],
  trusted_issuers: [
    absent(Schema.Array(TrustedIssuerSection)),
    "Issuers whose JWTs are accepted as assertions, and as subject tokens where a client's policy allows it.",
  ],
})
