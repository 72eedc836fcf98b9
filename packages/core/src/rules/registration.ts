import type { ClientMetadata } from "../model/index.ts"
import { canonicalResponseType, membersOf, responseTypesOf, scopeWords } from "../model/index.ts"
import { answerRules } from "./registrationAnswers.ts"
import { demandRules } from "./registrationDemands.ts"
import {
  type Fault,
  type Registration,
  type RegistrationSeen,
  type RegistrationTable,
  apart,
  eachOf,
  fault,
  grantTypes,
} from "./registrationFault.ts"
import { profileRules } from "./registrationProfile.ts"
import { publishedRules } from "./registrationPublished.ts"
import { collision, redirectFault, responseParameters } from "./registrationRedirects.ts"
import { objections, pass, table } from "./rule.ts"

/** Rules about grant types and response types (RFC 7591 §2). */
const grantRules = table<Registration, Fault>("registration/grants")
  .rule("registration.grant-types", "RFC 7591 §2", ({ client, provider: seen }) =>
    eachOf("grant_types", client.grant_types, (grant) =>
      seen.grantTypes.includes(grant)
        ? pass
        : [`${grant} is not a grant type of this provider`, `use one of: ${seen.grantTypes.join(", ")}`],
    ),
  )
  .rule("registration.response-types", "RFC 7591 §2", ({ client, provider: seen }) =>
    eachOf("response_types", client.response_types, (type) =>
      seen.responseTypes.includes(canonicalResponseType(type))
        ? pass
        : [`${type} is not a response type of this provider`, `use one of: ${seen.responseTypes.join(", ")}`],
    ),
  )
  .rule("registration.grant-and-response", "RFC 7591 §2.1", ({ client }) => {
    const granted = grantTypes(client).includes("authorization_code")
    const code = responseTypesOf(client).some((type) => canonicalResponseType(type).split(" ").includes("code"))
    if (granted && !code)
      return fault(["response_types"], "authorization_code needs a response type with code", "add code to response_types")
    if (code && !granted)
      return fault(["grant_types"], "a response type with code needs authorization_code", "add authorization_code to grant_types")
    return pass
  })

/** Rules about where browsers are sent to, and about scopes. */
const registrationRules = table<Registration, Fault>("registration")
  .rule("registration.redirect-uris-present", "RFC 7591 §2", ({ client }) =>
    responseTypesOf(client).length > 0 && (client.redirect_uris ?? []).length === 0
      ? fault(["redirect_uris"], "is missing or empty", "list every redirect URI of the client, in full")
      : pass,
  )
  .rule("registration.redirect-uris", "RFC 6749 §3.1.2, RFC 8252 §7, RFC 9700 §2.6", ({ client, provider: seen }) =>
    eachOf("redirect_uris", client.redirect_uris, (uri) => redirectFault(uri, client.application_type === "native", seen.development)),
  )
  .rule("registration.scope", "RFC 6749 §3.3", ({ client, provider: seen }) => {
    const unknown = scopeWords(client.scope ?? "").filter((name) => !seen.catalog.names.includes(name))
    return unknown.length === 0
      ? pass
      : fault(
          ["scope"],
          `${unknown.join(" ")}: no such scope`,
          `declare it under scopes or resources, or use: ${seen.catalog.names.join(" ")}`,
        )
  })
  .rule("registration.redirect-uri-parameters", "RFC 6749 §3.1.2, RFC 9207 §2, RFC 9700 §4.4", ({ client }) =>
    eachOf("redirect_uris", client.redirect_uris, (uri) => collision(uri, responseParameters)),
  )

/** The rules of registration that belong to no feature. */
export const registrationTables: ReadonlyArray<RegistrationTable> = [
  grantRules,
  registrationRules,
  profileRules,
  demandRules,
  answerRules,
  publishedRules,
]

/** Every fault of a client's metadata, by these rules and by those of the provider's features; empty when it may be registered. */
export const registrationFaults = (client: ClientMetadata, provider: RegistrationSeen): ReadonlyArray<Fault> => {
  const judged = { client, provider, members: membersOf(client) }
  return [...registrationTables, ...(provider.registration ?? [])]
    .flatMap((each) => objections(each, judged, judged, provider.rulesOff))
    .flatMap(apart)
}
