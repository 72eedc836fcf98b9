/** Requirements of `postern conform` that ask over HTTP for what a module of the suite asks for, by the module's name. */
export const requirementsOfModules: Readonly<Record<string, string>> = {
  "oidcc-discovery-endpoint-verification": `
    discovery.json discovery.issuer-same discovery.issuer-form discovery.authorization-endpoint discovery.token-endpoint discovery.userinfo-endpoint discovery.userinfo
    discovery.jwks-uri discovery.booleans discovery.lists discovery.no-empty-members discovery.response-types discovery.subject-types discovery.id-token-rs256
    discovery.scopes-openid discovery.scope-form discovery.claims-supported discovery.locales discovery.challenge-s256 discovery.request-object-rs256
    keys.json keys.public keys.symmetric keys.kid keys.kid-unique keys.complete keys.rs256`,
  "oidcc-server": `
    authorize.code authorize.state-intact authorize.iss-issuer authorize.code-unguessable code.redeemed code.expires-in response.code-answer response.code-place
    id-token.signature id-token.key-found id-token.algorithm id-token.iss id-token.aud id-token.sub id-token.exp id-token.iat id-token.nonce id-token.auth-time
    id-token.acr id-token.at-hash id-token.no-more response.id-token-answer response.id-token-place response.id-token-signature response.id-token-nonce
    response.id-token-audience response.id-token-token-at-hash response.code-id-token-c-hash response.code-id-token-token-at-hash response.code-id-token-token-c-hash
    response.hybrid-same-sub response.code-form-post response.id-token-form-post response.code-id-token-form-post response.code-token-form-post
    response.code-id-token-token-form-post response.id-token-token-form-post response.code-id-token-not-in-query userinfo.claim-forms`,
  "oidcc-server-client-secret-post": "client.post code.redeemed-post",
  "oidcc-response-type-missing": "authorize.response-type-missing",
  "oidcc-userinfo-get":
    "userinfo.json userinfo.sub-same userinfo.only-scope response.id-token-token-userinfo response.code-token-userinfo response.code-id-token-token-userinfo",
  "oidcc-userinfo-post-header": "userinfo.post",
  "oidcc-userinfo-post-body": "userinfo.post-form",
  "oidcc-ensure-request-without-nonce-succeeds-for-code-flow": "authorize.nonce-optional id-token.nonce-absent",
  "oidcc-ensure-request-without-nonce-fails":
    "response.id-token-nonce-required response.id-token-token-nonce-required response.code-id-token-nonce-required response.code-id-token-token-nonce-required response.code-id-token-error-place",
  "oidcc-scope-profile": "userinfo.scope-profile userinfo.claim-forms",
  "oidcc-scope-email": "userinfo.scope-email userinfo.claim-forms id-token.no-scope-claims response.id-token-scope-claims",
  "oidcc-scope-address": "userinfo.scope-address userinfo.claim-forms",
  "oidcc-scope-phone": "userinfo.scope-phone userinfo.claim-forms",
  "oidcc-scope-all": "userinfo.scope-all userinfo.claim-forms",
  "oidcc-alternate-happy-flow":
    "session.scope-order authorize.parameter-order authorize.state-long id-token.no-scope-claims response.order-of-words",
  "oidcc-ensure-post-request-succeeds": "authorize.post",
  "oidcc-ensure-request-with-valid-pkce-succeeds": "pkce.right",
  "oidcc-codereuse": "code.once code.once-at-once",
  "oidcc-codereuse-30seconds": "code.once-later code.replay-revokes",
  "oidcc-ensure-registered-redirect-uri": "authorize.redirect-unregistered",
  "oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported": "authorize.request-not-supported",
  "oidcc-ensure-request-object-with-redirect-uri": "authorize.request-redirect-uri",
  "oidcc-display-page": "authorize.display-page",
  "oidcc-display-popup": "authorize.display-popup",
  "oidcc-prompt-login": "session.prompt-login session.prompt-login-auth-time",
  "oidcc-prompt-none-not-logged-in": "authorize.prompt-none-signed-out authorize.state-long response.form-post-error",
  "oidcc-prompt-none-logged-in": "session.prompt-none",
  "oidcc-max-age-1": "session.max-age-one session.max-age-over",
  "oidcc-max-age-10000": "session.max-age-within",
  "oidcc-ensure-request-with-unknown-parameter-succeeds": "authorize.unknown-parameter",
  "oidcc-id-token-hint": "session.hint",
  "oidcc-login-hint": "authorize.login-hint",
  "oidcc-ui-locales": "authorize.ui-locales",
  "oidcc-claims-locales": "authorize.claims-locales",
  "oidcc-ensure-request-with-acr-values-succeeds": "authorize.acr-values id-token.acr-listed",
  "oidcc-claims-essential": "session.claims-parameter",
  "oidcc-refresh-token": "refresh.answer refresh.not-stored refresh.unguessable refresh.id-token refresh.id-token-new refresh.own-client",
}
