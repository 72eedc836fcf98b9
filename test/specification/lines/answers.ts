import { type Line, certifiedFlow, device, from, programs, role, section, specAnswers, specClients, specTokens, token } from "../line.ts"

const at = (...words: ReadonlyArray<string>) =>
  specClients(...words.map((each) => `specification §5: at /connect/deviceauthorization ${each}`))
const hints = ["without a hint", "with the hint access_token", "with the hint refresh_token"]

/** Sections 2.3 to 3. */
export const answers: ReadonlyArray<Line> = [
  ...section("2.3 Device authorization request parameters (form body)", [
    {
      text: "client_id | string | yes | Client identifier.",
      rules: ["client.present", "client.known"],
      tests: at("no client_id is refused", "an unknown client_id is refused"),
    },
    {
      text: "client_secret | string | no | Client secret, in the body or as a basic authentication header.",
      rules: ["client.secret-present", "client.secret-matches", "client.one-method"],
      reason: "A public client has none; every other must send it (RFC 8628 §3.1).",
      tests: [
        ...at(
          "Basic authenticates",
          "client_id and client_secret in the body authenticate",
          "a confidential client without its secret is refused",
          "a wrong secret by Basic is refused",
          "a wrong secret in the body is refused",
          "Basic and a secret in the body at once are refused",
        ),
        ...device("RFC 8628 §3.2, specification §2.3: a device gets its codes, where to send people, for how long and how often to ask"),
      ],
    },
    {
      text: "scope | string | no | One or more registered scopes.",
      rules: ["device-authorization.scope-allowed", "device-authorization.scope-form"],
      tests: [
        ...device(
          "RFC 6749 §3.3: a scope the client is not allowed is refused at device authorization",
          "RFC 6749 §3.3: a scope that names nothing is refused at device authorization",
        ),
        ...specTokens("specification §2.3 scope: a device gets the scopes it asked for, and no more"),
      ],
    },
    {
      text: "If omitted, a token for all explicitly allowed scopes is issued.",
      rules: [],
      reason: "Of them `offline_access` only where the client may have a refresh token; the person may untick what is not required.",
      tests: device(
        "RFC 8628 §3.5: approved, the device gets its tokens; scope omitted gave all it is allowed",
        "specification §4 rule 8: no offline_access where the client may have no refresh token",
      ),
    },
  ]),
  ...section("2.4 Revocation request parameters (form body)", [
    {
      text: "token | string | yes | The token to revoke.",
      rules: ["revocation.token-present", "revocation.parameters-once"],
      tests: [
        ...programs(
          "RFC 7009 §2.1: no token is refused",
          "RFC 6749 §3.2: a parameter twice is refused at revocation",
          "RFC 7009 §2.2: a refresh token is revoked, 200 and an empty JSON object",
        ),
        ...specAnswers("specification §2.4: a reference access token is revoked without a hint"),
        ...from("test/cases/specificationTokens.ts")("specification §2.4 token: an empty one counts as none, and is refused"),
      ],
    },
    {
      text: "token_type_hint | string | no | `access_token` or `refresh_token`.",
      rules: [],
      reason: "It helps to look and decides nothing: a wrong or an unknown one finds the token all the same (RFC 7009 §2.1).",
      tests: [
        ...specAnswers(
          ...hints.flatMap((hint) => [
            `specification §2.4: a reference access token is revoked ${hint}`,
            `specification §2.4: a refresh token is revoked ${hint}`,
          ]),
        ),
        ...programs("RFC 7009 §2.2: an unknown token_type_hint is only a hint"),
      ],
    },
    {
      text: "Only reference-type access tokens and refresh tokens can be revoked.",
      rules: ["revocation.type-supported"],
      reason: "A JWT access token is answered unsupported_token_type and stays as it was (RFC 7009 §2.2.1).",
      tests: [
        ...specAnswers(
          ...hints.flatMap((hint) => [
            `specification §2.4: a JWT access token is not revoked ${hint}, and stays alive`,
            `specification §2.4: a reference access token is revoked ${hint}`,
            `specification §2.4: a refresh token is revoked ${hint}`,
          ]),
        ),
        ...programs("RFC 7009 §2.2.1: a JWT access token is unsupported_token_type"),
      ],
    },
  ]),
  ...section("2.5 Userinfo response (JSON object)", [
    {
      text: "The object holds the claims mapped from the granted scopes. Claim names seen in the response shape:",
      rules: [],
      reason: "Of a claim that says nothing, so null or blank, nothing is said (OpenID Connect Core §5.3.2).",
      tests: [
        ...programs(
          "OpenID Connect Core §5.3.2: GET answers the claims of the granted scopes, empty ones left out",
          "OpenID Connect Core §5.4: no claim of a scope that was not granted",
        ),
        ...specAnswers(
          "specification §2.5: profile gives name, given_name and family_name, as texts",
          ...["email", "phone", "address", "email phone"].map(
            (scope) => `specification §2.5: ${scope} gives its claims as far as the person has them, and no other scope's`,
          ),
        ),
        ...certifiedFlow("oidcc-scope-${name}"),
      ],
    },
    {
      text: "sub | string (subject identifier)",
      rules: [],
      reason: "Always there, and the ID token's (OpenID Connect Core §5.3.2).",
      tests: [
        ...specAnswers("specification §2.5: openid alone gives sub, and nothing else"),
        ...from("test/checklist/afterwards.test.ts")(
          "security-checklist, Userinfo: GET and POST, by header or form; the sub is the ID token's (OpenID Connect Core §5.3)",
        ),
      ],
    },
    ...["name", "given_name", "family_name"].map((claim) => ({
      text: `${claim} | string`,
      rules: [],
      reason: "A claim of the scope `profile` (OpenID Connect Core §5.4).",
      tests: specAnswers("specification §2.5: profile gives name, given_name and family_name, as texts"),
    })),
    {
      text: "role | array of strings (may be a list of role names)",
      rules: [],
      reason: "A claim of the scope `role`, which stands beside those of OpenID Connect; one role is a list of one.",
      tests: [
        ...specAnswers(
          ...[2, 1, 0].map((many) => `specification §2.5: role is an array of strings, here of ${many}, under the scope role`),
          "specification §2.5: without its scope there is no role",
        ),
        ...role(
          "specification §2.5: role is an array of strings for whoever grants its scope",
          "specification §2.5: no role without its scope, and discovery states both",
        ),
      ],
    },
    {
      text: "Which claims appear depends on the granted scopes.",
      rules: ["userinfo.openid-scope"],
      tests: [
        ...programs(
          "OpenID Connect Core §5.4: no claim of a scope that was not granted",
          "OpenID Connect Core §5.3.1: a token without openid is 403",
        ),
        ...specAnswers(
          "specification §2.5: openid alone gives sub, and nothing else",
          "specification §2.5: profile gives name, given_name and family_name, as texts",
        ),
      ],
    },
    {
      text: "The full claim list, and the fields of the token response, the device authorization response and the authorize response: not shown.",
      rules: [],
      reason:
        "Decided here: the claims are those of OpenID Connect Core §5.4 and of the scopes an operator declares; the fields are those of RFC 6749 §4.1.2, §4.2.2 and §5.1, RFC 8628 §3.2 and RFC 9207 §2.",
      tests: [
        ...specTokens(
          "specification §4: the answer to authorization_code has access_token expires_in id_token refresh_token scope token_type, and nothing else",
        ),
        ...specAnswers(
          "specification §2.3: the answer is a device code, a user code, where to enter it, for how long and how often to ask, and nothing else",
        ),
        ...from("test/cases/specification.ts")(
          "specification §2.1 response_type: code id_token token without a response_mode gives what it names, state and iss, and nothing else",
        ),
      ],
    },
  ]),
  ...section("3. States and transitions", [
    {
      text: "The device flow, authorization codes and tokens imply states, but no state names or moves are given. Transitions: not shown.",
      rules: [
        "device.approved",
        "device.not-denied",
        "device.unused",
        "device.fresh",
        "code.unused",
        "code.fresh",
        "code.grant-live",
        "refresh.unrotated",
        "refresh.fresh",
        "refresh.grant-live",
      ],
      reason:
        "Decided here: a device code waits, is approved or denied, is used once or expires (RFC 8628 §3.5); a code is used once or expires, and a second use revokes what the first gave (RFC 6749 §4.1.2); a refresh token is rotated, and a rotated one that comes back too late revokes its grant (RFC 9700 §4.14.2).",
      tests: [
        ...device(
          "RFC 8628 §3.5: the first poll is never too fast",
          "RFC 8628 §3.5: denied, the device learns access_denied",
          "RFC 8628 §3.5: a device code gives its tokens once",
          "RFC 8628 §3.5: after 300 s it is expired_token, approved or not",
        ),
        ...token(
          "RFC 6749 §4.1.2: a code used before is refused",
          "RFC 6749 §4.1.2: a code of 60 s is refused",
          "RFC 6749 §5.2: a code whose grant was revoked is refused",
          "RFC 9700 §4.14.2: a rotated refresh token that comes back after its grace is refused",
          "RFC 6749 §5.2: a refresh token past its sliding end is refused",
          "RFC 9700 §4.14.2: a replay revokes the whole family",
        ),
      ],
    },
  ]),
]
