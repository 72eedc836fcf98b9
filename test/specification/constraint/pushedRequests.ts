import { type Clause, assertions, clause, pushed } from "./clause.ts"
import { from } from "../line.ts"

/** Pushed authorization requests: RFC 9126. */
export const pushedRequests: ReadonlyArray<Clause> = [
  clause("PAR-1", "RFC 9126 §2, §2.3", "POST of a form; another method is 405, too large 413, too many 429", {
    rules: "pushed-authorization.form pushed-authorization.address-rate pushed-authorization.client-rate",
    asked: "pushed.method",
    tests: [
      ...pushed("RFC 9126 §2, RFC 9110 §15.5.6: another method is 405, with Allow"),
      ...from("test/http/limits.test.ts")("a body beyond 64 KiB is 413 (RFC 9110 §15.5.14)"),
    ],
  }),
  clause("PAR-2", "RFC 9126 §2", "a client authenticates as at the token endpoint, a public one by its client_id", {
    rules: "client.secret-present client.method client.method-profile",
    asked: "pushed.client pushed.public",
    tests: pushed("RFC 9126 §2: a public client pushes with its client_id alone"),
  }),
  clause(
    "PAR-3",
    "RFC 9126 §2",
    "an assertion is made out to the issuer, the token endpoint or this one; a FAPI 2.0 client's to the issuer alone",
    {
      rules: "assertion.audience",
      asked: "fapi.audience-pushing",
      tests: assertions(
        "RFC 7521 §4.2: a client authenticates by an assertion at the endpoint for pushed requests, whose URL it may be made out to",
      ),
    },
  ),
  clause("PAR-4", "RFC 9126 §2.1", "a request_uri is not pushed", {
    rules: "pushed-authorization.request-uri",
    asked: "pushed.request-uri",
  }),
  clause("PAR-5", "RFC 9126 §2.1", "everything is judged when it is pushed: PKCE, scope, resource, redirect_uri", {
    rules: "authorize.challenge-required authorize.redirect-uri-registered authorize.scope-allowed authorize.resource-allowed",
    asked: "pushed.redirect-uri pushed.response-type",
    tests: [
      ...pushed(
        "RFC 9126 §2.1, §2.3: PKCE that is missing is refused when it is pushed",
        "RFC 9126 §2.1: a scope that the client may not have is refused when it is pushed",
      ),
      ...from("test/properties/pushedRequests.test.ts")(
        "RFC 9126 §2.1, §4: a request comes to the same whether it is pushed or not, and what would be refused cannot be pushed",
      ),
    ],
  }),
  clause("PAR-6", "RFC 9126 §2.2", "201, with request_uri and expires_in, that nobody stores", {
    asked: "pushed.answer pushed.not-stored",
    reason: "The answer of a request that passed.",
    tests: pushed("RFC 9126 §2.2: a pushed request gets a request_uri of its own, good for 60 s, with status 201 and no-store"),
  }),
  clause("PAR-7", "RFC 9126 §2.2, §7.1", "a request_uri has 256 random bits, is one client's, and lives for 5 to 600 s", {
    rules: "pushed-request.client pushed-request.fresh",
    asked: "pushed.other-client",
    tests: pushed("RFC 9126 §2.2: a request_uri lives as long as the provider is set to, and expires_in says so"),
  }),
  clause("PAR-8", "RFC 9126 §2.3", "errors of the authorization endpoint are answered as JSON", {
    rules: "authorize.response-type-known",
    tests: pushed("RFC 9126 §2.3: an error of the authorization endpoint is one of this endpoint too"),
  }),
  clause("PAR-9", "RFC 9126 §2.4", "a redirect_uri is a registered one, whoever pushes it", {
    rules: "authorize.redirect-uri-registered",
    reason: "The paragraph lets a provider take others; this one does not.",
    tests: pushed("RFC 9126 §2.1, §2.4: a redirect_uri that is not registered is refused when it is pushed"),
  }),
  clause("PAR-10", "RFC 9126 §3", "a request object that is pushed holds all parameters, and is the client's", {
    rules: "request-object.client pushed-authorization.request-alone",
    tests: pushed("RFC 9126 §3: a request object is opened when it is pushed, and its parameters count alone"),
  }),
  clause("PAR-11", "RFC 9126 §4", "what was pushed counts; unknown, expired, used and foreign request_uris are refused before any page", {
    rules: "pushed-request.known pushed-request.client pushed-request.fresh pushed-request.unused",
    asked: "pushed.unknown pushed.expired pushed.others-ignored pushed.own-client",
    tests: pushed("RFC 9126 §4: what was pushed counts, and nothing beside it"),
  }),
  clause("PAR-12", "RFC 9126 §4, §7.3", "a request_uri is used up by its outcome, and not by a visit", {
    rules: "pushed-request.unused pushed-request.used-once",
    asked: "pushed.once pushed.used",
    tests: pushed("RFC 9126 §4: a request_uri is used up by tokens, not by a visit: a reload and a link preview do no harm"),
  }),
  clause("PAR-13", "RFC 9126 §2.2, §4", "expires_in limits the first visit alone", {
    reason: "Whoever was asked something has an interaction, whose own life counts.",
    tests: pushed("RFC 9126 §2.2: expires_in limits the first visit alone: 90 s on the sign-in page are not too long"),
  }),
  clause("PAR-14", "RFC 9126 §5, §6", "the provider or a client may be held to pushing, and discovery says so", {
    rules: "authorize.pushed-request-required",
    asked: "discovery.pushed-authorization-request-endpoint pushed.required",
    tests: pushed(
      "RFC 9126 §6: a client that is held to pushing may not ask otherwise",
      "RFC 9126 §5: where the provider is held to pushing, no client may ask otherwise",
    ),
  }),
]
