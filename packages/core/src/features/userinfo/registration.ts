import { encryptedAnswer } from "../../rules/registrationAnswers.ts"
import { algorithmAccepted } from "../../rules/registrationAlgorithm.ts"

/** Rules for the algorithms of a client's userinfo responses. */
export const registration = encryptedAnswer("userinfo").include(algorithmAccepted("userinfo_signed_response_alg"))
