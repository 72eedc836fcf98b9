import { prompts } from "../../../packages/core/src/features/authorize/rules.ts"
import {
  type Line,
  authorize,
  certifiedFlow,
  certifiedPerson,
  from,
  loginPage,
  pages,
  registration,
  responseTypes,
  section,
  spec,
  specAnswers,
  token,
} from "../line.ts"

/** The values of prompt that the specification does not name. */
const otherPrompts = prompts.flatMap((prompt) => (["none", "login"].includes(prompt) ? [] : [`\`${prompt}\``]))

const checklist = from("test/checklist/authorizeRequest.test.ts")

const given = (type: string, mode = "without a response_mode") =>
  `specification §2.1 response_type: ${type} ${mode} gives what it names, state and iss, and nothing else`
const stateOf = (type: string, mode: string) => `specification §2.1 state: comes back with ${type} by ${mode}; without one none does`
const stateOfError = (type: string, mode: string) =>
  `specification §2.1 state: comes back with the error of ${type} by ${mode}; without one none does`
const matrix = from("test/matrix/matrix.test.ts")(
  "specification §2.1: every type, mode, standing, prompt=none or not, kinds of scope, with nonce and state and without",
  "RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6: every fault, over all clients with every response type and mode",
)
const types = ["id_token", "token", "id_token token", "code", "code id_token", "code id_token token"]

