import type { Profile, ProfileParameters } from "../model/index.ts"
import { fapi1Advanced, fapi2MessageSigning, fapi2Paragraphs, fapi2Security } from "./fapi.ts"

export { fapi1Advanced, fapi2MessageSigning, fapi2Security } from "./fapi.ts"

/** The profile of clients and providers that state none: OpenID Connect and OAuth 2.0, governed by each client's own metadata. */
export const defaultProfile: Profile = {
  name: "default",
  cites: "RFC 6749, OpenID Connect Core",
  off: new Set(),
  parameters: {
    pkce: "by-client",
    plainPkce: "by-client",
    refusedResponseTypes: [],
    refusedGrantTypes: [],
    authMethods: "by-client",
    assertionAudience: "by-client",
    algorithms: "by-client",
    senderConstraint: "by-client",
    rotation: "each-use",
    loopbackLocalhost: "by-client",
    documentScopes: "identity",
    longestCode: "by-client",
    longestPushed: "by-client",
    pushing: "by-client",
    signedRequests: "by-client",
    signedLife: "by-client",
    details: "by-client",
    backchannelRequests: "by-client",
    resourceForms: "declared",
    responses: "by-client",
  },
}

/** OAuth 2.1: PKCE with S256 for every code, no tokens through the browser, and no passwords of people for clients. */
export const oauth21: Profile = {
  name: "oauth2.1",
  cites: "draft-ietf-oauth-v2-1 §4.1.1, §7.5, §10",
  off: new Set(),
  parameters: {
    ...defaultProfile.parameters,
    pkce: "all",
    plainPkce: "none",
    refusedResponseTypes: ["code id_token token", "code token", "id_token token", "token"],
    refusedGrantTypes: ["password"],
  },
}

/** Model Context Protocol, 2026-07-28: OAuth 2.1 for agents without registration. */
export const mcp: Profile = {
  name: "mcp",
  cites: "Model Context Protocol 2026-07-28 Authorization",
  off: new Set(),
  parameters: { ...oauth21.parameters, loopbackLocalhost: "any-port", documentScopes: "all", resourceForms: "equivalent" },
}

/** Every profile, one column each. */
export const profiles: ReadonlyArray<Profile> = [defaultProfile, oauth21, mcp, fapi2Security, fapi2MessageSigning, fapi1Advanced]

/** The profile with a name; undefined if there is none. */
export const profileNamed = (name: string): Profile | undefined => profiles.find((profile) => profile.name === name)

/** The rules that each parameter of a profile governs. */
export const governed: Readonly<Record<keyof ProfileParameters, ReadonlyArray<string>>> = {
  pkce: ["authorize.challenge-required", "pushed-authorization.challenge-required", "registration.profile-pkce"],
  plainPkce: ["authorize.challenge-plain-allowed", "registration.profile-plain-pkce"],
  refusedResponseTypes: ["authorize.response-type-profile", "registration.profile-response-types"],
  refusedGrantTypes: ["token.grant-type-profile", "registration.profile-grant-types"],
  authMethods: ["client.method-profile", "registration.profile-auth-method"],
  assertionAudience: ["assertion.audience"],
  algorithms: [
    "assertion.algorithm",
    "dpop.algorithm-profile",
    "request-object.algorithm",
    "authorize.response-algorithm-profile",
    "authorize.id-token-algorithm-profile",
    "token.algorithm-profile",
    "userinfo.algorithm-profile",
    "introspection.algorithm-profile",
    "registration.profile-algorithms",
  ],
  senderConstraint: ["token.confirmation-profile", "registration.profile-confirmation"],
  rotation: ["refresh.unrotated"],
  loopbackLocalhost: ["authorize.redirect-uri-registered", "registration.redirect-uris"],
  documentScopes: ["authorize.scope-allowed"],
  longestCode: ["code.fresh"],
  longestPushed: ["pushed-request.fresh"],
  pushing: ["authorize.pushed-request-required", "registration.profile-pushing"],
  signedRequests: ["authorize.request-object-required", "pushed-authorization.request-alone"],
  signedLife: ["request-object.lifetime"],
  details: ["authorize.details-protected", "request-object.details-signed"],
  resourceForms: ["authorize.resource-allowed"],
  backchannelRequests: ["ciba.signed", "ciba.binding-message-required"],
  responses: ["authorize.response-mode-profile", "registration.profile-response-modes", "registration.profile-responses"],
}

/** The names of optional features that a provider of a profile has unless its configuration says otherwise, by profile. */
export const enabled: ReadonlyMap<string, ReadonlyArray<string>> = /* @__PURE__ */ new Map([["mcp", ["metadata-documents"]]])

/** The paragraphs of a profile's requirements, by profile and parameter, where they are more specific than its `cites`. */
export const paragraphs: Readonly<Record<string, Readonly<Partial<Record<keyof ProfileParameters, string>>>>> = {
  "fapi2-security": fapi2Paragraphs,
  "fapi2-message-signing": fapi2Paragraphs,
}
