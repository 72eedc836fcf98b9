import type { Profile, ProfileParameters } from "../model/index.ts"

/** The profile of clients and providers that name none: OpenID Connect and OAuth 2.0, with each client's own metadata. */
export const defaultProfile: Profile = {
  name: "default",
  cites: "RFC 6749, OpenID Connect Core",
  off: new Set(),
  parameters: { pkce: "by-client", plainPkce: "by-client", refusedResponseTypes: [], refusedGrantTypes: [] },
}

/** OAuth 2.1: PKCE by S256 for every code, no token through the browser, no password of a person for a client. */
export const oauth21: Profile = {
  name: "oauth2.1",
  cites: "draft-ietf-oauth-v2-1 §4.1.1, §7.5, §10",
  off: new Set(),
  parameters: {
    pkce: "all",
    plainPkce: "none",
    refusedResponseTypes: ["code id_token token", "code token", "id_token token", "token"],
    refusedGrantTypes: ["password"],
  },
}

/** Every profile there is, a column each. */
export const profiles: ReadonlyArray<Profile> = [defaultProfile, oauth21]

/** The profile of a name; undefined where there is none. */
export const profileNamed = (name: string): Profile | undefined => profiles.find((profile) => profile.name === name)

/** The rules that a profile's parameter governs. */
export const governed: Readonly<Record<keyof ProfileParameters, ReadonlyArray<string>>> = {
  pkce: ["authorize.challenge-required", "registration.profile-pkce"],
  plainPkce: ["authorize.challenge-plain-allowed", "registration.profile-plain-pkce"],
  refusedResponseTypes: ["authorize.response-type-profile", "registration.profile-response-types"],
  refusedGrantTypes: ["token.grant-type-profile", "registration.profile-grant-types"],
}
