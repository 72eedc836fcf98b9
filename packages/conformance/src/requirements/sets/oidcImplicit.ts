import { frozen } from "./frozen.ts"
import { oidcConfig } from "./oidcConfig.ts"

/** OpenID Connect with the implicit flow. */
export const oidcImplicit = frozen(
  "oidc-implicit",
  "OpenID Connect with the implicit flow",
  `
    authorize.redirect-unregistered authorize.redirect-query-added authorize.redirect-fragment authorize.redirect-case
    authorize.redirect-userinfo authorize.redirect-port authorize.redirect-path-dots authorize.redirect-slash authorize.redirect-host
    authorize.redirect-missing authorize.redirect-script authorize.redirect-not-307 response.id-token-answer response.id-token-place
    response.id-token-token-answer response.id-token-token-place response.id-token-signature response.id-token-nonce
    response.id-token-nonce-required response.id-token-audience response.id-token-token-signature response.id-token-token-nonce
    response.id-token-token-nonce-required response.id-token-token-audience response.id-token-token-at-hash
    response.id-token-not-in-query response.id-token-error-place response.id-token-token-not-in-query
    response.id-token-token-error-place userinfo.json userinfo.post userinfo.post-form userinfo.scheme-case userinfo.no-token
    userinfo.no-token-no-error userinfo.unknown-token userinfo.broken-token userinfo.id-token userinfo.basic userinfo.query
    userinfo.two-ways userinfo.only-scope userinfo.scope-profile userinfo.scope-email userinfo.scope-address userinfo.scope-phone
    userinfo.claim-forms userinfo.sub-same userinfo.expired userinfo.not-for-machines userinfo.not-stored userinfo.cors
  `,
  oidcConfig,
)
