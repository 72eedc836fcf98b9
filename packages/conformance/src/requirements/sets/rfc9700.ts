import { frozen } from "./frozen.ts"

/** The best current practice for the security of OAuth 2.0. */
export const rfc9700 = frozen(
  "rfc9700",
  "The best current practice for the security of OAuth 2.0",
  `
    discovery.challenge-s256 authorize.nonce-optional authorize.once-client-id authorize.once-redirect-uri authorize.once-response-type
    authorize.once-scope authorize.once-state authorize.once-nonce authorize.once-code-challenge authorize.redirect-query-added
    authorize.redirect-case authorize.redirect-userinfo authorize.redirect-port authorize.redirect-path-dots authorize.redirect-slash
    authorize.redirect-host authorize.redirect-script authorize.not-framed authorize.redirect-not-307 authorize.referrer
    session.other-browser session.forged-sign-in session.forged-consent pkce.required pkce.method-unknown pkce.challenge-short
    pkce.challenge-long pkce.challenge-form pkce.challenge-empty pkce.plain pkce.method-default pkce.right pkce.missing pkce.empty
    pkce.other pkce.case pkce.challenge-as-verifier pkce.short-verifier pkce.downgrade response.id-token-nonce
    response.id-token-nonce-required response.id-token-token-nonce response.id-token-token-nonce-required response.code-id-token-nonce
    response.code-id-token-nonce-required response.code-id-token-token-nonce response.code-id-token-token-nonce-required
    pushed.once-client-id pushed.once-redirect-uri pushed.once-scope pushed.once-state pushed.once pushed.own-client client.assertion-once
    code.once code.once-at-once code.replay-revokes code.own-client refresh.own-client refresh.rotated-public refresh.replay-revokes
    refresh.race refresh.code-replay-revokes refresh.expires password.not-told-apart device.once device.race device.own-client
    id-token.nonce id-token.nonce-absent userinfo.query revocation.own-client
  `,
)
