import { peerAlgorithms } from "@postern/core/model"
import * as Schema from "effect/Schema"
import { absent, between, line } from "./described.ts"
import { PublicKeys, WebUrl } from "./parties.ts"
import { Acr } from "./sections.ts"

/** Returns the fields for the name and the keys of an issuer. `jwts` describes the JWTs that it signs. */
export const issuerAndKeys = (jwts: string) =>
  ({
    issuer: [line(1024), `The iss of its ${jwts}, byte for byte.`],
    jwks: [absent(PublicKeys), "The issuer's public keys, as a JWK set. Set this or jwks_uri."],
    jwks_uri: [absent(WebUrl), "The https URL of the issuer's public keys."],
    algorithms: [
      absent(Schema.Array(Schema.Literals(peerAlgorithms)).check(Schema.isMinLength(1))),
      `The algorithms its ${jwts} may be signed with. Default: any asymmetric one.`,
    ],
  }) as const

/** The fields common to all trusted issuers. */
export const issuerMembers = {
  ...issuerAndKeys("JWTs"),
  audiences: [absent(Schema.Array(line(1024))), "Audiences accepted beside this provider's issuer and its token endpoint."],
  subject_claim: [absent(line(200)), "The claim that identifies the user. Default: sub."],
  subjects: [
    absent(Schema.Record(Schema.String, line(255))),
    "Maps values of that claim to our subjects; other values are refused. Default: the value is a subject of ours.",
  ],
  max_lifetime: [absent(between(1, 86_400)), "Maximum time from now to a JWT's exp, in seconds. Default: 3600."],
} as const

/** The mapping of an issuer's authentication contexts to ours. */
export const contextsMember = [
  absent(Schema.Record(Acr, Acr)),
  "Maps our authentication contexts to the issuer's: tokens report ours, and other contexts are dropped. Default: the issuer's, unchanged, except those that have the name of one of ours.",
] as const
