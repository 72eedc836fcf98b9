import { type Clause, assertions, ciba, clause, dpop, fapi as cases, mutualTls, plans, requestObjects } from "./clause.ts"
import { from } from "../line.ts"

/** The FAPI 2.0 Security Profile of February 2025. */
const security: ReadonlyArray<Clause> = [
  clause("F-1", "FAPI 2.0 Security Profile §5.3.2.1 (1)", "metadata by discovery", {
    reason: "Documents of the provider.",
    asked: "discovery.json discovery.issuer-same",
    tests: plans("happy-flow: both clients push, sign in, and are let in with what their tokens are bound to"),
  }),
  clause("F-2", "§5.3.2.1 (2)", "no password grant", { rules: "token.grant-type-profile registration.profile-grant-types" }),
  clause("F-3", "§5.3.2.1 (3)", "confidential clients alone", {
    rules: "client.method-profile registration.profile-auth-method",
    tests: cases("FAPI 2.0 Security Profile §5.3.2.1 (3): nor is it a public one"),
  }),
  clause("F-4", "§5.3.2.1 (4, 5)", "tokens are bound to a key or a certificate, whatever the metadata say", {
    rules: "token.confirmation-profile registration.profile-confirmation registration.dpop-refresh-alone",
    asked: "fapi.unproved",
    tests: mutualTls(
      "FAPI 2.0 §5.3.2.1 (4, 5), FAPI 1.0 Part 2 §5.2.2 (5): the tokens of a client of fapi2-security are bound to the certificate that it shows, without a word of it",
    ),
  }),
  clause("F-6", "§5.3.2.1 (6)", "private_key_jwt or a certificate", { rules: "client.method-profile registration.profile-auth-method" }),
  clause("F-7", "§5.3.2.1 (7)", "no open redirector", {
    rules: "authorize.redirect-uri-registered end-session.redirect-uri-registered",
    asked: "authorize.redirect-unregistered authorize.redirect-query-added",
  }),
  clause("F-8", "§5.3.2.1 (8)", "an assertion is made out to the issuer, as a text, and to nothing else", {
    rules: "assertion.audience",
    asked: "fapi.audience-endpoint fapi.audience-pushing fapi.audience-list",
    tests: cases(
      "FAPI 2.0 Security Profile §5.3.2.1 (8): its assertions are made out to the issuer",
      "FAPI 2.0 Security Profile §5.3.2.1 (8): nor to a list, be the issuer all that is in it",
      "FAPI 2.0 Security Profile §5.3.2.1 (8): another client's may be",
    ),
  }),
  clause("F-9", "§5.3.2.1 (9)", "refresh tokens stay the same, and no answer is lost", {
    rules: "refresh.fresh",
    asked: "fapi.refresh-kept",
    tests: cases(
      "FAPI 2.0 Security Profile §5.3.2.1 (9): a refresh token stays the same, so that no answer can be lost",
      "FAPI 2.0 Security Profile §5.3.2.1 (9), RFC 6749 §6: each use of one that stays moves its end",
    ),
  }),
  clause("F-11", "§5.3.2.1 (11)", "a code lives for 60 s at most", {
    rules: "code.fresh",
    asked: "fapi.code-life",
    tests: cases("FAPI 2.0 Security Profile §5.3.2.1 (11): within 60 s, however long the client's codes live"),
  }),
  clause("F-12", "§5.3.2.1 (12)", "dpop_jkt binds the code", { rules: "code.confirmation dpop.jkt-proved" }),
  clause("F-13", "§5.3.2.1 (13)", "moments up to 10 s ahead are taken, and beyond 60 s refused", {
    rules: "assertion.not-before assertion.issued-at request-object.not-before dpop.fresh",
    asked: "fapi.assertion-ahead fapi.assertion-far-ahead messages.ahead",
    tests: [
      ...assertions("RFC 7523 §3 (5), (6): a client's clock may be 30 seconds ahead"),
      ...dpop("RFC 9449 §11.1: a proof of a clock that is 10 s ahead is taken"),
    ],
  }),
  clause("F-14", "§5.3.2.1 (14)", "a token has no more than its client asked and its person allowed", {
    rules: "authorize.scope-allowed refresh.scope-narrows code.details-narrow",
  }),
  clause("G-1", "§5.3.2.2 (1)", "the response type is code, in the query or as a JWT", {
    rules:
      "authorize.response-type-profile authorize.response-mode-profile registration.profile-response-types registration.profile-response-modes",
    asked: "fapi.response-type",
  }),
  clause("G-2", "§5.3.2.2 (2, 3, 4)", "requests are pushed by a client that authenticates", {
    rules: "authorize.pushed-request-required registration.profile-pushing",
    asked: "fapi.pushed-only",
    tests: cases("FAPI 2.0 Security Profile §5.3.2: one that was is granted, and its code redeemed"),
  }),
  clause("G-5", "§5.3.2.2 (5)", "PKCE by S256", {
    rules: "authorize.challenge-required authorize.challenge-plain-allowed registration.profile-pkce registration.profile-plain-pkce",
    asked: "fapi.challenge fapi.challenge-plain",
  }),
  clause("G-6", "§5.3.2.2 (6)", "redirect_uri is in every pushed request", {
    rules: "authorize.redirect-uri-present",
    asked: "fapi.redirect-uri",
  }),
  clause("G-7", "§5.3.2.2 (7)", "iss is in every response", {
    reason: "See I-1.",
    asked: "authorize.iss-issuer discovery.iss-parameter",
    tests: plans("happy-flow: both clients push, sign in, and are let in with what their tokens are bound to"),
  }),
  clause("G-8", "§5.3.2.2 (8)", "no redirect URI of http but a native client's on the loopback address", {
    rules: "registration.redirect-uris",
  }),
  clause("G-9", "§5.3.2.2 (9)", "a code is good once, and its replay ends its tokens", {
    rules: "code.unused",
    asked: "code.once code.replay-revokes",
    tests: plans("attempt-reuse-authorization-code-after-one-second: the second use is refused, and the first token dies with it"),
  }),
  clause("G-10", "§5.3.2.2 (10, 11)", "redirects are 303, and never 307", {
    reason: "Every redirect is written by one function.",
    asked: "authorize.redirect-not-307",
    tests: from("test/core/browser.test.ts")("RFC 9700 §4.12: after a POST with credentials the redirect is 303"),
  }),
  clause("G-12", "§5.3.2.2 (12)", "a request_uri is good for less than 600 s", {
    rules: "pushed-request.fresh",
    asked: "fapi.request-life",
    tests: cases(
      "FAPI 2.0 Security Profile §5.3.2.2 (12): a request_uri is good for less than 600 s, however long those of other clients are",
    ),
  }),
  clause("G-13", "§5.3.2.2 (13)", "the person sees who asks, and for what", { rules: "person.consented" }),
  clause("G-14", "§5.3.2.2", "a nonce of 64 characters works", {
    reason: "Its length is bounded by that of the request alone.",
    asked: "fapi.nonce-long",
    tests: plans("happy-flow: both clients push, sign in, and are let in with what their tokens are bound to"),
  }),
  clause("H-1", "§5.3.4", "a resource takes tokens in the header alone, and judges life, revocation and binding", {
    rules: "resource.token-not-in-url resource.token-fresh resource.introspection-active resource.token-bearer resource.token-bound",
    tests: plans("the same token is refused in the URL, without what it is bound to, and with what another has"),
  }),
  clause("K-1", "§5.4.1 (1)", "PS256, ES256 and EdDSA alone, for all that is signed", {
    rules:
      "assertion.algorithm dpop.algorithm-profile request-object.algorithm authorize.response-algorithm-profile authorize.id-token-algorithm-profile token.algorithm-profile userinfo.algorithm-profile introspection.algorithm-profile registration.profile-algorithms",
    asked: "fapi.algorithm",
  }),
  clause("K-2", "§5.4.1 (2, 3)", "RSA keys have 2048 bits or more, at a client too", {
    rules: "dpop.key assertion.signature",
    asked: "keys.rsa-size",
    tests: assertions("RFC 7518 §3.3: an RSA key that is shorter than 2048 bits verifies nothing"),
  }),
  clause("K-3", "§5.4.2, §5.4.3", "of keys with one kid, the one that fits counts", {
    reason: "The verifier looks for keys by kid, kty, use and alg, and tries those that fit.",
    asked: "keys.kid-unique",
    tests: assertions(
      "FAPI 2.0 Security Profile §5.4.3: of two keys with one kid, that of its kind verifies",
      "FAPI 2.0 Security Profile §5.4.3: of two keys with one kid, the one that signed verifies",
    ),
  }),
  clause("K-4", "§5.2.2, RFC 9325 §4.2", "TLS 1.2 with four suites, or 1.3; HSTS", {
    reason: "The listener of the adapter.",
    tests: [
      ...from("test/http/tls.test.ts")(
        "only TLS 1.2 with the suites that are recommended, and TLS 1.3, are spoken (RFC 9325 §3.1, §4.2, FAPI 2.0 Security Profile §5.2.2)",
      ),
      ...from("test/http/requests.test.ts")("asks browsers for https when the issuer is https (RFC 6797 §6.1)"),
    ],
  }),
  clause("K-5", "§5.2.3, RFC 9700 §2.6", "no CORS at the authorization endpoint", {
    reason: "A feature says which endpoints scripts may call.",
    tests: from("test/core/metadata.test.ts")("RFC 9700 §2.6: no CORS on %s"),
  }),
  clause("K-6", "§5.3", "a client is told which clauses it does not meet, from its metadata and its trails", {
    reason: "A command; the rules are those above.",
    tests: from("test/cli/readiness.test.ts")(
      "FAPI 2.0 Security Profile §5.3.2.1 (4, 8): requests of a client that a profile would have refused are counted from their trails",
      "every fact of a trail that a profile judges is judged",
    ),
  }),
]

