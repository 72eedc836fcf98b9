import type { Profile } from "../model/index.ts"

const certificates = ["tls_client_auth", "self_signed_tls_client_auth"]
const algorithms = ["PS256", "ES256", "EdDSA", "Ed25519"]

/** FAPI 2.0 Security Profile, final of February 2025: for the clients of banks, of health services and of those who act for them. */
export const fapi2Security: Profile = {
  name: "fapi2-security",
  cites: "FAPI 2.0 Security Profile §5.3.2, §5.4",
  off: new Set(),
  parameters: {
    pkce: "all",
    plainPkce: "none",
    refusedResponseTypes: ["code id_token", "code id_token token", "code token", "id_token", "id_token token", "token"],
    refusedGrantTypes: ["password", "implicit"],
    authMethods: ["private_key_jwt", ...certificates],
    assertionAudience: "issuer",
    algorithms,
    senderConstraint: "key-or-certificate",
    rotation: "none",
    loopbackLocalhost: "by-client",
    documentScopes: "identity",
    longestCode: "60 s",
    longestPushed: "599 s",
    pushing: "all",
    signedRequests: "by-client",
    signedLife: "3600 s",
    details: "protected",
    backchannelRequests: "signed-with-message",
    resourceForms: "declared",
    responses: "query-or-jwt",
  },
}

/** FAPI 2.0 Message Signing, final of September 2025, with signed requests and signed responses. */
export const fapi2MessageSigning: Profile = {
  name: "fapi2-message-signing",
  cites: "FAPI 2.0 Message Signing §5.3, §5.4",
  off: new Set(),
  parameters: { ...fapi2Security.parameters, signedRequests: "all", responses: "jwt" },
}

/** FAPI 1.0 Advanced, final of March 2021: certificates, signed requests, and responses that are signed as a JWT or by an ID token. */
export const fapi1Advanced: Profile = {
  name: "fapi1-advanced",
  cites: "FAPI 1.0 Part 2 §5.2.2, §8.6",
  off: new Set(),
  parameters: {
    ...fapi2Security.parameters,
    pkce: "pushed",
    refusedResponseTypes: ["code id_token token", "code token", "id_token", "id_token token", "token"],
    refusedGrantTypes: ["password"],
    assertionAudience: "by-client",
    algorithms: ["PS256", "ES256"],
    senderConstraint: "certificate",
    rotation: "each-use",
    longestCode: "by-client",
    longestPushed: "by-client",
    pushing: "by-client",
    signedRequests: "all",
    responses: "jwt-or-id-token",
  },
}

/** The paragraph of each requirement of FAPI 2.0. */
export const fapi2Paragraphs = {
  refusedResponseTypes: "FAPI 2.0 Security Profile §5.3.2.2 (1)",
  pushing: "FAPI 2.0 Security Profile §5.3.2.2 (2, 3)",
  pkce: "FAPI 2.0 Security Profile §5.3.2.2 (5)",
  plainPkce: "FAPI 2.0 Security Profile §5.3.2.2 (5)",
  senderConstraint: "FAPI 2.0 Security Profile §5.3.2.1 (4, 5)",
  authMethods: "FAPI 2.0 Security Profile §5.3.2.1 (6)",
  assertionAudience: "FAPI 2.0 Security Profile §5.3.2.1 (8)",
  algorithms: "FAPI 2.0 Security Profile §5.4.1 (1)",
}
