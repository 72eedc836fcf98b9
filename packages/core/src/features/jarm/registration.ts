import { type Fault, type Registration, fault } from "../../rules/registrationFault.ts"
import { pass, table } from "../../rules/rule.ts"
import { encryptionAlg, encryptionEnc } from "./metadata.ts"

/** Rules for clients whose authorization responses are encrypted. */
export const registration = table<Registration, Fault>("registration/jarm")
  .rule("registration.response-encryption-alg", "JARM §3", (s) =>
    encryptionAlg.of(s) === undefined && encryptionEnc.of(s) !== undefined
      ? fault([encryptionEnc.name], `means nothing without ${encryptionAlg.name}`, "say how the key is encrypted too, or leave both out")
      : pass,
  )
  .rule("registration.response-encryption-keys", "JARM §2.2, §3", (s) =>
    encryptionAlg.of(s) === undefined || s.client.jwks !== undefined || s.client.jwks_uri !== undefined
      ? pass
      : fault([encryptionAlg.name], "needs a key of the client to encrypt responses to", "give its public keys as jwks or jwks_uri"),
  )