/** FAPI 2.0 Message Signing of September 2025. */
const messages: ReadonlyArray<Clause> = [
  clause("M-1", "FAPI 2.0 Message Signing §5.3", "requests are signed, and pushed; aud is the issuer, or a list with it", {
    rules: "authorize.request-object-required pushed-authorization.request-alone request-object.audience request-object.signature",
    asked:
      "messages.flow messages.unsigned messages.audience messages.audience-list messages.audience-missing messages.beside messages.alg-none messages.signature messages.issuer messages.nested",
    tests: requestObjects("RFC 7519 §4.1.3: an aud of several holds our issuer"),
  }),
  clause("M-2", "§5.3.1", "they live for an hour at most, from nbf to exp, and since nbf", {
    rules: "request-object.lifetime request-object.expired",
    asked: "messages.exp-missing messages.nbf-missing messages.expired messages.long-lived messages.old",
  }),
  clause("M-3", "§5.4", "responses are JWTs, errors too; response_modes of a client counts", {
    rules: "authorize.response-mode-profile authorize.response-mode-allowed registration.response-modes registration.profile-responses",
    asked: "messages.response messages.error messages.plain-response messages.other-mode",
  }),
  clause("M-4", "§5.5, RFC 9701", "introspections are signed, for who may see the token", {
    rules: "introspection.visible introspection.confidential resource.signed-audience resource.signed-type",
    tests: from("test/cases/jwtAnswers.ts")("RFC 9701 §5: an introspection as a JWT for the one who asks"),
  }),
  clause("M-5", "§5.3, §5.4", "the foundation's plans run as their configuration has them", {
    reason: "Modules of a plan, see the list of modules.",
    tests: from("test/verify/fapi2Plans.test.ts")(
      "happy-flow: both clients push, sign in, read the response, and are let in with what their tokens are bound to",
      "a request object is refused where it is unsigned, unbounded, out of date, for another, or not alone",
    ),
  }),
]

