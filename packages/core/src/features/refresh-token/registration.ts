import { grantTypesOf, offlineAccess, scopeWords } from "../../model/index.ts"
import { type Fault, type Registration, fault } from "../../rules/registrationFault.ts"
import { slidesBeyondEnd } from "../../rules/registrationLifetimes.ts"
import { pass, table } from "../../rules/rule.ts"

/** Rules for clients that request refresh tokens. */
export const registration = table<Registration, Fault>("registration/refresh-token")
  .rule("registration.offline-access", "OpenID Connect Core §11", ({ client }) =>
    scopeWords(client.scope ?? "").includes(offlineAccess) && !grantTypesOf(client).includes("refresh_token")
      ? fault(
          ["scope"],
          "offline_access without the refresh_token grant gives nothing",
          "add refresh_token to grant_types, or drop offline_access",
        )
      : pass,
  )
  .rule("registration.refresh-lifetimes", "RFC 9700 §4.14.2", ({ client }) => slidesBeyondEnd(client))
