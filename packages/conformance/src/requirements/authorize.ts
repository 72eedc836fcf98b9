import { first, holds, oneOf, same, shown } from "../oracle/finding.ts"
import { type Requirement, requirement } from "../requirement/requirement.ts"
import { type Case, answered, errorOrPage, errorSent, plain, stopped } from "./answer.ts"

const cases: ReadonlyArray<Case> = [
  {
    id: "code",
    paragraph: "RFC 6749 §4.1.2",
    title: "A request that is right is answered with a code and its state",
    changes: {},
    oracle: (a) => answered(a, "code"),
  },
  {
    id: "place-query",
    paragraph: "OAuth 2.0 Multiple Response Types §5",
    title: "A code alone comes in the query",
    changes: {},
    oracle: (a) => same(a.place, "query", "the place"),
  },
  {
    id: "state-absent",
    paragraph: "RFC 6749 §4.1.2",
    title: "A request without state is answered without state",
    changes: { state: undefined },
    oracle: (a) => first(answered(a, "code"), holds(!("state" in a.params), "there is a state")),
  },
  {
    id: "state-intact",
    paragraph: "RFC 6749 §4.1.2",
    title: "The state comes back character by character",
    changes: { state: "a b+c%20d&e=f?g/h#i\u00fc;~._-" },
    oracle: (a) => answered(a, "code"),
  },
  {
    id: "state-long",
    paragraph: "RFC 6749 §4.1.2",
    title: "A state of 500 characters comes back whole",
    changes: { state: "x".repeat(500) },
    oracle: (a) => answered(a, "code"),
  },
  {
    id: "client-missing",
    paragraph: "RFC 6749 §4.1.2.1",
    title: "Without a client_id the browser is sent nowhere",
    changes: { client_id: undefined },
    oracle: stopped,
  },
  {
    id: "client-unknown",
    paragraph: "RFC 6749 §4.1.2.1",
    title: "With an unknown client_id the browser is sent nowhere",
    changes: { client_id: "nobody-has-this-id" },
    oracle: stopped,
  },
  {
    id: "response-type-missing",
    paragraph: "RFC 6749 §3.1.1",
    title: "A request without a response_type is refused",
    changes: { response_type: undefined },
    oracle: (a) => errorOrPage(a, "invalid_request", "unsupported_response_type"),
  },
  {
    id: "response-type-unknown",
    paragraph: "RFC 6749 §3.1.1",
    title: "An unknown response_type is refused",
    changes: { response_type: "money" },
    oracle: (a) => errorOrPage(a, "unsupported_response_type", "invalid_request"),
  },
  {
    id: "response-type-not-allowed",
    paragraph: "RFC 6749 §4.1.2.1",
    title: "A client gets no response type that it is not registered for",
    changes: { response_type: "id_token token" },
    oracle: (a) => errorOrPage(a, "unauthorized_client", "unsupported_response_type", "invalid_request"),
  },
  {
    id: "response-mode-unknown",
    paragraph: "OAuth 2.0 Multiple Response Types §2.1",
    title: "An unknown response_mode is refused",
    changes: { response_mode: "pigeon" },
    oracle: (a) => errorOrPage(a, "invalid_request", "unsupported_response_mode"),
  },
  {
    id: "scope-unknown",
    paragraph: "RFC 6749 §3.3",
    title: "An unknown scope is left out or refused, and nothing else happens",
    changes: { scope: "openid a_scope_that_nobody_has" },
    oracle: (a) => (a.params["error"] === undefined ? answered(a, "code") : errorSent(a, "invalid_scope")),
  },
  {
    id: "unknown-parameter",
    paragraph: "RFC 6749 §3.1",
    title: "An unknown parameter is ignored",
    changes: { extra: "foobar" },
    oracle: (a) => answered(a, "code"),
  },
  {
    id: "empty-parameter",
    paragraph: "RFC 6749 §3.1",
    title: "A parameter without a value is as if it were left out",
    changes: { login_hint: "", display: "" },
    oracle: (a) => answered(a, "code"),
  },
  {
    id: "nonce-optional",
    paragraph: "OpenID Connect Core §3.1.2.1",
    title: "The code flow needs no nonce",
    changes: { nonce: undefined },
    oracle: (a) => answered(a, "code"),
  },
  {
    id: "display-popup",
    paragraph: "OpenID Connect Core §3.1.2.1",
    title: "display=popup is accepted",
    changes: { display: "popup" },
    oracle: (a) => answered(a, "code"),
  },
  {
    id: "ui-locales",
    paragraph: "OpenID Connect Core §3.1.2.1",
    title: "Locales that the provider does not have are no error",
    changes: { ui_locales: "tlh fr", claims_locales: "tlh" },
    oracle: (a) => answered(a, "code"),
  },
  {
    id: "acr-values",
    paragraph: "OpenID Connect Core §3.1.2.1",
    title: "Authentication contexts that are wished for are no error where they cannot be had",
    changes: { acr_values: "urn:conformance:unknown" },
    oracle: (a) => answered(a, "code"),
  },
  {
    id: "prompt-none-signed-out",
    paragraph: "OpenID Connect Core §3.1.2.6",
    title: "prompt=none without a session is answered with an error, and without a page",
    changes: { prompt: "none" },
    oracle: (a) =>
      first(
        errorSent(a, "login_required", "interaction_required", "account_selection_required", "consent_required"),
        same(a.met, [], "the pages"),
      ),
  },
  {
    id: "prompt-none-alone",
    paragraph: "OpenID Connect Core §3.1.2.1",
    title: "prompt=none with another value is refused",
    changes: { prompt: "none login" },
    oracle: (a) => errorOrPage(a, "invalid_request"),
  },
  {
    id: "request-not-supported",
    paragraph: "OpenID Connect Core §6.1",
    title: "A request object without a signature is not ignored: it is honored or refused",
    changes: (t) => ({ request: unsigned({ client_id: t.client("web").client_id, nonce: "of the object" }) }),
    oracle: (a) =>
      a.params["error"] === undefined && a.leaving !== undefined
        ? answered(a, "code")
        : errorOrPage(a, "request_not_supported", "invalid_request_object", "invalid_request"),
  },
  {
    id: "request-uri-unregistered",
    paragraph: "OpenID Connect Core §6.2",
    title: "A request_uri that was never registered or pushed is refused",
    changes: { request_uri: "https://client.conformance.test/request.jwt" },
    oracle: (a) => errorOrPage(a, "request_uri_not_supported", "invalid_request_uri", "invalid_request"),
  },
  {
    id: "registration-not-supported",
    paragraph: "OpenID Connect Core §7.2.1",
    title: "The parameter registration is refused where it is not supported",
    level: "SHOULD",
    changes: { registration: "{}" },
    oracle: (a) => errorOrPage(a, "registration_not_supported", "invalid_request"),
  },
]

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** A request object that nobody signed (OpenID Connect Core §6.1). */
const unsigned = (claims: object): string => `${part({ alg: "none" })}.${part(claims)}.`