/** FAPI 1.0 Part 2, where it differs. */
const advanced: ReadonlyArray<Clause> = [
  clause("A-1", "FAPI 1.0 Part 2 §5.2.2 (1, 13, 15, 17)", "a signed request that lives for an hour at most, and nothing beside it counts", {
    rules: "authorize.request-object-required request-object.lifetime request-object.algorithm",
  }),
  clause("A-2", "§5.2.2 (2)", "code id_token, or a code in a JWT", {
    rules: "authorize.response-mode-profile",
    tests: cases("FAPI 1.0 Part 2 §5.2.2 (2): one beside an ID token is not"),
  }),
  clause("A-3", "§5.2.2.1", "the ID token has s_hash", {
    reason: "The content of the ID token.",
    tests: cases("FAPI 1.0 Part 2 §5.2.2.1: its ID token has the hash of the state"),
  }),
  clause("A-5", "§5.2.2 (5)", "tokens are bound to a certificate", {
    rules: "token.confirmation-profile registration.profile-confirmation",
  }),
  clause("A-18", "§5.2.2 (18)", "a pushed request needs PKCE", { rules: "pushed-authorization.challenge-required" }),
  clause("A-8", "§8.6", "PS256 and ES256 alone", { rules: "authorize.id-token-algorithm-profile token.algorithm-profile" }),
]

