import { encryptedAnswer } from "../../rules/registrationAnswers.ts"
import { responseSigned } from "../../rules/registrationAlgorithm.ts"

/** Rules for the algorithms of a client's userinfo responses. */
export const registration = encryptedAnswer("userinfo").through(responseSigned("userinfo_signed_response_alg"))
