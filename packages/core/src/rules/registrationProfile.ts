import type { Profile } from "../model/index.ts"
import {
  authMethodOf,
  canonicalResponseType,
  certificateBound,
  grantTypesOf,
  isResourceServer,
  keyBound,
  pushedAlone,
} from "../model/index.ts"
import { profileNamed, profiles } from "../profiles/index.ts"
import { allows } from "./profile.ts"
import { isSignedMode, profileOf } from "./registeredProfile.ts"
import { type Fault, type Registration, eachOf, fault } from "./registrationFault.ts"
import { pass, table } from "./rule.ts"

const [, byKey] = keyBound

/** Returns the fault of a profile that this provider cannot enforce. */
const beyond = ({ name }: Profile, what: string, feature: string): Fault =>
  fault(
    ["profile"],
    `${name} demands ${what}, which this provider does not do`,
    `turn the feature ${feature} on, or give the client the profile default`,
  )

/** The rules of a client's profile: its metadata must not request anything that the profile refuses. */
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
  .rule("registration.profile-auth-method", "FAPI 2.0 Security Profile §5.3.2.1 (3, 6)", ({ client, provider: seen }) => {
    const { name, parameters } = profileOf(client, seen)
    const method = authMethodOf(client)
    const introspectionResources = client.introspection_resources ?? []
    return allows(parameters.authMethods, method) || isResourceServer({ grantTypes: grantTypesOf(client), introspectionResources })
      ? pass
      : fault(
          ["token_endpoint_auth_method"],
          `${method} is refused by the profile ${name}`,
          "use private_key_jwt, or give the client the profile default",
        )
  })
  .rule("registration.profile-pushing", "FAPI 2.0 Security Profile §5.3.2.2 (2, 3)", ({ client, provider: seen }) => {
    const profile = profileOf(client, seen)
    return profile.parameters.pushing === "by-client" || seen.clientMetadata?.has(pushedAlone[1]) !== false
      ? pass
      : beyond(profile, "pushed authorization requests", pushedAlone[0])
  })
  .rule(
    "registration.profile-confirmation",
    "FAPI 2.0 Security Profile §5.3.2.1 (4, 5), FAPI 1.0 Part 2 §5.2.2 (5)",
    ({ client, provider: seen }) => {
      const profile = profileOf(client, seen)
      const { senderConstraint } = profile.parameters
      if (senderConstraint === "by-client") return pass
      if (senderConstraint === "certificate" && client[byKey] === true)
        return fault(
          [byKey],
          `binds tokens to a key, and the profile ${profile.name} to a certificate`,
          "remove it: the client would get no token at all",
        )
      const [first, ...more] = senderConstraint === "certificate" ? [certificateBound] : [keyBound, certificateBound]
      return [first, ...more].some(([, member]) => seen.clientMetadata?.has(member) !== false)
        ? pass
        : beyond(profile, `tokens bound to a ${senderConstraint.replaceAll("-", " ")}`, first[0])
    },
  )
  .rule("registration.profile-responses", "FAPI 2.0 Message Signing §5.4", ({ client, provider: seen }) => {
    const profile = profileOf(client, seen)
    return profile.parameters.responses !== "jwt" || seen.responseModes?.some(isSignedMode) !== false
      ? pass
      : beyond(profile, "responses as JWTs", "jarm")
  })
