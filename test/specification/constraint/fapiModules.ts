import { type Clause, api, assertions, clause, dpop, fapi, jarm, plans, proofs, pushed, requestObjects } from "./clause.ts"
import { from } from "../line.ts"

const module = (name: string, text: string, decided: Parameters<typeof clause>[3]): Clause =>
  clause(name, "foundation's plan fapi2-security-profile-final", text, { reason: "A module of the plan.", ...decided })

const happy = plans("happy-flow: both clients push, sign in, and are let in with what their tokens are bound to")
const refusedElsewhere = plans("the same token is refused in the URL, without what it is bound to, and with what another has")

/** The modules of the foundation's plan for the FAPI 2.0 Security Profile, by their names, without its prefix. */
const security: ReadonlyArray<Clause> = [
  module("discovery-end-point-verification", "the metadata", {
    asked:
      "discovery.json discovery.issuer-same discovery.iss-parameter discovery.pushed-authorization-request-endpoint dpop.algorithms discovery.token-auth-algs discovery.challenge-s256 discovery.booleans discovery.lists keys.kid",
  }),
  module("happy-flow", "two clients, a long state, dpop_jkt alone, a token in the query, another's key", {
    asked:
      "fapi.flow pushed.answer pushed.others-ignored authorize.iss-issuer authorize.code-unguessable authorize.state-intact dpop.token-type userinfo.query dpop.userinfo-key",
    tests: [...happy, ...refusedElsewhere, ...dpop("RFC 9449 §10.1: a pushed dpop_jkt does too")],
  }),
  module("user-rejects-authentication", "access_denied", { rules: "person.consent-not-denied", asked: "authorize.denied" }),
  module("ensure-authorization-request-without-state-success", "no state, and none comes back", {
    tests: from("test/cases/specification.ts")("specification §2.1 state: comes back with code by query; without one none does"),
  }),
  module("access-token-type-header-case-sensitivity", "dpop and DPOP", {
    tests: [
      ...dpop("RFC 9449 §7.1: the scheme may be written in any case"),
      ...api("RFC 9449 §7.1: a bound token with its proof, whatever the case of its scheme"),
    ],
  }),
  module("check-dpop-proof-nbf-exp", "nbf and exp in proofs", {
    rules: "dpop.validity",
    tests: api("FAPI 2.0 Security Profile §5.3.2.1 (13): proofs of ten seconds ahead, unknown claims, nbf and exp"),
  }),
  module("ensure-dpopproof-with-iat-10seconds-before-succeeds", "a proof of 10 s ago", {
    tests: dpop("RFC 9449 §11.1: a proof that is 60 s old is taken"),
  }),
  module("ensure-dpopproof-with-iat-10seconds-after-succeeds", "a proof of 10 s ahead", {
    tests: [
      ...dpop("RFC 9449 §11.1: a proof of a clock that is 10 s ahead is taken"),
      ...api("FAPI 2.0 Security Profile §5.3.2.1 (13): proofs of ten seconds ahead, unknown claims, nbf and exp"),
    ],
  }),
  module("ensure-mismatched-dpop-jkt-fails", "dpop_jkt and the proof of the pushed request differ", { rules: "dpop.jkt-proved" }),
  module("ensure-token-endpoint-fails-with-mismatched-dpop-jkt", "another key than the pushed request named", {
    rules: "code.confirmation",
    asked: "dpop.jkt",
  }),
  module("ensure-token-endpoint-fails-with-mismatched-dpop-proof-jkt", "another key than the pushed request proved", {
    rules: "code.confirmation",
    tests: dpop("RFC 9449 §10.1: a proof of a pushed request binds the code"),
  }),
  module("ensure-dpopproof-at-par-endpoint-binding-success", "the key that the pushed request proved", {
    tests: dpop("RFC 9449 §10.1: to the key that it is of"),
  }),
  module("ensure-dpop-auth-code-binding-success", "the key that the request named", {
    tests: dpop("RFC 9449 §10: a code whose request named a key by dpop_jkt is redeemed with it"),
  }),
  module("ensure-different-state-inside-and-outside-request-object", "the pushed state wins", {
    asked: "fapi.state-pushed pushed.others-ignored",
  }),
  module("state-only-outside-request-object-not-used", "a state beside the request_uri is none", {
    asked: "fapi.state-pushed pushed.others-ignored",
    tests: pushed("RFC 9126 §4: what was pushed counts, and nothing beside it"),
  }),
  module("ensure-authorization-request-with-long-state", "a state of 1000 characters", { rules: "authorize.length authorize.kept-length" }),
  module("ensure-request-object-without-redirect-uri-fails", "no redirect_uri", {
    rules: "authorize.redirect-uri-present",
    asked: "fapi.redirect-uri",
  }),
  module("ensure-redirect-uri-in-authorization-request", "no redirect_uri", {
    rules: "authorize.redirect-uri-present",
    asked: "fapi.redirect-uri",
  }),
  module("plain-fapi-tolerate-unregistered-redirect-uri", "a redirect_uri that is not registered", {
    rules: "authorize.redirect-uri-registered",
    asked: "pushed.redirect-uri",
  }),
  module("ensure-unsigned-authorization-request-without-using-par-fails", "a request that was not pushed", {
    rules: "authorize.pushed-request-required",
    asked: "fapi.pushed-only",
  }),
  module("ensure-response-type-code-idtoken-fails", "code id_token", {
    rules: "authorize.response-type-allowed authorize.response-type-profile",
    asked: "fapi.response-type",
  }),
  module("ensure-response-type-token-fails", "token", { rules: "authorize.response-type-allowed authorize.response-type-profile" }),
  module("ensure-client-id-in-token-endpoint", "another client_id beside the assertion", { rules: "client.same-id" }),
  module("ensure-holder-of-key-required", "no proof", {
    rules: "token.confirmation-profile",
    asked: "fapi.unproved",
    tests: from("test/http/tls.test.ts")(
      "only TLS 1.2 with the suites that are recommended, and TLS 1.3, are spoken (RFC 9325 §3.1, §4.2, FAPI 2.0 Security Profile §5.2.2)",
    ),
  }),
  module("ensure-authorization-code-is-bound-to-client", "another client's code", { rules: "code.client", asked: "code.own-client" }),
  module("attempt-reuse-authorization-code-after-one-second", "a code that comes again", {
    rules: "code.unused",
    asked: "code.once code.replay-revokes",
    tests: plans("attempt-reuse-authorization-code-after-one-second: the second use is refused, and the first token dies with it"),
  }),
  module("ensure-token-endpoint-fails-with-expired-auth-code", "a code of 62 s", { rules: "code.fresh", asked: "fapi.code-life" }),
  module("ensure-signed-client-assertion-with-RS256-fails", "RS256", {
    rules: "assertion.algorithm",
    tests: fapi("FAPI 2.0 Security Profile §5.4.1 (1): it does not sign with RS256"),
  }),
  module("ensure-client-assertion-in-token-endpoint", "no assertion", { rules: "client.secret-present", asked: "client.assertion" }),
  module("ensure-client-assertion-with-exp-is-5-minutes-in-past-fails", "an assertion that has expired", {
    rules: "assertion.fresh",
    asked: "client.assertion-expired",
  }),
  module("ensure-client-assertion-with-wrong-aud-fails", "an assertion for another server", {
    rules: "assertion.audience",
    asked: "client.assertion-aud",
  }),
  module("ensure-client-assertion-with-no-sub-fails", "an assertion without sub", {
    rules: "assertion.subject",
    asked: "client.assertion-sub-missing",
  }),
  module("dpop-negative-tests", "wrong proofs at the resource, and then a good one", {
    rules:
      "dpop.once dpop.jwt dpop.type dpop.algorithm dpop.algorithm-profile dpop.key dpop.claims dpop.access-token dpop.signature dpop.key-public dpop.method dpop.address dpop.fresh dpop.unused resource.token-bearer resource.token-scheme",
    asked: "dpop.two dpop.garbage dpop.typ dpop.none dpop.private-key dpop.userinfo",
    tests: api("RFC 9449 §4.3 (9), RFC 3986 §6.2.2: an htu with query, fragment, upper case or port"),
  }),
  module("refresh-token", "a new key, half a minute later, unauthenticated, unproved, of another client", {
    rules: "refresh.client token.confirmation-profile client.secret-present",
    asked: "fapi.refresh-kept refresh.own-client refresh.not-stored",
    tests: [
      ...fapi("FAPI 2.0 Security Profile §5.3.2.1 (9): a refresh token stays the same, so that no answer can be lost"),
      ...plans("refresh-token: a new key is taken and the token stays good; unauthenticated, unproved, or of another client it is not"),
    ],
  }),
  module("par-ensure-reused-request-uri-prior-to-auth-completion-succeeds", "a visit uses nothing up", {
    tests: pushed("RFC 9126 §4: a request_uri is used up by tokens, not by a visit: a reload and a link preview do no harm"),
  }),
  module("par-attempt-reuse-request_uri", "a request_uri that was answered", { rules: "pushed-request.unused", asked: "pushed.once" }),
  module("par-attempt-to-use-expired-request_uri", "one that has expired", { rules: "pushed-request.fresh", asked: "pushed.expired" }),
  module("par-attempt-to-use-request_uri-for-different-client", "another client's", {
    rules: "pushed-request.client",
    asked: "pushed.own-client",
  }),
  module("par-authorization-request-containing-request_uri-form-param", "a request_uri that is pushed", {
    rules: "pushed-authorization.request-uri",
    asked: "pushed.request-uri",
  }),
  module("par-attempt-invalid-http-method", "PUT", {
    asked: "pushed.method",
    tests: pushed("RFC 9126 §2, RFC 9110 §15.5.6: another method is 405, with Allow"),
  }),
  module("par-ensure-jwt-client-assertions-nbf-8-seconds-in-the-future-is-accepted", "an nbf of 8 s ahead", {
    asked: "fapi.assertion-ahead",
  }),
  module("par-ensure-jwt-client-assertions-nbf-over-60-seconds-in-the-future-fails", "an nbf of a minute ahead", {
    rules: "assertion.not-before",
    asked: "fapi.assertion-far-ahead",
  }),
  module("par-ensure-pkce-required", "no challenge", { rules: "authorize.challenge-required", asked: "fapi.challenge" }),
  module("par-plain-pkce-rejected", "a plain challenge", { rules: "authorize.challenge-plain-allowed", asked: "fapi.challenge-plain" }),
  module("ensure-pkce-code-verifier-required", "no verifier", { rules: "code.verifier-present", asked: "pkce.missing" }),
  module("incorrect-pkce-code-verifier-rejected", "another verifier", { rules: "code.pkce-proof", asked: "pkce.other" }),
  module("par-without-duplicate-parameters", "client_id and request_uri alone", { asked: "pushed.used" }),
  module("par-test-array-as-audience-fails", "an assertion for a list", { rules: "assertion.audience", asked: "fapi.audience-list" }),
  module("par-test-par-endpoint-url-as-audience-fails", "an assertion for the endpoint itself", {
    rules: "assertion.audience",
    asked: "fapi.audience-pushing",
  }),
  module("par-test-token-endpoint-url-as-audience-fails", "an assertion for the token endpoint", {
    rules: "assertion.audience",
    asked: "fapi.audience-endpoint",
  }),
  module("client-credentials", "the profile client_credentials_grant: a bound token, and no refresh token", {
    rules: "token.confirmation-profile",
    tests: [
      ...fapi("FAPI 2.0 Security Profile §5.4.1 (1): but with PS256"),
      ...proofs("RFC 9449 §11.1: of 16 requests with one proof at once, one gets tokens"),
    ],
  }),
]

