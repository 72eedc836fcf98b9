import { frozen } from "./frozen.ts"

/**
 * The FAPI 2.0 Security Profile of February 2025, as far as it applies to any provider: pushed requests, PKCE, assertions,
 * sender-constrained tokens, signed responses. Its requirements on the profile's clients are tested with the client of the role `fapi`.
 */
export const fapi2 = frozen(
  "fapi2-2025-02",
  "FAPI 2.0 Security Profile of February 2025",
  `
    discovery.json discovery.issuer-same discovery.issuer-form discovery.authorization-endpoint discovery.token-endpoint discovery.jwks-uri
    discovery.pushed-authorization-request-endpoint discovery.booleans discovery.lists discovery.challenge-s256 discovery.token-auth-no-none-alg
    discovery.token-auth-algs keys.json keys.public keys.symmetric keys.kid keys.kid-unique keys.complete keys.rsa-size keys.no-none
    authorize.code authorize.place-query authorize.state-intact authorize.denied authorize.code-unguessable authorize.iss-issuer
    authorize.redirect-unregistered authorize.redirect-query-added authorize.redirect-case authorize.redirect-host authorize.redirect-script
    authorize.not-framed authorize.redirect-not-307 pkce.required pkce.method-unknown pkce.challenge-short pkce.challenge-long
    pkce.challenge-form pkce.challenge-empty pkce.plain pkce.method-default pkce.right pkce.missing pkce.empty pkce.other pkce.case
    pkce.challenge-as-verifier pkce.short-verifier pkce.downgrade request-object.honored request-object.query-ignored request-object.signature
    request-object.unsigned request-object.expired request-object.not-yet request-object.audience request-object.issuer request-object.client-id
    request-object.nested-request request-object.nested-request-uri request-object.garbage request-object.redirect-uri request-object.type
    pushed.answer pushed.not-stored pushed.client pushed.request-uri pushed.redirect-uri pushed.response-type pushed.other-client pushed.method
    pushed.once-client-id pushed.once-redirect-uri pushed.once-scope pushed.once-state pushed.used pushed.others-ignored pushed.once
    pushed.own-client pushed.unknown pushed.expired pushed.required pushed.public client.assertion client.assertion-aud
    client.assertion-aud-missing client.assertion-expired client.assertion-exp-missing client.assertion-nbf client.assertion-iss
    client.assertion-sub client.assertion-sub-missing client.assertion-other-client client.assertion-signature client.assertion-none
    client.assertion-type client.assertion-once client.assertion-jti code.redeemed code.answer-not-stored code.once code.once-at-once
    code.replay-revokes code.own-client code.redirect-uri-same code.verifier-missing code.verifier-wrong code.refusal-keeps-code refresh.answer
    refresh.own-client refresh.id-token id-token.signature id-token.algorithm id-token.iss id-token.aud id-token.exp id-token.nonce
    userinfo.query userinfo.two-ways dpop.algorithms dpop.token-type dpop.bearer dpop.typ dpop.none dpop.signature dpop.private-key dpop.method
    dpop.address dpop.jti-missing dpop.method-missing dpop.time-missing dpop.old dpop.ahead dpop.two dpop.garbage dpop.jkt dpop.userinfo
    dpop.userinfo-bearer dpop.userinfo-hash dpop.userinfo-key dpop.userinfo-unproved dpop.refresh dpop.refresh-key dpop.refresh-unproved
    jarm.answer jarm.content jarm.alone jarm.place jarm.short-lived jarm.error jarm.fragment jarm.form-post discovery.iss-parameter
    fapi.flow fapi.pushed-only fapi.unproved fapi.audience-endpoint fapi.audience-pushing fapi.audience-list fapi.assertion-ahead
    fapi.assertion-far-ahead fapi.challenge fapi.challenge-plain fapi.redirect-uri fapi.response-type fapi.request-life fapi.state-pushed
    fapi.nonce-long fapi.algorithm fapi.code-life fapi.refresh-kept
  `,
)
