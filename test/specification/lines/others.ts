import { compose } from "@postern/core"
import {
  type Line,
  authorize,
  clientAssertions,
  clientAuthentication,
  from,
  metadata,
  pages,
  password,
  programs,
  section,
  spec,
  specAnswers,
  specClients,
  token,
  twoPosterns,
  upstream,
} from "../line.ts"

const at = (path: string, ...words: ReadonlyArray<string>) => specClients(...words.map((each) => `specification §5: at ${path} ${each}`))
const everySecret = [
  "Basic authenticates",
  "client_id and client_secret in the body authenticate",
  "a wrong secret by Basic is refused",
  "a wrong secret in the body is refused",
  "a confidential client without its secret is refused",
]

/** The ways of client authentication that the specification names: by a secret, or by the client_id alone. */
const named: ReadonlyArray<string> = ["client_secret_basic", "client_secret_post", "none"]
const unnamed = compose({}).clientAuthentication.flatMap(({ method }) => (named.includes(method) ? [] : [method]))

/** Sections 5 to 9. */
export const others: ReadonlyArray<Line> = [
  ...section("5. Authentication", [
    {
      text: "Token endpoint: the client identifies itself with client_id, in the body or in the authorization header. The client_secret is optional and is sent in the form body or as a basic authentication header.",
      rules: ["client.present", "client.known", "client.secret-matches", "client.secret-present"],
      tests: [
        ...at("/connect/token", "no client_id is refused", "an unknown client_id is refused", ...everySecret),
        ...token("RFC 6749 §4.1.3: a public client redeems its code with client_id alone"),
      ],
    },
    {
      text: "Device authorization endpoint: client_id is required; client_secret is optional, in the body or as a basic authentication header.",
      rules: ["client.present", "client.known", "client.secret-matches", "client.secret-present"],
      tests: at("/connect/deviceauthorization", "no client_id is refused", "an unknown client_id is refused", ...everySecret),
    },
    {
      text: "Revocation endpoint: the client authenticates with a basic authorization header (`Authorization: Basic <BASE64_CLIENT_CREDENTIALS>`).",
      rules: ["client.present", "client.known", "client.secret-matches", "client.secret-present", "client.scheme"],
      reason: "In the body too, as RFC 6749 §2.3.1 lets clients that cannot use the header.",
      tests: [
        ...at("/connect/revocation", "no client_id is refused", "an unknown client_id is refused", ...everySecret),
        ...clientAuthentication(
          "RFC 6749 §2.3: another authentication scheme is refused",
          "RFC 7617 §2: the scheme's case does not matter",
        ),
      ],
    },
    {
      text: "Userinfo endpoint: bearer access token (`Authorization: Bearer <ACCESS_TOKEN>`) that represents the user.",
      rules: ["userinfo.token-present", "userinfo.token-known", "userinfo.openid-scope"],
      tests: [
        ...programs(
          "RFC 6750 §3.1: no token is 401 with the bare challenge",
          "RFC 6750 §3.1: nonsense is no token",
          "specification §5: a token of a client alone represents no user: 403",
        ),
        ...password("specification §5: the token represents the user at userinfo"),
      ],
    },
    {
      text: "Authorize endpoint: the end user is authenticated through a login UI;",
      rules: ["person.signed-in", "login.verified", "login.csrf", "login.account-attempts", "login.throttled"],
      tests: [
        ...authorize("OpenID Connect Core §3.1.2.3: without a session the person is asked to sign in"),
        ...pages(
          "OpenID Connect Core §3.1.2.3: a wrong password shows the form again, username kept",
          "RFC 6749 §10.12: a sign-in without a CSRF token is refused",
          "NIST SP 800-63B §3.2.2: after five wrong passwords an account waits, with the right one too, however its name is spelled",
          "RFC 6585 §4: too many attempts are 429 with Retry-After",
        ),
        ...from("test/browser/demo.test.ts")(
          "OpenID Connect Core §3.1.2.3: a wrong password says so, keeps the username, and the right one goes on",
        ),
      ],
    },
    {
      text: "identity provider routing uses acr_values `idp:<idp_name>`, subject to the client configuration.",
      rules: ["provider.known", "provider.allowed"],
      tests: [
        ...upstream(
          "specification §2.1 acr_values: idp:NAME goes straight to the provider",
          "specification §2.1 acr_values: idp:NAME of a provider that there is not is passed over",
          "specification §1: nor can a form bring a person to a provider that the client is not allowed",
        ),
        ...twoPosterns("specification §1: a client that allows no other provider has its idp: passed over, and the trail says why"),
      ],
    },
    {
      text: "Supported client authentication methods beyond those above: not shown.",
      rules: [
        "client.scheme",
        "client.one-method",
        "client.method",
        "client.assertion-type",
        "assertion.audience",
        "assertion.signature",
        "assertion.unused",
      ],
      reason: `Decided here: ${unnamed.join(", ")} too (OpenID Connect Core §9, RFC 7523 §2.2, RFC 8705 §2), each client by the method it is registered for; nothing else.`,
      tests: [
        ...clientAssertions(
          "RFC 7523 §2.2: a client authenticates by private_key_jwt with a key of its jwks",
          "OpenID Connect Core §9: a client authenticates by client_secret_jwt",
          ...["revocation", "device authorization"].map(
            (endpoint) =>
              `RFC 7521 §4.2: a client authenticates by an assertion at the ${endpoint} endpoint, whose URL it may be made out to`,
          ),
          "OpenID Connect Core §9: a client of client_secret_jwt may not send its secret in the clear",
          "RFC 7523 §2.2: another client_assertion_type is refused",
          'RFC 7523 §3 (3): an assertion made out to "https://elsewhere.example" is refused',
          "RFC 7523 §3 (9): a signature by a stranger's key of the same kid is refused",
          "OpenID Connect Core §9: an assertion is good for one request",
        ),
        ...clientAuthentication(
          "RFC 6749 §2.3: another authentication scheme is refused",
          "RFC 6749 §2.3: two authentication methods at once are refused",
        ),
        ...metadata("OpenID Connect Discovery §3: every member whose default would claim what is not so is stated"),
        ...from("test/checklist/metadata.test.ts")(
          "security-checklist, Metadata and keys: every stated secret method authenticates (RFC 8414 §2)",
        ),
      ],
    },
  ]),
  ...section("6. Events", [
    {
      text: "Events: not shown; no events, webhooks or notifications are described.",
      rules: [],
      reason:
        "Decided here: none are part of the interface. A client that registers an address for them is sent logout tokens (OpenID Connect Back-Channel Logout §2.5), and answers to its CIBA requests. The operator has audit events, and a trail of each request under the id its answer carried.",
      tests: [
        ...from("test/core/explain.test.ts")(
          "explain: every answer carries the request id of its trail, and no two are alike",
          "explain: a refusal's trail has the rules that passed, the one that refused, its paragraph and its private reason",
        ),
        ...from("test/cases/backChannelLogout.ts")(
          "Back-Channel Logout §2.5: a session that runs out has its clients told, but for those that do not want it",
        ),
      ],
    },
  ]),
  ...section("7. Errors", [
    {
      text: "The only error behaviour stated is that an authorize request with prompt `none` returns an error when sign-in or consent would be needed.",
      rules: ["person.signed-in", "person.consented"],
      tests: [
        ...authorize(
          "specification §4 rule 1: prompt=none without a session is login_required, no page",
          "OpenID Connect Core §3.1.2.6: prompt=none without consent is consent_required",
        ),
        ...spec("specification §4 rules 1 and 2: prompt=none with a session older than max_age is login_required, no page"),
      ],
    },
    {
      text: "Error codes, status codes and error body shape: not shown.",
      rules: ["authorize.scope-allowed", "token.form", "client.known", "userinfo.token-known", "userinfo.openid-scope"],
      reason:
        "Decided here: at authorize a page with 400, or a redirect with error, error_description, state and iss (RFC 6749 §4.1.2.1, RFC 9207 §2); for programs JSON with error and error_description, 400, or 401 with a challenge for invalid_client (RFC 6749 §5.2); at userinfo 400, 401 or 403 in a Bearer challenge (RFC 6750 §3.1).",
      tests: [
        ...authorize("RFC 6749 §3.3: an unknown scope is refused", "RFC 9207 §2: errors carry iss"),
        ...token("RFC 6749 appendix B: a JSON body is refused"),
        ...clientAuthentication("RFC 6749 §5.2: an unknown client is refused as a wrong secret is"),
        ...programs("RFC 6750 §3.1: nonsense is no token", "OpenID Connect Core §5.3.1: a token without openid is 403"),
        ...from("test/checklist/tokenRequest.test.ts")(
          "security-checklist, Token: all answers are JSON and no-store, errors too, and error_description keeps to its characters (RFC 6749 §5.1, §5.2)",
        ),
      ],
    },
  ]),
  ...section("8. Limits", [
    {
      text: "Limits: not shown (no rate limits, lifetimes, size limits or time-outs are given).",
      rules: [
        "code.fresh",
        "interaction.fresh",
        "device.fresh",
        "device.unhurried",
        "refresh.fresh",
        "login.account-attempts",
        "login.address-attempts",
        "login.throttled",
        "token.address-rate",
        "token.client-rate",
        "authorize.length",
        "authorize.kept-length",
        "authorize.address-rate",
        "device-authorization.address-rate",
        "device-authorization.client-rate",
        "parameters.number",
        "login.password-length",
      ],
      reason:
        "Decided here, in seconds: access token 3600, ID token 300, code 60, device code 300 polled every 5, refresh token 1296000 after its last use and 2592000 in all, session 36000, interaction 900, each the operator's to change; requests are bounded in size and time, wrong passwords and wrong codes in number, and requests of the token, authorization and device authorization endpoints where the operator says so.",
      tests: [
        ...token(
          "RFC 6749 §4.1.2: a code of 60 s is refused",
          "RFC 6749 §5.2: a refresh token past its sliding end is refused",
          "RFC 6585 §4: the fourth request of an address that may send three in a minute is 429, with Retry-After, whoever sends it",
          "RFC 6585 §4: the fourth request of a client that may send three in a minute is 429, with Retry-After",
        ),
        ...from("test/core/sharedLimiter.test.ts")("what one let through is not left on the other, once both have told (RFC 6585 §4)"),
        ...pages(
          "behaviour, lifetimes: an interaction waits 900 s",
          "NIST SP 800-63B §3.2.2: after five wrong passwords an account waits, with the right one too, however its name is spelled",
          "NIST SP 800-63B §3.2.2: an address that guessed at fifty accounts waits",
          "RFC 6585 §4: too many attempts are 429 with Retry-After",
          "behaviour, people: a password longer than 1024 characters is not looked at",
        ),
        ...from("test/cases/device.ts")(
          "RFC 8628 §3.5: after 300 s it is expired_token, approved or not",
          "RFC 8628 §3.5: a second poll within the interval is slow_down",
        ),
        ...authorize(
          "behaviour, lifetimes: a session not used for ten hours has ended",
          "RFC 9110 §4.1: a request longer than URLs can be is refused with a page",
        ),
        ...from("test/cases/limits.ts")(
          "RFC 6585 §4: the third authorization request of an address that may send two in a minute is a page, 429, with Retry-After",
          "RFC 6585 §4: the third device authorization request of an address that may send two in a minute is 429, with Retry-After",
          "RFC 6585 §4: the third device authorization request of a client that may send two in a minute is 429, with Retry-After",
          "RFC 9110 §4.1: a waiting request keeps no more than 8,000 characters, as a URL has them",
          "RFC 9110 §17.5: a form of 201 parameters is invalid_request",
        ),
        ...from("test/http/limits.test.ts")("at once when its length says so, as JSON for a program", "that dribbles its headers (408)"),
      ],
    },
  ]),
  ...section("9. Versioning", [
    {
      text: "Versioning: not shown.",
      rules: [],
      reason: "Decided here: paths carry no version. What a provider can do is what its discovery document states (RFC 8414 §2).",
      tests: [
        ...specAnswers("specification §4 rule 9: discovery publishes the device authorization endpoint, and every other"),
        ...from("test/checklist/metadata.test.ts")(
          "security-checklist, Metadata and keys: nothing that is not stated answers (RFC 8414 §2)",
        ),
      ],
    },
  ]),
]