/** Section 2.1 as far as `nonce`. */
export const authorizeParameters: ReadonlyArray<Line> = [
  ...section("2. Resources and their fields", [
    {
      text: "The interface exposes request parameter sets and one response resource with fields.",
      rules: [],
      reason: "Each parameter and field is a line of its own below.",
      tests: [
        ...spec("specification §2.1 scope: several scopes, space separated, are granted as they were asked for"),
        ...specAnswers("specification §2.5: profile gives name, given_name and family_name, as texts"),
      ],
    },
  ]),
  ...section("2.1 Authorize request parameters (query string)", [
    {
      text: "client_id | string | yes | Client identifier.",
      rules: ["authorize.client-present", "authorize.client-known", "authorize.client-once"],
      reason: "The error is a page, 400, for nobody is known to send it to (RFC 6749 §4.1.2.1).",
      tests: authorize(
        "RFC 6749 §4.1.1: no client_id is refused with a page",
        "RFC 6749 §4.1.2.1: an unknown client is refused with a page",
        "RFC 6749 §3.1: client_id twice is refused with a page",
      ),
    },
    {
      text: "scope | string | yes | One or more registered scopes, space separated.",
      rules: ["authorize.scope-present", "authorize.scope-allowed", "registration.scope"],
      tests: [
        ...authorize(
          "specification §2.1: no scope is refused",
          "RFC 6749 §3.3: an unknown scope is refused",
          "RFC 6749 §3.3: a scope in the client's list that the provider does not know is refused",
        ),
        ...spec("specification §2.1 scope: several scopes, space separated, are granted as they were asked for"),
        ...registration("RFC 6749 §3.3: an unknown scope is a fault"),
        ...from("test/checklist/beyondTokens.test.ts")(
          "security-checklist, Beyond: scopes are words apart by spaces, in their own case, and nothing else (RFC 6749 §3.3)",
        ),
      ],
    },
    {
      text: "redirect_uri | string (URI) | yes | Must exactly match one of the redirect URIs allowed for the client.",
      rules: ["authorize.redirect-uri-present", "authorize.redirect-uri-once", "authorize.redirect-uri-registered"],
      reason: "The port of a native client's loopback address alone may vary (RFC 8252 §7.3).",
      tests: [
        ...authorize(
          "specification §2.1: no redirect_uri is refused with a page, even where one alone is registered",
          "RFC 6749 §3.1: redirect_uri twice is refused with a page",
          ...[
            "https://evil.example/cb",
            "https://app.example/cb/",
            "https://app.example/CB",
            "https://app.example/cb?tab=2",
            "https://app.example:443/cb",
          ].map((uri) => `RFC 9700 §2.1: ${uri} is not the registered redirect_uri; a page, no redirect, whatever else is wrong`),
          "RFC 6749 §3.1.2: the query of a redirect_uri is kept",
          "RFC 8252 §7.3: a native client's loopback redirect_uri may have any port",
          "RFC 8252 §7.3: for a native client http://127.0.0.1:53124/other is still another redirect_uri",
        ),
        ...certifiedFlow("oidcc-ensure-registered-redirect-uri"),
        ...from("test/properties/proofs.test.ts")(
          "RFC 9700 §2.1, RFC 8252 §7.3: a redirect_uri matches just when an oracle written apart says so",
        ),
      ],
    },
    {
      text: "response_type | string | yes | One of: `id_token`, `token`, `id_token token`, `code`, `code id_token`, `code id_token token`.",
      rules: ["authorize.response-type-present", "authorize.response-type-known", "authorize.response-type-allowed"],
      reason: "The order of the words does not matter; `code token` is understood too (OAuth 2.0 Multiple Response Types §5).",
      tests: [
        ...authorize(
          "RFC 6749 §4.1.2.1: no response_type is refused",
          "RFC 6749 §3.1.1: an unknown response_type is refused",
          "RFC 6749 §4.1.2.1: a response_type the client may not use is refused",
        ),
        ...spec(...types.map((type) => given(type))),
        ...matrix,
        ...certifiedFlow("oidcc-response-type-missing"),
      ],
    },
    {
      text: "response_mode | string | no | `form_post` sends the response as a form post instead of a fragment-encoded redirect.",
      rules: ["authorize.response-mode-known", "authorize.response-mode-query"],
      reason:
        "Without it `code` alone comes in the query and everything else in the fragment (OAuth 2.0 Multiple Response Types §2.1, §5).",
      tests: [
        ...spec(...types.map((type) => given(type, "by form_post"))),
        ...authorize(
          "OAuth 2.0 Form Post Response Mode §2: errors come by form_post too",
          "OAuth 2.0 Multiple Response Types §2.1: an unknown response_mode is refused",
          "OAuth 2.0 Multiple Response Types §2.1: response_mode=fragment answers in the fragment",
        ),
        ...responseTypes("OAuth 2.0 Multiple Response Types §3: the query cannot carry a token; the error comes in the fragment"),
        ...from("test/browser/axe-pages.test.ts")("form_post submits itself where it may (OAuth 2.0 Form Post Response Mode §2)"),
      ],
    },
    {
      text: "state | string | recommended | Echoed back on the response. Used to round-trip client state, correlate request and response, and protect against CSRF and replay.",
      rules: [],
      reason: "Every answer that is sent to the client carries it, byte for byte, errors too (RFC 6749 §4.1.2, §4.1.2.1).",
      tests: [
        ...spec(
          ...types.flatMap((type) => [
            ...(type === "code" ? [stateOf(type, "query"), stateOfError(type, "query")] : []),
            ...["fragment", "form_post"].flatMap((mode) => [stateOf(type, mode), stateOfError(type, mode)]),
          ]),
        ),
        ...authorize("RFC 6749 §4.1.2: state comes back as it was, whatever it holds"),
        ...matrix,
        ...checklist(
          "security-checklist, Authorize: ${title} -> ${error}, with state and iss, at the redirect_uri (${cites})",
          "security-checklist, Authorize: state comes back exactly, on success and on error (RFC 6749 §4.1.2)",
        ),
      ],
    },
    {
      text: "nonce | string | required for identity tokens via the implicit grant | Echoed back inside the identity token. Replay protection.",
      rules: ["authorize.nonce-required"],
      reason: "The hybrid types that give an ID token at authorize need it too (OpenID Connect Core §3.3.2.11).",
      tests: [
        ...responseTypes(
          ...["id_token", "id_token token", "code id_token", "code id_token token"].map(
            (type) => `specification §2.1 nonce, OpenID Connect Core §3.2.2.1, §3.3.2.11: ${type} needs a nonce`,
          ),
        ),
        ...spec(
          ...["id_token", "id_token token", "code id_token", "code id_token token"].map(
            (type) => `specification §2.1 nonce: is in the ID token that comes with ${type}`,
          ),
          "specification §2.1 nonce: is in the ID token of the token endpoint",
          "specification §2.1 nonce: the code flow needs none",
        ),
        ...from("test/core/tokens.test.ts")("OpenID Connect Core §3.1.2.1: the nonce comes back byte for byte: %#"),
        ...certifiedFlow("oidcc-ensure-request-without-nonce-fails", "oidcc-ensure-request-without-nonce-succeeds-for-code-flow"),
      ],
    },
    {
      text: "prompt | string | no | `none`: no UI is shown; if interaction would be needed (sign-in or consent) an error is returned.",
      rules: ["person.signed-in", "person.consented", "authorize.prompt-none-alone"],
      tests: [
        ...authorize(
          "specification §4 rule 1: prompt=none without a session is login_required, no page",
          "OpenID Connect Core §3.1.2.6: prompt=none without consent is consent_required",
          "OpenID Connect Core §3.1.2.1: prompt=none with a session answers silently",
          "OpenID Connect Core §3.1.2.1: prompt=none stands alone",
        ),
        ...spec(
          "specification §4 rule 1: prompt=none without a session is login_required by form_post too",
          "specification §4 rule 1: prompt=none without consent is consent_required by form_post too",
        ),
        ...certifiedPerson("oidcc-prompt-none-not-logged-in", "oidcc-prompt-none-logged-in"),
      ],
    },
    {
      text: "`login`: the login UI is shown even if the user has a valid session.",
      rules: ["person.prompted", "authorize.prompt-known"],
      reason: `${otherPrompts.join(" and ")} are understood too; anything else is an error (OpenID Connect Core §3.1.2.1).`,
      tests: [
        ...authorize(
          "OpenID Connect Core §3.1.2.1: prompt=login asks to sign in though there is a session",
          "behaviour, requests: a forced login counts once it has happened; no loop",
          "behaviour, requests: the login of another interaction is no forced login of this one; no skip",
          "OpenID Connect Core §3.1.2.1: an unknown prompt is refused",
        ),
        ...spec("specification §4 rules 2 and 3: signed in again as asked, auth_time is that sign-in's"),
        ...certifiedPerson("oidcc-prompt-login"),
      ],
    },
    {
      text: "code_challenge | string | no | PKCE code challenge.",
      rules: ["authorize.challenge-required", "authorize.challenge-form", "code.pkce-proof"],
      reason: "A public client must send one, and every other too unless it is set not to (RFC 9700 §2.1.1).",
      tests: [
        ...authorize(
          "RFC 9700 §2.1.1: a public client without PKCE is refused",
          "behaviour, requests: PKCE is required of a confidential client too",
          "RFC 7636 §4.2: the challenge short… of 5 characters is refused",
        ),
        ...token(
          "RFC 7636 §4.6: a verifier that does not match is refused",
          "RFC 6749 §4.1.3: a client that need not use PKCE redeems without it",
        ),
        ...certifiedFlow("oidcc-ensure-request-with-valid-pkce-succeeds"),
      ],
    },
    {
      text: "code_challenge_method | string | no | `plain` (plain text challenge, not recommended) or `S256` (SHA256 hashed).",
      rules: ["authorize.challenge-method-known", "authorize.challenge-plain-allowed", "authorize.challenge-method-alone"],
      reason: "`plain` is off for a client until it is given; no method means `plain` (RFC 7636 §4.3).",
      tests: [
        ...authorize(
          "RFC 7636 §4.4.1: an unknown method is refused",
          "RFC 7636 §4.4.1: plain is refused where the client may not use it",
          "RFC 7636 §4.3: no method means plain, and is refused where the client may not use it",
          "RFC 7636 §4.3: a method without a challenge is refused",
        ),
        ...token(
          "RFC 7636 §4.6: plain compares the verifier itself, where the client may use it",
          "RFC 7636 §4.6: the challenge itself is no verifier by S256",
        ),
      ],
    },
    {
      text: "login_hint | string | no | Pre-fills the username field on the login page.",
      rules: [],
      reason: "The page has it as the value of the field `username`.",
      tests: [
        ...pages("specification §2.1: login_hint fills in the username"),
        ...loginPage("specification §2.1 login_hint: is the value of the username field, and without one the field is empty"),
        ...certifiedPerson("oidcc-login-hint"),
        ...from("test/checklist/authorizePages.test.ts")(
          "security-checklist, Authorize: ui_locales, login_hint and acr_values of any content: 200 page, escaped (RFC 9700 §4.16)",
        ),
      ],
    },
  ]),
]
