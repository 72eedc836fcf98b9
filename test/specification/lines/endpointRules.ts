import {
  type Line,
  authorize,
  certifiedPerson,
  device,
  from,
  metadata,
  password,
  responseTypes,
  section,
  spec,
  specAnswers,
  specTokens,
  token,
} from "../line.ts"

/** Section 4, the rules and what is not shown. */
export const endpointRules: ReadonlyArray<Line> = section("4. Endpoints", [
  {
    text: "1. Authorize: when prompt is `none` and interaction would be needed, an error is returned and no UI is shown.",
    rules: ["person.signed-in", "person.active", "person.consented", "person.max-age", "person.hinted"],
    reason: "login_required or consent_required (OpenID Connect Core §3.1.2.6).",
    tests: [
      ...authorize(
        "specification §4 rule 1: prompt=none without a session is login_required, no page",
        "OpenID Connect Core §3.1.2.3: the session of a person disabled since does not count",
        "OpenID Connect Core §3.1.2.6: prompt=none without consent is consent_required",
        "OpenID Connect Core §3.1.2.1: an id_token_hint of another person with prompt=none is login_required",
      ),
      ...spec(
        "specification §4 rule 1: prompt=none without a session is login_required by form_post too",
        "specification §4 rule 1: prompt=none without consent is consent_required by form_post too",
        "specification §4 rules 1 and 2: prompt=none with a session older than max_age is login_required, no page",
      ),
      ...responseTypes("specification §4 rule 1: prompt=none errors of the hybrid flow come in the fragment"),
      ...from("test/browser/demo.test.ts")(
        "OpenID Connect Core §3.1.2.1: prompt=none is login_required before, and silent after, signing in",
      ),
    ],
  },
  {
    text: "2. Authorize: when max_age is exceeded by the session age, the login UI is shown.",
    rules: ["person.max-age"],
    tests: [
      ...authorize(
        "specification §4 rule 2: a session older than max_age asks to sign in",
        "OpenID Connect Core §3.1.2.1: a session as old as max_age will do",
      ),
      ...spec("specification §4 rules 2 and 3: signed in again as asked, auth_time is that sign-in's"),
      ...certifiedPerson("oidcc-max-age-1"),
    ],
  },
  {
    text: "3. Authorize: when prompt is `login`, the login UI is shown even with a valid session.",
    rules: ["person.prompted"],
    tests: [
      ...authorize("OpenID Connect Core §3.1.2.1: prompt=login asks to sign in though there is a session"),
      ...spec("specification §4 rules 2 and 3: signed in again as asked, auth_time is that sign-in's"),
      ...certifiedPerson("oidcc-prompt-login"),
    ],
  },
  {
    text: "4. Token: when grant_type is authorization_code, the parameters code and redirect_uri are required, and code_verifier carries the PKCE proof.",
    rules: ["code.present", "code.redirect-uri", "code.verifier-present", "code.pkce-proof"],
    tests: token(
      "RFC 6749 §4.1.3: no code is refused",
      "specification §4 rule 4: a missing redirect_uri is refused",
      "RFC 6749 §4.1.3: another redirect_uri of the same client is refused",
      "RFC 7636 §4.5: a missing verifier is refused",
      "RFC 7636 §4.6: a verifier that does not match is refused",
    ),
  },
  {
    text: "5. Token: when grant_type is password, username and password are required.",
    rules: ["password.username-present", "password.password-present"],
    tests: password("specification §4 rule 5: no username is refused", "specification §4 rule 5: no password is refused"),
  },
  {
    text: "6. Token: when grant_type is refresh_token, refresh_token is required.",
    rules: ["refresh.present"],
    tests: token("RFC 6749 §6: no refresh_token is refused"),
  },
  {
    text: "7. Token: when grant_type is the device_code grant, device_code is required.",
    rules: ["device.present"],
    tests: device("specification §4 rule 7: no device_code is refused"),
  },
  {
    text: "8. Token and device authorization: when scope is omitted, a token for all explicitly allowed scopes is issued.",
    rules: ["client-credentials.scope-some"],
    tests: [
      ...token(
        "specification §4 rule 8: scope omitted gives every resource scope allowed, and nothing for people",
        "specification §4 rule 8: a client without any resource scope is refused",
      ),
      ...password("specification §4 rule 8: scope omitted gives every scope the client is explicitly allowed, and so a refresh token"),
      ...device(
        "RFC 8628 §3.5: approved, the device gets its tokens; scope omitted gave all it is allowed",
        "specification §4 rule 8: no offline_access where the client may have no refresh token",
      ),
    ],
  },
  {
    text: "9. The device authorization endpoint URL is published through the discovery endpoint.",
    rules: [],
    reason: "As `device_authorization_endpoint` (RFC 8628 §4).",
    tests: specAnswers("specification §4 rule 9: discovery publishes the device authorization endpoint, and every other"),
  },
  {
    text: "Response payloads of authorize, token, device authorization and revocation, including their status codes: not shown.",
    rules: [],
    reason:
      "Decided here: authorize answers 303 or, by form_post, a page (RFC 6749 §4.1.2, §4.2.2); token 200 and JSON (RFC 6749 §5.1); device authorization 200 and JSON (RFC 8628 §3.2); revocation 200 and an empty JSON object (RFC 7009 §2.2).",
    tests: [
      ...spec("specification §2.1 response_type: code id_token token by form_post gives what it names, state and iss, and nothing else"),
      ...specTokens(
        ...["authorization_code without openid", "client_credentials"].map(
          (grant) => `specification §4: the answer to ${grant} has access_token expires_in scope token_type, and nothing else`,
        ),
        ...["authorization_code", "password", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"].map(
          (grant) =>
            `specification §4: the answer to ${grant} has access_token expires_in id_token refresh_token scope token_type, and nothing else`,
        ),
      ),
      ...specAnswers(
        "specification §2.3: the answer is a device code, a user code, where to enter it, for how long and how often to ask, and nothing else",
        "specification §2.4: a refresh token is revoked without a hint",
      ),
      ...from("test/checklist/afterwards.test.ts")(
        "security-checklist, Revocation: 200 for known, already revoked and unknown; the answer is an empty JSON object, not text/plain (RFC 7009 §2.2)",
      ),
    ],
  },
  {
    text: "The path of the discovery endpoint: not shown.",
    rules: [],
    reason:
      "Decided here: /.well-known/openid-configuration below the issuer (OpenID Connect Discovery §4), and the same document at RFC 8414's path.",
    tests: [
      ...metadata(
        "RFC 8414 §3.1: an issuer with a path has the well-known part before it, and OpenID Connect's behind",
        "RFC 8414 §3.3: issuer is the configured one, byte for byte, at both paths, whatever Host and X-Forwarded-* say",
      ),
      ...from("test/certification/config.test.ts")("oidcc-config: oidcc-discovery-endpoint-verification"),
    ],
  },
])
