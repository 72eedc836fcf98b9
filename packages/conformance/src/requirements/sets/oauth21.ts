import { frozen } from "./frozen.ts"

/** OAuth 2.1: the code flow with PKCE, refresh tokens, client credentials. */
export const oauth21 = frozen(
  "oauth2.1",
  "OAuth 2.1: the code flow with PKCE, refresh tokens, client credentials",
  `
    authorize.code authorize.place-query authorize.state-absent authorize.state-intact authorize.state-long authorize.client-missing
    authorize.client-unknown authorize.response-type-missing authorize.response-type-unknown authorize.response-type-not-allowed
    authorize.response-mode-unknown authorize.scope-unknown authorize.unknown-parameter authorize.empty-parameter authorize.once-client-id
    authorize.once-redirect-uri authorize.once-response-type authorize.once-scope authorize.once-state authorize.once-code-challenge
    authorize.post authorize.denied authorize.code-unguessable authorize.iss-issuer authorize.redirect-unregistered
    authorize.redirect-query-added authorize.redirect-fragment authorize.redirect-case authorize.redirect-userinfo authorize.redirect-port
    authorize.redirect-path-dots authorize.redirect-slash authorize.redirect-host authorize.redirect-missing authorize.redirect-script
    authorize.not-framed authorize.redirect-not-307 authorize.referrer authorize.cookies pkce.required pkce.method-unknown
    pkce.challenge-short pkce.challenge-long pkce.challenge-form pkce.challenge-empty pkce.plain pkce.method-default pkce.right
    pkce.missing pkce.empty pkce.other pkce.case pkce.challenge-as-verifier pkce.short-verifier pkce.downgrade client.basic client.post
    client.public client.wrong-secret client.empty-secret client.no-secret client.nobody client.unknown client.challenge client.two-methods
    client.other-id client.secret-in-url client.basic-broken client.basic-encoded client.assertion client.assertion-mac
    client.assertion-token-endpoint client.assertion-aud client.assertion-aud-missing client.assertion-expired client.assertion-exp-missing
    client.assertion-nbf client.assertion-iss client.assertion-sub client.assertion-sub-missing client.assertion-other-client
    client.assertion-signature client.assertion-none client.assertion-type client.assertion-once client.assertion-array
    client.assertion-jti client.other-method client.not-told-apart token.grant-type-missing token.grant-type-unknown token.grant-type-empty
    token.grant-type-not-allowed token.repeated token.repeated-client-id token.repeated-code-verifier token.repeated-redirect-uri
    token.code-missing token.get token.json token.unknown-parameter token.error-not-stored token.cors code.redeemed code.answer-not-stored
    code.once code.once-at-once code.replay-revokes code.own-client code.expired code.redirect-uri-same code.verifier-missing
    code.verifier-wrong code.unknown code.refusal-keeps-code refresh.answer refresh.unknown refresh.missing refresh.own-client
    refresh.foreign-use-harmless refresh.scope-wider refresh.scope-narrower refresh.scope-stays refresh.rotated-public
    refresh.replay-revokes refresh.race refresh.id-token refresh.code-replay-revokes refresh.access-token-no-refresh-token
    refresh.not-without-asking refresh.expires client-credentials.answer client-credentials.no-refresh-token client-credentials.no-id-token
    client-credentials.wrong-secret client-credentials.public client-credentials.scope-unknown client-credentials.scope-openid
    client-credentials.scope-narrower client-credentials.sub
  `,
)
