import { frozen } from "./frozen.ts"

/** The metadata and the keys of an OpenID provider. */
export const oidcConfig = frozen(
  "oidc-config",
  "The metadata and the keys of an OpenID provider",
  `
    discovery.json discovery.issuer-same discovery.issuer-form discovery.oauth-document discovery.authorization-endpoint
    discovery.token-endpoint discovery.userinfo-endpoint discovery.jwks-uri discovery.registration-endpoint discovery.end-session-endpoint
    discovery.introspection-endpoint discovery.revocation-endpoint discovery.device-authorization-endpoint
    discovery.pushed-authorization-request-endpoint discovery.booleans discovery.lists discovery.no-empty-members discovery.response-types
    discovery.subject-types discovery.id-token-rs256 discovery.scopes-openid discovery.scope-form discovery.challenge-s256
    discovery.token-auth-no-none-alg discovery.token-auth-algs discovery.implicit-listed discovery.locales discovery.claims-supported
    discovery.userinfo discovery.cors keys.json keys.public keys.symmetric keys.kid keys.kid-unique keys.complete keys.type keys.use
    keys.use-known keys.rsa-size keys.rs256 keys.algorithm keys.no-none keys.stable keys.cors
  `,
)