const message = (name: string, text: string, decided: Parameters<typeof clause>[3]): Clause =>
  clause(name, "foundation's plan fapi2-message-signing-final", text, { reason: "A module of the plan.", ...decided })

/** The further demands of the plan for FAPI 2.0 Message Signing. */
const messages: ReadonlyArray<Clause> = [
  message("signed request: several aud", "accepted", {
    asked: "messages.audience-list",
    tests: requestObjects("RFC 7519 §4.1.3: an aud of several holds our issuer"),
  }),
  message("signed request: nbf of 8 s ahead", "accepted", { asked: "messages.ahead" }),
  message("signed request: no exp, no nbf", "refused", {
    rules: "request-object.lifetime",
    asked: "messages.exp-missing messages.nbf-missing",
  }),
  message("signed request: expired, for too long, too old", "refused", {
    rules: "request-object.expired request-object.lifetime",
    asked: "messages.expired messages.long-lived messages.old",
  }),
  message("signed request: wrong aud", "refused", { rules: "request-object.audience", asked: "messages.audience" }),
  message("signed request: RS256, none, a broken signature, another client's", "refused", {
    rules: "request-object.algorithm request-object.signature request-object.client",
    asked: "messages.alg-none messages.signature messages.issuer",
  }),
  message("signed request: plain parameters, request_uri inside", "refused", {
    rules: "authorize.request-object-required pushed-authorization.request-alone request-object.nested",
    asked: "messages.unsigned messages.beside messages.nested",
  }),
  message("signed response", "one JWT with iss, aud and a near exp, by a key of the profile; errors too", {
    rules: "authorize.response-algorithm-profile authorize.response-mode-profile",
    asked: "messages.response messages.error messages.plain-response",
    tests: jarm("JARM §2.1: an error that nobody was asked for is a JWT too, in its place"),
  }),
]

