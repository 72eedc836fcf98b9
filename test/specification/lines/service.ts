import {
  type Line,
  authorize,
  clientAuthentication,
  device,
  examples,
  extensionGrants,
  from,
  metadata,
  password,
  programs,
  registration,
  resource,
  section,
  spec,
  specAnswers,
  token,
  upstream,
} from "../line.ts"

/** Section 1, and the sentence before it. */
export const service: ReadonlyArray<Line> = [
  ...section("Authorization and Token Service: Interface Specification", [
    {
      text: "This document covers the whole service: the authorize, token, userinfo, device authorization and revocation endpoints of an OpenID Connect / OAuth 2.0 provider.",
      rules: [],
      reason: "Each is an endpoint of its own, stated by discovery.",
      tests: [
        ...specAnswers("specification §4 rule 9: discovery publishes the device authorization endpoint, and every other"),
        ...metadata("RFC 8414 §2: every endpoint stated answers"),
      ],
    },
  ]),
  ...section("1. What the service does", [
    {
      text: "The service is an OpenID Connect and OAuth 2.0 provider that issues tokens and authorization codes to registered clients.",
      rules: ["authorize.client-known", "client.known"],
      tests: [
        ...authorize(
          "RFC 6749 §4.1.2.1: an unknown client is refused with a page",
          "RFC 6749 §4.1.2: a code is sent back with state and iss",
        ),
        ...clientAuthentication("RFC 6749 §5.2: an unknown client is refused as a wrong secret is"),
        ...token("RFC 6749 §4.1.4: a code is exchanged for an access token and an ID token"),
        ...from("test/certification/modules/flow.ts")("oidcc-server"),
      ],
    },
    {
      text: "It issues tokens and codes through the browser (authorize endpoint).",
      rules: [],
      reason: "What a response type names is what it gives.",
      tests: spec(
        "specification §2.1 response_type: code without a response_mode gives what it names, state and iss, and nothing else",
        "specification §2.1 response_type: token without a response_mode gives what it names, state and iss, and nothing else",
        "specification §2.1 response_type: id_token without a response_mode gives what it names, state and iss, and nothing else",
      ),
    },
    {
      text: "This usually involves authenticating the end user and optionally asking for consent.",
      rules: ["person.signed-in", "person.consented"],
      tests: [
        ...authorize(
          "OpenID Connect Core §3.1.2.3: without a session the person is asked to sign in",
          "OpenID Connect Core §3.1.2.4: a client that asks for consent gets a consent page",
          "OpenID Connect Core §3.1.2.4: allowed, the very request goes on",
        ),
        ...from("test/browser/demo.test.ts")(
          "OpenID Connect Core §3.1: sign in as alice, allow, and the tokens, userinfo and rule trail are shown",
        ),
      ],
    },
    {
      text: "It issues tokens programmatically (token endpoint) for these grant types: password, authorization_code, client_credentials, refresh_token, urn:ietf:params:oauth:grant-type:device_code.",
      rules: ["token.grant-type-known", "token.grant-type-allowed"],
      tests: [
        ...token(
          "RFC 6749 §5.2: an unknown grant_type is refused",
          "RFC 6749 §5.2: a grant_type the client may not use is refused",
          "RFC 6749 §4.1.4: a code is exchanged for an access token and an ID token",
          "RFC 6749 §6: a refresh token is exchanged for new tokens",
          "specification §4 rule 8: scope omitted gives every resource scope allowed, and nothing for people",
        ),
        ...password("RFC 6749 §4.3.3: a person's password is exchanged for tokens"),
        ...device("RFC 8628 §3.5: approved, the device gets its tokens; scope omitted gave all it is allowed"),
      ],
    },
    {
      text: "The token endpoint can be extended with custom grant types.",
      rules: ["token.grant-type-known", "registration.grant-policies-known"],
      reason: "By extension grants: docs/grants.md. Token exchange (RFC 8693) and JWT bearer assertions (RFC 7523) are shipped as such.",
      tests: [
        ...extensionGrants(
          "RFC 6749 §4.5: an extension grant's answer becomes an access token of the person",
          "RFC 6749 §5.2: a declared parameter that is missing is named",
        ),
        ...from("test/cli/grantModules.test.ts")(
          "RFC 6749 §4.5, specification §1: an operator adds a grant by naming its file, and discovery states it",
        ),
        ...examples("RFC 6749 §4.5: a badge is exchanged for an access token of whoever wears it, once"),
        ...token("RFC 6749 §5.2: an unknown grant_type is refused"),
        ...registration("RFC 7591 §2: a policy for a grant that is not turned on is a fault"),
      ],
    },
    {
      text: "It returns identity claims about a user (userinfo endpoint).",
      rules: ["userinfo.token-known", "userinfo.openid-scope"],
      tests: programs(
        "OpenID Connect Core §5.3.2: GET answers the claims of the granted scopes, empty ones left out",
        "RFC 6750 §3.1: nonsense is no token",
        "OpenID Connect Core §5.3.1: a token without openid is 403",
      ),
    },
    {
      text: "It starts the device flow by issuing device codes and user codes (device authorization endpoint).",
      rules: ["device-authorization.grant-allowed"],
      tests: device(
        "RFC 8628 §3.2, specification §2.3: a device gets its codes, where to send people, for how long and how often to ask",
        "RFC 8628 §3.1: off for a client until it is given the grant",
      ),
    },
    {
      text: "It revokes tokens per RFC 7009 (revocation endpoint).",
      rules: ["revocation.token-known", "revocation.token-own"],
      tests: programs(
        "RFC 7009 §2.2: a refresh token is revoked, 200 and an empty JSON object",
        "RFC 7009 §2.2: an unknown token is 200",
        "RFC 7009 §2.1: another client's token is 200",
        "RFC 7009 §2.1: another client's token stays alive",
      ),
    },
    {
      text: "It supports a subset of the standard OpenID Connect and OAuth 2.0 request parameters. Only the parameters listed below are part of this specification.",
      rules: [],
      reason: "A parameter that is not known is ignored (RFC 6749 §3.1, §3.2).",
      tests: [
        ...authorize("RFC 6749 §3.1: unknown parameters are ignored"),
        ...token("RFC 6749 §3.2: unknown parameters are ignored"),
        ...from("test/certification/modules/person.ts")("oidcc-ensure-request-with-unknown-parameter-succeeds"),
      ],
    },
    {
      text: "Clients are registered.",
      rules: ["authorize.client-enabled", "client.enabled", "registration.grant-types"],
      tests: [
        ...authorize("RFC 6749 §4.1.2.1: a disabled client is refused with a page"),
        ...clientAuthentication("RFC 6749 §5.2: a disabled client is refused"),
        ...registration("RFC 7591 §2: an unknown grant type is a fault"),
        ...from("test/cli/operations.test.ts")("add shows the secret it made this once, and keeps its hash"),
      ],
    },
    {
      text: "Scopes, redirect URIs and identity providers are permitted per client configuration.",
      rules: [
        "authorize.scope-allowed",
        "authorize.redirect-uri-registered",
        "client-credentials.scope-allowed",
        "provider.allowed",
        "person.source",
        "source.allowed",
        "login.source",
        "login.local-allowed",
        "password.source",
      ],
      tests: [
        ...upstream(
          "specification §1: the sign-in page offers the providers that the client allows, beside a password",
          "specification §1: nor can a form bring a person to a provider that the client is not allowed",
          "specification §1: a session by password does not do for a client that wants none of ours",
          "specification §1: a session from a provider that the client does not allow does not do",
          "specification §1: a session by password made in another tab meanwhile does not do either",
          "specification §1: a device of such a client is not confirmed in a session by password",
          "specification §1: a password is refused where the client wants none of ours",
          "specification §1: a password of ours is refused for a client that wants none",
        ),
        ...authorize(
          "RFC 6749 §3.3: a scope the client is not allowed is refused",
          "RFC 9700 §2.1: https://evil.example/cb is not the registered redirect_uri; a page, no redirect, whatever else is wrong",
        ),
        ...token("RFC 6749 §3.3: a scope the client is not allowed is refused"),
        ...resource("RFC 8707 §2: a resource none of whose scopes the client may have is refused"),
      ],
    },
  ]),
]
