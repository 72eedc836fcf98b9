import { type Fault, type Registration, fault } from "./registrationFault.ts"
import { pass, table } from "./rule.ts"

/** Begins the rules of a feature whose responses may be encrypted to a client. */
export const encryptedAnswer = (answer: "id_token" | "userinfo" | "introspection") =>
  table<Registration, Fault>(`registration/${answer.replace("_", "-")}`)
    .rule("registration.encryption-alg", "OpenID Connect Dynamic Client Registration §2", ({ client }) =>
      client[`${answer}_encrypted_response_alg`] !== undefined || client[`${answer}_encrypted_response_enc`] === undefined
        ? pass
        : fault(
            [`${answer}_encrypted_response_enc`],
            `needs ${answer}_encrypted_response_alg`,
            "say how the key is encrypted too, or leave both out",
          ),
    )
    .rule("registration.encryption-keys", "OpenID Connect Core §10.2", ({ client }) =>
      client[`${answer}_encrypted_response_alg`] === undefined || client.jwks !== undefined || client.jwks_uri !== undefined
        ? pass
        : fault(
            [`${answer}_encrypted_response_alg`],
            "needs a key of the client to encrypt to",
            "give its public keys as jwks, or say where they are as jwks_uri",
          ),
    )
