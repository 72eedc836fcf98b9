import type { ClientMetadata, KeyEncryptionAlgorithm } from "../model/index.ts"
import { type Fault, type Registration, fault } from "./registrationFault.ts"
import { keyLack } from "./registrationPublished.ts"
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
      encryptionKeyFault(client, `${answer}_encrypted_response_alg`, client[`${answer}_encrypted_response_alg`]),
    )

/** Returns the fault of an encryption that none of the client's keys fits: each such response would fail. */
export const encryptionKeyFault = (client: ClientMetadata, name: string, alg: KeyEncryptionAlgorithm | undefined): Fault | undefined => {
  const lack = alg && keyLack(client, [alg])
  return lack && fault([name], `is ${alg}, and ${lack[0]}`, lack[1])
}
