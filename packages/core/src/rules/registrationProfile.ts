import type { ClientMetadata, Profile } from "../model/index.ts"
import { canonicalResponseType } from "../model/index.ts"
import { defaultProfile, profileNamed, profiles } from "../profiles/index.ts"
import { type Fault, type Registration, type RegistrationSeen, eachOf, fault } from "./registrationFault.ts"
import { pass, table } from "./rule.ts"

/** The profile that a client would be held to; the default one where it names none that there is, which a rule tells. */
const profileOf = ({ profile }: ClientMetadata, seen: RegistrationSeen): Profile =>
  profileNamed(profile ?? seen.profile ?? defaultProfile.name) ?? defaultProfile

/** Rules about a client's profile: its metadata must not ask for what the profile refuses. */
export const profileRules = table<Registration, Fault>("registration/profile")
  .rule("registration.profile-known", "RFC 7591 §2", ({ client: { profile } }) =>
    profile === undefined || profileNamed(profile) !== undefined
      ? pass
      : fault(["profile"], `there is no profile ${profile}`, `use one of: ${profiles.map(({ name }) => name).join(", ")}`),
  )
  .rule("registration.profile-grant-types", "draft-ietf-oauth-v2-1 §10", ({ client, provider: seen }) => {
    const { name, parameters } = profileOf(client, seen)
    return eachOf("grant_types", client.grant_types, (grant) =>
      parameters.refusedGrantTypes.includes(grant)
        ? [`${grant} is refused by the profile ${name}`, "remove it, or give the client the profile default"]
        : pass,
    )
  })
  .rule("registration.profile-response-types", "draft-ietf-oauth-v2-1 §10", ({ client, provider: seen }) => {
    const { name, parameters } = profileOf(client, seen)
    return eachOf("response_types", client.response_types, (type) =>
      parameters.refusedResponseTypes.includes(canonicalResponseType(type))
        ? [`${type} is refused by the profile ${name}`, "use code, or give the client the profile default"]
        : pass,
    )
  })
  .rule("registration.profile-pkce", "draft-ietf-oauth-v2-1 §7.5", ({ client, provider: seen }) =>
    client.require_pkce === false && profileOf(client, seen).parameters.pkce === "all"
      ? fault(
          ["require_pkce"],
          `the profile ${profileOf(client, seen).name} requires PKCE`,
          "remove it, or give the client the profile default",
        )
      : pass,
  )
  .rule("registration.profile-plain-pkce", "draft-ietf-oauth-v2-1 §7.5", ({ client, provider: seen }) =>
    client.allow_plain_pkce === true && profileOf(client, seen).parameters.plainPkce === "none"
      ? fault(
          ["allow_plain_pkce"],
          `the profile ${profileOf(client, seen).name} takes no plain challenge`,
          "remove it, or give the client the profile default",
        )
      : pass,
  )
