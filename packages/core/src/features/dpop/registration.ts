import { type Fault, type Registration, fault } from "../../rules/registrationFault.ts"
import { profileOf } from "../../rules/registeredProfile.ts"
import { pass, table } from "../../rules/rule.ts"
import { boundKinds, boundTokens } from "./metadata.ts"

/** Rules for the tokens of a client that proofs bind. */
export const registration = table<Registration, Fault>("registration/dpop")
  .rule("registration.dpop-refresh-alone", "RFC 9449 §5.2, FAPI 2.0 Security Profile §5.3.2.1 (4, 5)", (s) => {
    if (boundKinds.of(s) !== "refresh") return pass
    const { name, parameters } = profileOf(s.client, s.provider)
    const held = boundTokens.of(s) ? boundTokens.name : parameters.senderConstraint === "by-client" ? undefined : `the profile ${name}`
    return held === undefined
      ? pass
      : fault([boundKinds.name], `is refresh, and ${held} demands bound access tokens`, "use both, or leave it out")
  })
  .rule("registration.dpop-public-refresh", "RFC 9449 §5", (s) =>
    boundKinds.of(s) === "access" && s.client.token_endpoint_auth_method === "none"
      ? fault([boundKinds.name], "is access, and the refresh tokens of a public client are always bound", "use both, or leave it out")
      : pass,
  )
