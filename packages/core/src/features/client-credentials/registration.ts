import { grantTypesOf } from "../../model/index.ts"
import { type Fault, type Registration, fault } from "../../rules/registrationFault.ts"
import { pass, table } from "../../rules/rule.ts"

/** Rules for clients that act on their own behalf. */
export const registration = table<Registration, Fault>("registration/client-credentials").rule(
  "registration.public-grants",
  "RFC 6749 §4.4",
  ({ client }) =>
    client.token_endpoint_auth_method === "none" && grantTypesOf(client).includes("client_credentials")
      ? fault(
          ["grant_types"],
          "client_credentials needs a client that can keep a secret",
          "set token_endpoint_auth_method to client_secret_basic and give a secret",
        )
      : pass,
)