/** Demands of plans that contradict each other: a client's profile decides. */
const apart: ReadonlyArray<Clause> = [
  clause("P-1", "RFC 7523 §3 (3), FAPI 2.0 Security Profile §5.3.2.1 (8)", "the audience of assertions: liberal, or the issuer alone", {
    rules: "assertion.audience",
    tests: fapi("FAPI 2.0 Security Profile §5.3.2.1 (8): another client's may be"),
  }),
  clause("P-2", "RFC 9700 §4.14.2, FAPI 2.0 Security Profile §5.3.2.1 (9)", "rotation, or none", {
    rules: "refresh.unrotated",
    tests: [
      ...fapi("FAPI 2.0 Security Profile §5.3.2.1 (9): a refresh token stays the same, so that no answer can be lost"),
      ...plans("refresh-token: a new key is taken and the token stays good; unauthenticated, unproved, or of another client it is not"),
    ],
  }),
  clause("P-3", "OpenID Connect Core §15.1, FAPI 2.0 Security Profile §5.4.1 (1)", "RS256 by default, or never", {
    rules: "registration.profile-algorithms assertion.algorithm",
    tests: assertions("RFC 7518 §3.1, RFC 8037 §3.1: an assertion of private_key_jwt may be signed by RS256"),
  }),
  clause("P-4", "RFC 9126 §6", "pushing as one likes, or always", { rules: "authorize.pushed-request-required" }),
  clause("P-5", "FAPI 2.0 Security Profile §5.2.2", "the suites of TLS 1.2 are those that FAPI permits, for everybody", {
    reason: "The listener of the adapter.",
    tests: from("test/http/tls.test.ts")(
      "only TLS 1.2 with the suites that are recommended, and TLS 1.3, are spoken (RFC 9325 §3.1, §4.2, FAPI 2.0 Security Profile §5.2.2)",
    ),
  }),
]

export const fapiModules: ReadonlyArray<Clause> = [...security, ...messages, ...apart]
