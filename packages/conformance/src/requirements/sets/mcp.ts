import { frozen } from "./frozen.ts"

/**
 * The authorization of the Model Context Protocol, revision 2026-07-28: OAuth 2.1 with discovery, PKCE, resource indicators, issuer
 * identification, and client ID metadata documents.
 */
export const mcp = frozen(
  "mcp-2026-07-28",
  "MCP of 2026-07-28: the authorization server",
  `
    discovery.json discovery.issuer-same discovery.issuer-form discovery.oauth-document discovery.authorization-endpoint discovery.token-endpoint
    discovery.registration-endpoint discovery.booleans discovery.lists discovery.challenge-s256 discovery.token-auth-no-none-alg discovery.cors
    authorize.code authorize.place-query authorize.state-absent authorize.state-intact authorize.state-long authorize.client-missing
    authorize.client-unknown authorize.response-type-missing authorize.response-type-unknown authorize.response-type-not-allowed
    authorize.scope-unknown authorize.unknown-parameter authorize.denied authorize.code-unguessable authorize.iss-issuer
    authorize.redirect-unregistered authorize.redirect-query-added authorize.redirect-fragment authorize.redirect-case
    authorize.redirect-userinfo authorize.redirect-port authorize.redirect-path-dots authorize.redirect-slash authorize.redirect-host
    authorize.redirect-script authorize.not-framed authorize.redirect-not-307 session.forged-sign-in session.forged-consent pkce.required
    pkce.method-unknown pkce.challenge-short pkce.challenge-long pkce.challenge-form pkce.challenge-empty pkce.plain pkce.method-default
    pkce.right pkce.missing pkce.empty pkce.other pkce.case pkce.challenge-as-verifier pkce.short-verifier pkce.downgrade client.public
    client.wrong-secret client.no-secret client.nobody client.unknown client.assertion client.assertion-aud client.assertion-signature
    client.assertion-once token.grant-type-missing token.grant-type-unknown token.grant-type-empty token.grant-type-not-allowed token.repeated
    token.repeated-client-id token.repeated-code-verifier token.repeated-redirect-uri token.code-missing token.get token.json
    token.unknown-parameter token.error-not-stored token.cors code.redeemed code.answer-not-stored code.once code.once-at-once
    code.replay-revokes code.own-client code.expired code.redirect-uri-same code.verifier-missing code.verifier-wrong refresh.answer
    refresh.own-client refresh.scope-wider refresh.rotated-public refresh.replay-revokes refresh.race code.expires-in refresh.not-stored
    refresh.unguessable resource.unknown resource.unknown-at-token resource.fragment discovery.iss-parameter discovery.documents-none
    document.used document.own-code document.unknown-members document.challenge document.other-id document.id-slash document.id-missing
    document.secret document.secret-method document.redirected document.not-found document.accepted document.html document.garbage
    document.list document.huge document.fragment document.user-name document.dot-segments document.no-path document.redirect-unregistered
    document.loopback-port document.key document.key-needed document.key-other document.consent-host
  `,
)