/** CIBA Core 1.0 and FAPI-CIBA. */
const backchannel: ReadonlyArray<Clause> = [
  clause("C-1", "CIBA Core §7.1", "openid, one hint, and parameters of their form", {
    rules: "ciba.scope-openid ciba.hint-one ciba.binding-message ciba.requested-expiry ciba.notification-token ciba.user-code",
    asked: "ciba.scope-openid ciba.hint-two ciba.message-long ciba.notification-token-long",
  }),
  clause("C-2", "CIBA Core §7.1.1", "a signed request has all claims and parameters, and nothing beside it", {
    rules:
      "ciba-request.alone ciba-request.form ciba-request.type ciba-request.nested ciba-request.algorithm ciba-request.signature ciba-request.issuer ciba-request.audience ciba-request.times ciba-request.jti",
    asked: "ciba-request.honored ciba-request.beside ciba-request.once",
  }),
  clause("C-3", "CIBA Core §7.3", "auth_req_id, expires_in, and an interval for who polls", {
    reason: "The answer of a request that passed.",
    asked: "ciba.answer ciba.id-unguessable",
    tests: ciba(
      "CIBA Core §7.3: a client that polls gets an auth_req_id, its life and the interval",
      "CIBA Core §7.3: a client that is pushed its tokens gets no interval",
    ),
  }),
  clause("C-4", "CIBA Core §13", "each error by its own code", {
    rules: "ciba.person-known ciba.user-code-present ciba.grant-allowed ciba.login-hint-token ciba-hint.jwt-fresh",
    asked: "ciba.hint-unknown",
  }),
  clause("C-5", "CIBA Core §10.1, §11", "pending, slow_down by five seconds more, expired, denied, once, and for its client alone", {
    rules:
      "ciba-grant.approved ciba-grant.unhurried ciba-grant.fresh ciba-grant.not-denied ciba-grant.unused ciba-grant.client ciba-grant.not-pushed",
    asked: "ciba.pending ciba.slow-down ciba.once ciba.race ciba.own-client",
    tests: ciba("CIBA Core §11: slow_down adds five seconds, and they are kept"),
  }),
  clause("C-6", "CIBA Core §10.2", "a ping has the client's own token; no redirect is followed, and who fails is tried again", {
    reason: "The worker of the outbox.",
    asked: "ciba.pinged ciba.pinged-tokens ciba.pinged-at-once",
    tests: ciba(
      "CIBA Core §10.2: a ping carries the auth_req_id, and the client's own token",
      "CIBA Core §10.2: a redirect is not followed, and not tried again",
      "CIBA Core §10.2: who is not reached is tried again",
    ),
  }),
  clause("C-7", "CIBA Core §10.3, §12", "a push has tokens that its ID token binds, or an error", {
    reason: "The worker of the outbox.",
    asked: "ciba.pushed ciba.push-denied ciba.push-expired",
    tests: [
      ...from("test/core/ciba.test.ts")("the ID token is bound to the request, the access token and the refresh token"),
      ...ciba("CIBA Core §12: a push of a denial carries the error"),
    ],
  }),
  clause("C-8", "CIBA Core §4", "discovery and registration", {
    rules:
      "registration.ciba-delivery-mode registration.ciba-notification-endpoint registration.ciba-confidential registration.ciba-request-keys",
    asked: "ciba.modes",
    tests: from("test/core/ciba.test.ts")("states the endpoint, the modes and the algorithms, and no user codes"),
  }),
  clause("C-9", "FAPI-CIBA §5.2.2", "signed requests of an hour at most, a binding_message, bound tokens and so no push", {
    rules:
      "ciba.signed ciba-request.times ciba.binding-message-required ciba.push-unbound approval.push-unbound registration.ciba-push-bound token.confirmation-profile",
    tests: from("test/verify/fapi2Plans.test.ts")(
      "both clients ask by a signed request, are told, and are let in with tokens that are bound to their certificate",
    ),
  }),
  clause("C-10", "CIBA Core §14", "a person is not asked without end", {
    rules: "ciba.person-waiting ciba.person-rate ciba.user-code-attempts ciba.user-code-person-attempts",
  }),
]

export const fapi: ReadonlyArray<Clause> = [...security, ...messages, ...advanced, ...backchannel]
