import type { ClientMetadata, Profile } from "../model/index.ts"
import { allows } from "./profile.ts"
import { profileOf } from "./registeredProfile.ts"
import { type Fault, type Registration, fault } from "./registrationFault.ts"
import { type Rule, pass, rule } from "./rule.ts"

/**
 * Refuses a member of client metadata that names an algorithm which the client's profile does not accept. `implied` returns the algorithm of
 * a client without the member; undefined if nothing is signed for it.
 */
export const algorithmAccepted = (
  name: string,
  implied: (client: ClientMetadata, profile: Profile) => string | undefined = () => undefined,
): Rule<Registration, Registration, Fault> =>
  rule("registration.profile-algorithms", "FAPI 2.0 Security Profile §5.4.1 (1)", ({ client, members, provider }) => {
    const profile = profileOf(client, provider)
    const alg = members[name] ?? implied(client, profile)
    return typeof alg !== "string" || allows(profile.parameters.algorithms, alg)
      ? pass
      : fault([name], `${alg} is refused by the profile ${profile.name}`, "use ES256, PS256 or EdDSA")
  })
