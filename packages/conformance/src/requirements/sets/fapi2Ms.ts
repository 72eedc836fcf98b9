import { frozen } from "./frozen.ts"
import { fapi2 } from "./fapi2.ts"

/** FAPI 2.0 Message Signing of September 2025: signed requests, signed responses, and the whole Security Profile. */
export const fapi2Ms = frozen(
  "fapi2-ms",
  "FAPI 2.0 Message Signing of September 2025, with the Security Profile",
  `
    messages.flow messages.response messages.error messages.unsigned messages.plain-response messages.other-mode messages.unproved
    messages.audience-list messages.ahead
    messages.exp-missing messages.nbf-missing messages.expired messages.audience messages.audience-missing messages.long-lived messages.old
    messages.issuer messages.nested messages.beside messages.alg-none messages.signature
  `,
  fapi2,
)
