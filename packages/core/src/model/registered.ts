import type { Client, Lifetimes } from "./client.ts"
import { kindFault, refuseFaults } from "./members.ts"
import { encryptionChoice } from "./jwk.ts"
import { type ClientMetadata, authMethodOf, grantTypesOf, lifetimesFrom, membersOf, responseTypesOf } from "./metadata.ts"

/** The specification §5 lets a client send its secret in the header or in the body unless its registration states a method. */
const eitherSecretMethod = ["client_secret_basic", "client_secret_post"] as const

/**
 * Builds a client from metadata, with the defaults of RFC 7591 §2. It validates no member: it is for stores, whose rows were validated at
 * registration. All other code uses `defineClient`. PKCE is required unless the metadata disables it, and always for public clients.
 * Consent is required unless the metadata disables it.
 */
export const registeredClient = (metadata: ClientMetadata, lifetimes: Lifetimes): Client => {
  refuseFaults("registeredClient", kindFault("metadata", metadata, "object"), kindFault("lifetimes", lifetimes, "object"))
  const tokenEndpointAuthMethod = authMethodOf(metadata)
  return {
    clientId: metadata.client_id,
    profile: metadata.profile,
    disabled: metadata.disabled ?? false,
    clientName: metadata.client_name,
    clientUri: metadata.client_uri,
    logoUri: metadata.logo_uri,
    policyUri: metadata.policy_uri,
    tosUri: metadata.tos_uri,
    applicationType: metadata.application_type ?? "web",
    tokenEndpointAuthMethod,
    authenticationMethods: metadata.token_endpoint_auth_method === undefined ? eitherSecretMethod : [tokenEndpointAuthMethod],
    tokenEndpointAuthSigningAlg: metadata.token_endpoint_auth_signing_alg,
    clientAssertionAudience: metadata.client_assertion_audience ?? "any",
    keys: { jwks: metadata.jwks, jwksUri: metadata.jwks_uri },
    grantTypes: grantTypesOf(metadata),
    responseTypes: responseTypesOf(metadata),
    redirectUris: metadata.redirect_uris ?? [],
    loopbackLocalhost: metadata.loopback_localhost,
    postLogoutRedirectUris: metadata.post_logout_redirect_uris ?? [],
    scope: (metadata.scope ?? "").split(" ").filter((word) => word !== ""),
    introspectionResources: metadata.introspection_resources ?? [],
    requirePkce: metadata.require_pkce ?? true,
    allowPlainPkce: metadata.allow_plain_pkce ?? false,
    requireConsent: metadata.require_consent ?? true,
    accessTokenFormat: metadata.access_token_format ?? "jwt",
    accessTokenSignedResponseAlg: metadata.access_token_signed_response_alg ?? "RS256",
    accessTokenTyp: metadata.access_token_typ === "jwt" ? "JWT" : "at+jwt",
    idTokenSignedResponseAlg: metadata.id_token_signed_response_alg ?? "RS256",
    idTokenUserClaims: metadata.id_token_user_claims ?? false,
    idTokenEncryption: encryptionChoice(metadata.id_token_encrypted_response_alg, metadata.id_token_encrypted_response_enc),
    userinfoSignedResponseAlg: metadata.userinfo_signed_response_alg,
    userinfoEncryption: encryptionChoice(metadata.userinfo_encrypted_response_alg, metadata.userinfo_encrypted_response_enc),
    introspectionSignedResponseAlg: metadata.introspection_signed_response_alg ?? "RS256",
    introspectionEncryption: encryptionChoice(metadata.introspection_encrypted_response_alg, metadata.introspection_encrypted_response_enc),
    requestObjects: {
      signingAlg: metadata.request_object_signing_alg,
      encryption: encryptionChoice(metadata.request_object_encryption_alg, metadata.request_object_encryption_enc),
      required: metadata.require_signed_request_object ?? false,
      uris: metadata.request_uris ?? [],
    },
    subjectType: metadata.subject_type ?? "public",
    sectorIdentifierUri: metadata.sector_identifier_uri,
    defaultAcrValues: metadata.default_acr_values ?? [],
    identityProviders: metadata.identity_providers ?? [],
    allowLocalLogin: metadata.allow_local_login ?? true,
    revokeOnLogout: metadata.revoke_on_logout ?? "online",
    grantPolicies: metadata.grant_policies ?? {},
    defaultMaxAge: metadata.default_max_age,
    lifetimes: lifetimesFrom(metadata, lifetimes),
    members: membersOf(metadata),
  }
}
