import { responseSigned } from "../../rules/registrationAlgorithm.ts"
import { encryptedAnswer } from "../../rules/registrationAnswers.ts"
import { eachOf } from "../../rules/registrationFault.ts"
import { pass } from "../../rules/rule.ts"

/** Rules for the resources whose tokens a client may introspect, and for encrypted responses. */
export const registration = encryptedAnswer("introspection")
  .rule("registration.introspection-resources", "RFC 7662 §2.1", ({ client, provider: seen }) =>
    eachOf("introspection_resources", client.introspection_resources, (identifier) =>
      seen.catalog.resources.some((resource) => resource.identifier === identifier)
        ? pass
        : [`${identifier} is no declared resource`, "declare it under resources"],
    ),
  )
  // A resource server requests the JWT with its Accept header, whatever is registered (RFC 9701 §4).
  .through(
    responseSigned("introspection_signed_response_alg", ({ introspection_resources: asked }) =>
      asked === undefined ? undefined : "RS256",
    ),
  )
