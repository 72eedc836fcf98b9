import { type Fault, type Registration, eachOf, fault } from "../../rules/registrationFault.ts"
import { pass, table } from "../../rules/rule.ts"

/** Rules for the places at which the people of a client may sign in. */
export const registration = table<Registration, Fault>("registration/upstream")
  .rule("registration.identity-providers", "specification §1", ({ client, provider: seen }) =>
    eachOf("identity_providers", client.identity_providers, (name) =>
      seen.identityProviders?.includes(name) === false
        ? [`${name} is no configured provider`, "declare it under identity_providers of the configuration"]
        : pass,
    ),
  )
  .rule("registration.local-login", "specification §1", ({ client }) =>
    client.allow_local_login === false && (client.identity_providers ?? []).length === 0
      ? fault(
          ["allow_local_login"],
          "leaves its people no way to sign in",
          "name at least one of the configured providers in identity_providers",
        )
      : pass,
  )
