import { grantTypesOf } from "../../model/index.ts"
import { responseSigned } from "../../rules/registrationAlgorithm.ts"
import { type Fault, type Registration, eachOf, fault, together } from "../../rules/registrationFault.ts"
import { pass, table } from "../../rules/rule.ts"

/** Rules for the grants of a client, and for the policies of extension grants. */
export const registration = table<Registration, Fault>("registration/token")
  .rule("registration.grant-types", "RFC 7591 §2", ({ client, provider: seen }) =>
    eachOf("grant_types", client.grant_types, (grant) =>
      seen.grantTypes.includes(grant)
        ? pass
        : [`${grant} is not a grant type of this provider`, `use one of: ${seen.grantTypes.join(", ")}`],
    ),
  )
  .rule("registration.grant-policies-known", "RFC 7591 §2", ({ client, provider: { policyFaults } }) =>
    together(
      Object.keys(client.grant_policies ?? {}).flatMap((name) =>
        policyFaults?.has(name) === true
          ? []
          : [fault(["grant_policies", name], "is no extension grant of this provider", "name one that is turned on, or remove it")],
      ),
    ),
  )
  .rule("registration.grant-policies", "RFC 7591 §2", ({ client, provider: { policyFaults = new Map() } }) =>
    together(
      [...policyFaults].flatMap(([name, faultOf]) => {
        const found = grantTypesOf(client).includes(name) ? faultOf(client.grant_policies?.[name]) : undefined
        return found === undefined ? [] : [{ ...found, path: ["grant_policies", name, ...found.path] }]
      }),
    ),
  )
  .through(
    responseSigned("access_token_signed_response_alg", (client) =>
      client.access_token_format === "reference" || grantTypesOf(client).length === 0 ? undefined : "RS256",
    ),
  )
