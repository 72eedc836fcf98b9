import type { ClientMetadata, Profile } from "../../model/index.ts"
import { responseSigned } from "../../rules/registrationAlgorithm.ts"
import { encryptionKeyFault } from "../../rules/registrationAnswers.ts"
import { isSignedMode } from "../../rules/registeredProfile.ts"
import { type Fault, type Registration, fault } from "../../rules/registrationFault.ts"
import { pass, table } from "../../rules/rule.ts"
import { encryptionAlg, encryptionEnc, signingAlg } from "./metadata.ts"

/** Returns the response modes to which a client restricts itself. They are metadata of a feature without a static type. */
const modesOf = (client: ClientMetadata): ReadonlyArray<unknown> => {
  const modes: unknown = Reflect.get(client, "response_modes")
  return Array.isArray(modes) ? modes : []
}

/** Reports whether a client receives authorization responses as JWTs, because its profile or its metadata requires them. */
const answeredByJwt = (client: ClientMetadata, { parameters: { responses } }: Profile): boolean => {
  const { response_types: types = ["code"] } = client
  return (
    modesOf(client).some((mode) => typeof mode === "string" && isSignedMode(mode)) ||
    (responses === "jwt" ? types.length > 0 : responses === "jwt-or-id-token" && types.includes("code"))
  )
}

/** Rules for clients whose authorization responses are signed or encrypted. */
export const registration = table<Registration, Fault>("registration/jarm")
  .rule("registration.response-encryption-alg", "JARM §3", (s) =>
    encryptionAlg.of(s) === undefined && encryptionEnc.of(s) !== undefined
      ? fault([encryptionEnc.name], `means nothing without ${encryptionAlg.name}`, "say how the key is encrypted too, or leave both out")
      : pass,
  )
  .rule("registration.response-encryption-keys", "JARM §2.2, §3", (s) =>
    encryptionKeyFault(s.client, encryptionAlg.name, encryptionAlg.of(s)),
  )
  .through(responseSigned(signingAlg.name, (client, profile) => (answeredByJwt(client, profile) ? "RS256" : undefined)))
