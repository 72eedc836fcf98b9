import { encryptedAnswer } from "../../rules/registrationAnswers.ts"
import { responseSigned } from "../../rules/registrationAlgorithm.ts"

/** Rules for the algorithms of a client's ID tokens. */
export const registration = encryptedAnswer("id_token").through(
  responseSigned("id_token_signed_response_alg", ({ scope = "" }) => (scope.split(" ").includes("openid") ? "RS256" : undefined)),
)
