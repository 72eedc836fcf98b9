import { first, holds, same, shown } from "../oracle/finding.ts"
import type { Requirement } from "../requirement/requirement.ts"
import { unsigned } from "../steps/signed.ts"
import type { Changes } from "../exchange/exchange.ts"
import { accepts, answered, answersWith, asks, authorizing, errorOrPage, errorSent, noCodeBut, stopped, stopsOrSends } from "./answer.ts"

/** Defines a request that must be refused with one of these errors, or by an error page. */
const refusedFor = (id: string, paragraph: string, title: string, changes: Changes, ...codes: ReadonlyArray<string>): Requirement =>
  asks(id, paragraph, title, changes, stopsOrSends(...codes))

const once = (name: string): Requirement =>
  authorizing(
    `once-${name.replaceAll("_", "-")}`,
    "RFC 6749 §3.1",
    `A request with two of ${name} is refused`,
    async (t) => {
      const request = t.request("web", t.random(32))
      const second = [name, `${request.find(([each]) => each === name)?.[1] ?? "value"}2`] as const
      return t.authorizeWith([...request, second])
    },
    noCodeBut("invalid_request"),
  )

/** The authorization endpoint: its responses, and their destinations. */
export const authorize: ReadonlyArray<Requirement> = [
  accepts("code", "RFC 6749 §4.1.2", "A request that is right is answered with a code and its state", {}),
  asks("place-query", "OAuth 2.0 Multiple Response Types §5", "A code alone comes in the query", {}, (a) =>
    same(a.place, "query", "the place"),
  ),
  asks("state-absent", "RFC 6749 §4.1.2", "A request without state is answered without state", { state: undefined }, (a) =>
    first(answered(a, "code"), holds(!("state" in a.params), "there is a state")),
  ),
  accepts("state-intact", "RFC 6749 §4.1.2", "The state comes back character by character", { state: "a b+c%20d&e=f?g/h#i\u00fc;~._-" }),
  accepts("state-long", "RFC 6749 §4.1.2", "A state of 500 characters comes back whole", { state: "x".repeat(500) }),
  asks("client-missing", "RFC 6749 §4.1.2.1", "Without a client_id the browser is sent nowhere", { client_id: undefined }, stopped),
  asks(
    "client-unknown",
    "RFC 6749 §4.1.2.1",
    "With an unknown client_id the browser is sent nowhere",
    { client_id: "nobody-has-this-id" },
    stopped,
  ),
  refusedFor(
    "response-type-missing",
    "RFC 6749 §3.1.1",
    "A request without a response_type is refused",
    { response_type: undefined },
    "invalid_request",
    "unsupported_response_type",
  ),
  refusedFor(
    "response-type-unknown",
    "RFC 6749 §3.1.1",
    "An unknown response_type is refused",
    { response_type: "money" },
    "unsupported_response_type",
    "invalid_request",
  ),
  refusedFor(
    "response-type-not-allowed",
    "RFC 6749 §4.1.2.1",
    "A client gets no response type that it is not registered for",
    { response_type: "id_token token" },
    "unauthorized_client",
    "unsupported_response_type",
    "invalid_request",
  ),
  authorizing(
    "response-type-profile",
    "draft-ietf-oauth-v2-1 §10",
    "A client that is held to OAuth 2.1 gets no token through the browser, whatever it was registered for before",
    (t) => t.authorize("older", { response_type: "code token" }),
    stopsOrSends("unauthorized_client", "unsupported_response_type", "invalid_request"),
    "MUST",
    { clients: ["older"], person: true },
  ),
  // No sentence demands it: a provider that has no response modes ignores the parameter (RFC 6749 §3.1).
  asks(
    "response-mode-unknown",
    "OAuth 2.0 Multiple Response Types §2.1",
    "An unknown response_mode is refused",
    { response_mode: "pigeon" },
    stopsOrSends("invalid_request", "unsupported_response_mode"),
    "SHOULD",
  ),
  asks(
    "scope-unknown",
    "RFC 6749 §3.3",
    "An unknown scope is left out or refused, and nothing else happens",
    { scope: "openid a_scope_that_nobody_has" },
    (a) => (a.params["error"] === undefined ? answered(a, "code") : errorSent(a, "invalid_scope")),
  ),
  accepts("unknown-parameter", "RFC 6749 §3.1", "An unknown parameter is ignored", { extra: "foobar" }),
  accepts("empty-parameter", "RFC 6749 §3.1", "A parameter without a value is as if it were left out", { login_hint: "", display: "" }),
  accepts("nonce-optional", "OpenID Connect Core §3.1.2.1", "The code flow needs no nonce", { nonce: undefined }),
  accepts("display-popup", "OpenID Connect Core §3.1.2.1", "display=popup is accepted", { display: "popup" }),
  accepts("ui-locales", "OpenID Connect Core §3.1.2.1", "Locales that the provider does not have are no error", {
    ui_locales: "tlh fr",
    claims_locales: "tlh",
  }),
  accepts(
    "acr-values",
    "OpenID Connect Core §3.1.2.1",
    "Authentication contexts that are wished for are no error where they cannot be had",
    { acr_values: "urn:conformance:unknown" },
  ),
  asks(
    "prompt-none-signed-out",
    "OpenID Connect Core §3.1.2.6",
    "prompt=none without a session is answered with an error, and without a page",
    { prompt: "none" },
    (a) =>
      first(
        errorSent(a, "login_required", "interaction_required", "account_selection_required", "consent_required"),
        same(a.met, [], "the pages"),
      ),
  ),
  asks(
    "prompt-none-alone",
    "OpenID Connect Core §3.1.2.1",
    "prompt=none with another value is an invalid request, not one that cannot be met without a page",
    { prompt: "none login" },
    stopsOrSends("invalid_request"),
    // The paragraph demands an error, but no particular one.
    "SHOULD",
  ),
  asks(
    "request-not-supported",
    "OpenID Connect Core §6.1",
    "A request object without a signature is not ignored: it is honored or refused",
    (t) => ({ request: unsigned({ client_id: t.client("web").client_id, nonce: "of the object" }) }),
    (a) =>
      a.params["error"] === undefined && a.leaving !== undefined
        ? answered(a, "code")
        : errorOrPage(a, "request_not_supported", "invalid_request_object", "invalid_request"),
  ),
  refusedFor(
    "request-uri-unregistered",
    "OpenID Connect Core §6.2",
    "A request_uri that was never registered or pushed is refused",
    { request_uri: "https://client.conformance.test/request.jwt" },
    "request_uri_not_supported",
    "invalid_request_uri",
    "invalid_request",
  ),
  asks(
    "registration-not-supported",
    "OpenID Connect Core §7.2.1",
    "The parameter registration is refused where it is not supported",
    { registration: "{}" },
    stopsOrSends("registration_not_supported", "invalid_request"),
    "SHOULD",
  ),
  ...["client_id", "redirect_uri", "response_type", "scope", "state", "nonce", "code_challenge"].map(once),
  authorizing(
    "post",
    "OpenID Connect Core §3.1.2.1",
    "A request may be sent by POST",
    (t) => t.authorize("web", {}, { method: "POST" }),
    answersWith("code"),
  ),
  authorizing(
    "denied",
    "RFC 6749 §4.1.2.1",
    "A person who refuses is answered with access_denied",
    (t) => t.authorize("web", { prompt: "consent" }, { choices: { consent: "refuse" } }),
    (a) => (a.met.includes("consent") ? errorSent(a, "access_denied") : undefined),
  ),
  authorizing(
    "code-unguessable",
    "RFC 6749 §10.10",
    "Codes cannot be guessed: no two are alike, and each has at least 128 bits",
    async (t) => {
      const browser = t.browser()
      const codes: Array<string> = []
      for (let at = 0; at < 5; at++) codes.push((await t.code("web", {}, { browser })).code)
      return codes
    },
    (codes) =>
      first(
        holds(new Set(codes).size === codes.length, "two codes are alike"),
        ...codes.map((code) => holds(code.length >= 22 && /^[\x20-\x7e]+$/.test(code), `a code is ${shown(code.length)} characters long`)),
      ),
  ),
  authorizing(
    "iss-issuer",
    "RFC 9207 §2.4",
    "The iss of an answer, and of an error, is the issuer",
    async (t) => ({ code: await t.authorize("web"), error: await t.authorize("web", { prompt: "none" }), issuer: t.target.issuer }),
    ({ code, error, issuer }) =>
      first(same(code.params["iss"], issuer, "the iss of a code"), same(error.params["iss"], issuer, "the iss of an error")),
    "MUST",
    { clients: ["web"], person: true, metadata: { authorization_response_iss_parameter_supported: true } },
  ),
]
