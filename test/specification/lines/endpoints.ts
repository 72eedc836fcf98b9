import {
  type Line,
  authorize,
  device,
  from,
  metadata,
  pages,
  password,
  programs,
  responseTypes,
  section,
  spec,
  specAnswers,
  specClients,
  specTokens,
  token,
} from "../line.ts"

const given = (type: string, mode: string) =>
  spec(`specification §2.1 response_type: ${type} ${mode} gives what it names, state and iss, and nothing else`)
const at = (path: string, ...words: ReadonlyArray<string>) => specClients(...words.map((each) => `specification §5: at ${path} ${each}`))

/** Section 4, the table. */
export const endpoints: ReadonlyArray<Line> = section("4. Endpoints", [
  {
    text: "Paths are relative to {base_url}.",
    rules: [],
    reason: "{base_url} is the issuer, with its own path if it has one (OpenID Connect Discovery §4, RFC 8414 §3.1).",
    tests: [
      ...metadata("RFC 8414 §3.1: an issuer with a path has the well-known part before it, and OpenID Connect's behind"),
      ...pages("RFC 9110 §15.5.5: paths are strict: a trailing slash is another path"),
    ],
  },
  {
    text: "GET | /connect/authorize | Query string with the parameters of section 2.1. | Browser interaction;",
    rules: ["person.signed-in"],
    reason: "POST is taken too (OpenID Connect Core §3.1.2.1).",
    tests: [
      ...authorize(
        "OpenID Connect Core §3.1.2.3: without a session the person is asked to sign in",
        "OpenID Connect Core §3.1.2.4: allowed, the very request goes on",
        "OpenID Connect Core §3.1.2.1: a request may come by POST",
      ),
      ...specClients(
        "specification §4: /connect/authorize takes GET, and POST as OpenID Connect Core §3.1.2.1 and §5.3.1 have it, and nothing else",
      ),
    ],
  },
  {
    text: "the result (tokens or a code) is delivered by redirect to redirect_uri as a fragment-encoded response, or as a form post when response_mode is `form_post`.",
    rules: ["authorize.response-mode-query"],
    reason:
      "The one exception: `code` alone comes in the query unless `fragment` is asked for (OAuth 2.0 Multiple Response Types §2.1, §5).",
    tests: [
      ...given("code id_token token", "without a response_mode"),
      ...given("id_token token", "without a response_mode"),
      ...given("code", "by form_post"),
      ...given("code id_token token", "by form_post"),
      ...spec("specification §4: the answer to a GET is a redirect to redirect_uri that is not stored"),
      ...from("test/core/browser.test.ts")(
        "specification §4: query is the default mode of code",
        "OAuth 2.0 Multiple Response Types §5: response_mode=fragment puts nothing in the query",
      ),
      ...responseTypes("OAuth 2.0 Multiple Response Types §3: the query cannot carry a token; the error comes in the fragment"),
    ],
  },
  {
    text: "state is echoed back;",
    rules: [],
    reason: "In every mode, with every error.",
    tests: spec(
      "specification §2.1 state: comes back with code by query; without one none does",
      "specification §2.1 state: comes back with the error of code by query; without one none does",
      "specification §2.1 state: comes back with code id_token token by fragment; without one none does",
      "specification §2.1 state: comes back with the error of code id_token token by fragment; without one none does",
      "specification §2.1 state: comes back with id_token by form_post; without one none does",
      "specification §2.1 state: comes back with the error of id_token by form_post; without one none does",
    ),
  },
  {
    text: "nonce is echoed in the identity token.",
    rules: [],
    reason: "In that of authorize and in that of the token endpoint; not in a refreshed one (OpenID Connect Core §12.2).",
    tests: [
      ...spec(
        "specification §2.1 nonce: is in the ID token that comes with id_token",
        "specification §2.1 nonce: is in the ID token of the token endpoint",
      ),
      ...from("test/core/hybrid.test.ts")(
        "OpenID Connect Core §3.3.3.6: both ID tokens of the hybrid flow name the same iss, sub and nonce",
      ),
    ],
  },
  {
    text: "POST | /connect/token | Content type `application/x-www-form-urlencoded`; body of section 2.2. | Tokens for the requested grant.",
    rules: ["token.form", "token.parameters-once"],
    tests: [
      ...specClients(
        "specification §4: /connect/token takes POST alone",
        "specification §4: /connect/token takes application/x-www-form-urlencoded alone",
      ),
      ...token(
        "RFC 6749 appendix B: a body without Content-Type is refused",
        "RFC 6749 appendix B: a charset beside the form encoding is let pass",
        "RFC 6749 §3.2: a parameter twice is refused",
      ),
      ...specTokens(
        "specification §4: the answer to authorization_code has access_token expires_in id_token refresh_token scope token_type, and nothing else",
      ),
    ],
  },
  {
    text: "GET | /connect/userinfo | Header `Authorization: Bearer <ACCESS_TOKEN>`;",
    rules: ["userinfo.token-present", "userinfo.header-form", "userinfo.token-not-in-url", "userinfo.token-once"],
    reason: "POST is taken too, and the token in a form (OpenID Connect Core §5.3.1, RFC 6750 §2.2).",
    tests: [
      ...programs(
        "RFC 6750 §3.1: no token is 401 with the bare challenge",
        'RFC 6750 §2.1: the Authorization header "Basic YTpi" is malformed, and not overlooked for a token in the body',
        "RFC 9700 §4.3.2: a token in the URL is refused",
        "RFC 6750 §2: a token sent two ways is refused",
        "OpenID Connect Core §5.3.1: POST with a header works",
      ),
      ...specClients(
        "specification §4: /connect/userinfo takes GET, and POST as OpenID Connect Core §3.1.2.1 and §5.3.1 have it, and nothing else",
      ),
    ],
  },
  {
    text: "the token represents the user;",
    rules: ["userinfo.token-known", "userinfo.token-fresh", "userinfo.token-live", "userinfo.person-active"],
    tests: [
      ...programs(
        "specification §5: a token of a client alone represents no user: 403",
        "RFC 6750 §3.1: nonsense is no token",
        "RFC 9068 §2.1: an ID token is no access token",
        "RFC 6750 §3.1: an expired token is refused",
        "RFC 7009 §2.1: a reference token that was revoked is refused",
        "RFC 6750 §3.1: the token of a person disabled since is refused",
      ),
      ...password("specification §5: the token represents the user at userinfo"),
    ],
  },
  {
    text: "the openid scope is at least required. | Status 200, content type `application/json`, JSON object of claims (section 2.5).",
    rules: ["userinfo.openid-scope"],
    reason: "A client may be registered for signed or encrypted answers instead (OpenID Connect Core §5.3.2).",
    tests: [
      ...programs(
        "OpenID Connect Core §5.3.1: a token without openid is 403",
        "OpenID Connect Core §5.3.2: GET answers the claims of the granted scopes, empty ones left out",
      ),
      ...specAnswers("specification §2.5: openid alone gives sub, and nothing else"),
    ],
  },
  {
    text: "POST | /connect/deviceauthorization | Form body of section 2.3. | Device code and user code.",
    rules: ["device-authorization.form", "device-authorization.parameters-once"],
    tests: [
      ...specClients(
        "specification §4: /connect/deviceauthorization takes POST alone",
        "specification §4: /connect/deviceauthorization takes application/x-www-form-urlencoded alone",
      ),
      ...device(
        "RFC 6749 §3.2: a parameter twice is refused at device authorization",
        "RFC 8628 §6.1: the user code is eight consonants in two groups, and the complete URI carries it",
      ),
      ...specAnswers(
        "specification §2.3: the answer is a device code, a user code, where to enter it, for how long and how often to ask, and nothing else",
      ),
    ],
  },
  {
    text: "POST | /connect/revocation | Content type `application/x-www-form-urlencoded`; body of section 2.4;",
    rules: ["revocation.form"],
    tests: specClients(
      "specification §4: /connect/revocation takes POST alone",
      "specification §4: /connect/revocation takes application/x-www-form-urlencoded alone",
    ),
  },
  {
    text: "client credentials in the authorization header (basic scheme) as in RFC 7009. | Per RFC 7009.",
    rules: ["client.secret-matches", "client.present", "revocation.token-known", "revocation.token-own"],
    reason: "In the body they are taken too, and of a public client its client_id (RFC 7009 §2.1, RFC 6749 §2.3.1).",
    tests: [
      ...at("/connect/revocation", "Basic authenticates", "a wrong secret by Basic is refused", "no client_id is refused"),
      ...specAnswers(
        "specification §4: a public client revokes its own token by client_id",
        "specification §4: a foreign reference access token is answered 200, and stays alive",
      ),
      ...programs(
        "RFC 7009 §2.2: a refresh token is revoked, 200 and an empty JSON object",
        "RFC 7009 §2.2: revoking twice is 200 too",
        "RFC 7009 §2.2: an unknown token is 200",
        "RFC 7009 §2.1: another client's token stays alive",
        "RFC 7009 §2.1: a revoked refresh token takes its access tokens along",
        "RFC 7009 §2.1: a revoked access token leaves its refresh token alone",
      ),
    ],
  },
])
