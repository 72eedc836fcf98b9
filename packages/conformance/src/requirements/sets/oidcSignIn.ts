import { frozen } from "./frozen.ts"
import { oidcConfig } from "./oidcConfig.ts"

/** The common part of sets of flows with a code: authorization, sessions, the token endpoint, ID tokens and userinfo. */
export const oidcSignIn = frozen(
  "oidc-sign-in",
  "Sign-in by OpenID Connect with a code",
  `
    authorize.code authorize.place-query authorize.state-absent authorize.state-intact authorize.state-long authorize.client-missing
    authorize.client-unknown authorize.response-type-missing authorize.response-type-unknown authorize.response-type-not-allowed
    authorize.response-mode-unknown authorize.scope-unknown authorize.unknown-parameter authorize.empty-parameter authorize.nonce-optional
    authorize.display-popup authorize.ui-locales authorize.acr-values authorize.prompt-none-signed-out authorize.prompt-none-alone
    authorize.request-not-supported authorize.request-uri-unregistered authorize.registration-not-supported authorize.once-client-id
    authorize.once-redirect-uri authorize.once-response-type authorize.once-scope authorize.once-state authorize.once-nonce
    authorize.once-code-challenge authorize.post authorize.denied authorize.code-unguessable authorize.iss-issuer
    authorize.redirect-unregistered authorize.redirect-query-added authorize.redirect-fragment authorize.redirect-case
    authorize.redirect-userinfo authorize.redirect-port authorize.redirect-path-dots authorize.redirect-slash authorize.redirect-host
    authorize.redirect-missing authorize.redirect-script authorize.not-framed authorize.redirect-not-307 authorize.referrer
    authorize.cookies session.prompt-none session.prompt-login session.prompt-login-auth-time session.max-age-over session.max-age-within
    session.max-age-zero session.max-age-none session.max-age-form session.hint session.hint-without-session session.hint-broken
    session.claims-parameter session.claims-form session.scope-order session.other-browser session.wrong-password session.forged-sign-in
    session.forged-consent response.code-answer response.code-place token.grant-type-missing token.grant-type-unknown
    token.grant-type-empty token.grant-type-not-allowed token.repeated token.repeated-client-id token.repeated-code-verifier
    token.repeated-redirect-uri token.code-missing token.get token.json token.unknown-parameter token.error-not-stored token.cors
    code.redeemed code.answer-not-stored code.once code.once-at-once code.replay-revokes code.own-client code.expired
    code.redirect-uri-same code.verifier-missing code.verifier-wrong code.unknown code.refusal-keeps-code id-token.signature
    id-token.key-found id-token.algorithm id-token.rs256 id-token.kid id-token.no-foreign-keys id-token.crit id-token.iss id-token.aud
    id-token.aud-alone id-token.azp id-token.sub id-token.exp id-token.exp-near id-token.iat id-token.nonce id-token.nonce-absent
    id-token.auth-time id-token.acr id-token.amr id-token.at-hash id-token.no-scope-claims id-token.no-more id-token.sub-stable
    id-token.sub-pairwise id-token.not-access-token userinfo.json userinfo.post userinfo.post-form userinfo.scheme-case userinfo.no-token
    userinfo.no-token-no-error userinfo.unknown-token userinfo.broken-token userinfo.id-token userinfo.basic userinfo.query
    userinfo.two-ways userinfo.only-scope userinfo.scope-profile userinfo.scope-email userinfo.scope-address userinfo.scope-phone
    userinfo.claim-forms userinfo.sub-same userinfo.expired userinfo.not-for-machines userinfo.not-stored userinfo.cors
  `,
  oidcConfig,
)