const once = (name: string): Requirement =>
  requirement({
    id: `authorize.once-${name.replaceAll("_", "-")}`,
    paragraph: "RFC 6749 §3.1",
    level: "MUST",
    title: `A request with two of ${name} is refused`,
    needs: { clients: ["web"], person: true },
    steps: async (t) => {
      const request = t.request("web", t.random(32))
      const second = [name, `${request.find(([each]) => each === name)?.[1] ?? "value"}2`] as const
      return t.authorizeWith([...request, second])
    },
    oracle: (a) =>
      first(
        holds(a.params["code"] === undefined, `a code came in spite of it`),
        a.leaving === undefined ? stopped(a) : oneOf(a.params["error"], ["invalid_request"], "the error"),
      ),
  })

/** The authorization endpoint: what it answers, and where to. */
export const authorize: ReadonlyArray<Requirement> = [
  ...cases.map(plain),
  ...["client_id", "redirect_uri", "response_type", "scope", "state", "nonce", "code_challenge"].map(once),
  requirement({
    id: "authorize.post",
    paragraph: "OpenID Connect Core §3.1.2.1",
    level: "MUST",
    title: "A request may be sent by POST",
    needs: { clients: ["web"], person: true },
    steps: (t) => t.authorize("web", {}, { method: "POST" }),
    oracle: (a) => answered(a, "code"),
  }),
  requirement({
    id: "authorize.denied",
    paragraph: "RFC 6749 §4.1.2.1",
    level: "MUST",
    title: "A person who refuses is answered with access_denied",
    needs: { clients: ["web"], person: true },
    steps: (t) => t.authorize("web", { prompt: "consent" }, { choices: { consent: "refuse" } }),
    oracle: (a) => (a.met.includes("consent") ? errorSent(a, "access_denied") : undefined),
  }),
  requirement({
    id: "authorize.code-unguessable",
    paragraph: "RFC 6749 §10.10",
    level: "MUST",
    title: "Codes cannot be guessed: no two are alike, and each has at least 128 bits",
    needs: { clients: ["web"], person: true },
    steps: async (t) => {
      const browser = t.browser()
      const codes: Array<string> = []
      for (let at = 0; at < 5; at++) codes.push((await t.code("web", {}, { browser })).code)
      return codes
    },
    oracle: (codes) =>
      first(
        holds(new Set(codes).size === codes.length, "two codes are alike"),
        ...codes.map((code) => holds(code.length >= 22 && /^[\x20-\x7e]+$/.test(code), `a code is ${shown(code.length)} characters long`)),
      ),
  }),
  requirement({
    id: "authorize.iss-issuer",
    paragraph: "RFC 9207 §2.4",
    level: "MUST",
    title: "The iss of an answer, and of an error, is the issuer",
    needs: { clients: ["web"], person: true, metadata: { authorization_response_iss_parameter_supported: true } },
    steps: async (t) => ({ code: await t.authorize("web"), error: await t.authorize("web", { prompt: "none" }), issuer: t.target.issuer }),
    oracle: ({ code, error, issuer }) =>
      first(same(code.params["iss"], issuer, "the iss of a code"), same(error.params["iss"], issuer, "the iss of an error")),
  }),
]
