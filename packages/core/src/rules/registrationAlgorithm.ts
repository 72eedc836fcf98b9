import { type ClientMetadata, type Profile, peerAlgorithms } from "../model/index.ts"
import { algorithmsOf, allows } from "./profile.ts"
import { profileOf } from "./registeredProfile.ts"
import { type Fault, type Registration, fault } from "./registrationFault.ts"
import { type ProvingTable, type Rule, pass, rule } from "./rule.ts"

/** Returns the algorithm of a client that does not state one; undefined if nothing is signed for it. */
type Implied = (client: ClientMetadata, profile: Profile) => string | undefined

const unstated: Implied = () => undefined

/**
 * Returns the algorithms with which a client may sign what it sends: the one that it states or any, as far as its profile accepts them. A
 * stated one that the profile does not accept is refused by {@link algorithmAccepted}.
 */
export const ownAlgorithms = (stated: string | undefined, { parameters }: Pick<Profile, "parameters">): ReadonlyArray<string> =>
  stated === undefined ? peerAlgorithms.filter((alg) => allows(parameters.algorithms, alg)) : [stated]

/** Refuses a member of client metadata that names an algorithm which the client's profile does not accept. */
export const algorithmAccepted = (name: string, implied = unstated): Rule<Registration, Registration, Fault> =>
  rule("registration.profile-algorithms", "FAPI 2.0 Security Profile §5.4.1 (1)", ({ client, members, provider }) => {
    const profile = profileOf(client, provider)
    const alg = members[name] ?? implied(client, profile)
    return typeof alg !== "string" || allows(profile.parameters.algorithms, alg)
      ? pass
      : fault([name], `${alg} is refused by the profile ${profile.name}`, `use one of: ${algorithmsOf(profile)}`)
  })

/**
 * Adds the rules for the algorithm of a response that the provider signs: the client's profile accepts it, and the provider has a key for it.
 * Otherwise, each such response would fail later, at the request that needs it.
 */
export const responseSigned =
  (name: string, implied = unstated) =>
  (begun: ProvingTable<Registration, Registration, Fault>): ProvingTable<Registration, Registration, Fault> =>
    begun
      .include(algorithmAccepted(name, implied))
      .rule("registration.signing-alg", "OpenID Connect Dynamic Client Registration §2", ({ client, members, provider }) => {
        const alg = members[name] ?? implied(client, profileOf(client, provider))
        const { signingAlgorithms: signing } = provider
        return typeof alg !== "string" || signing === undefined || signing.includes(alg)
          ? pass
          : fault(
              [name],
              `${members[name] === undefined ? `is not given, which means ${alg}` : `is ${alg}`}: the provider has no key for that`,
              `use one of: ${[...new Set(signing)].join(", ")}; or add ${alg} to the provider's signing algorithms`,
            )
      })
