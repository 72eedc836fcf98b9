import {
  type Line,
  authorize,
  certifiedPerson,
  from,
  loginPage,
  pages,
  refusing,
  requestObjects,
  resource,
  responseTypes,
  section,
  spec,
  token,
  twoPosterns,
  upstream,
} from "../line.ts"
import { cases as requestObjectCases } from "../../cases/requestObjects.ts"

const objectRules = [
  "authorize.request-once",
  "authorize.request-or-request-uri",
  "authorize.request-unsupported",
  "authorize.request-object-required",
  "request-object.encryption",
  "request-object.decrypted",
  "request-object.form",
  "request-object.type",
  "request-object.critical",
  "request-object.algorithm",
  "request-object.signature",
  "request-object.client",
  "request-object.nested",
  "request-object.issuer",
  "request-object.audience",
  "request-object.subject",
  "request-object.expired",
  "request-object.not-before",
  "request-object.length",
]
const uriRules = ["authorize.request-uri-unsupported", "authorize.request-uri-registered", "request-object.fetched"]

const given = (type: string) =>
  spec(`specification §2.1 response_type: ${type} without a response_mode gives what it names, state and iss, and nothing else`)

/** Section 2.1 from `ui_locales` on. */
export const authorizeMore: ReadonlyArray<Line> = [
  ...section("2.1 Authorize request parameters (query string)", [
    {
      text: "ui_locales | string | no | Hint about the desired display language of the login UI.",
      rules: [],
      reason:
        "The first language there is, before that of Accept-Language; a tag that is none is passed over (OpenID Connect Core §3.1.2.1).",
      tests: [
        ...loginPage("specification §2.1 ui_locales: the first language there is, else the page's own"),
        ...pages("OpenID Connect Core §3.1.2.1: ui_locales choose the language, before Accept-Language"),
        ...from("test/pages/languages.test.ts")("is the first wanted one that there is (OpenID Connect Core §3.1.2.1, ui_locales)"),
        ...from("test/properties/headers.test.ts")(
          "OpenID Connect Core §3.1.2.1: any ui_locales gives at most ten tags, well formed, in the order asked for",
        ),
        ...certifiedPerson("oidcc-ui-locales"),
      ],
    },
    {
      text: "max_age | integer (seconds) | no | If the user's logon session is older than this, the login UI is shown.",
      rules: ["person.max-age", "authorize.max-age-form"],
      reason: "A session just as old will do; 0 always asks (OpenID Connect Core §3.1.2.1).",
      tests: [
        ...authorize(
          "specification §4 rule 2: a session older than max_age asks to sign in",
          "OpenID Connect Core §3.1.2.1: a session as old as max_age will do",
          "behaviour, requests: max_age=0 always asks to sign in",
          "OpenID Connect Core §3.1.2.1: max_age=-1 is refused",
          "OpenID Connect Core §3.1.2.1: max_age=1.5 is refused",
          "OpenID Connect Core §3.1.2.1: max_age=x is refused",
        ),
        ...certifiedPerson("oidcc-max-age-10000", "oidcc-max-age-1"),
      ],
    },
    {
      text: "acr_values | string | no | Additional authentication information.",
      rules: [],
      reason: "What is not one of its two special values is handed to whoever signs the person in, and what they reach is the `acr` claim.",
      tests: [
        ...certifiedPerson("oidcc-ensure-request-with-acr-values-succeeds"),
        ...upstream(
          "OpenID Connect Core §3.1.2.1: other acr_values are offered to the authenticator, and the one reached is the acr claim",
        ),
      ],
    },
    {
      text: "Two special values: `idp:<idp_name>` bypasses the login/home realm screen and forwards the user straight to the named identity provider (only if the client configuration allows it);",
      rules: ["provider.known", "provider.allowed", "person.source-asked", "login.forward-untried"],
      tests: [
        ...upstream(
          "specification §2.1 acr_values: idp:NAME goes straight to the provider",
          "specification §2.1 acr_values: idp:NAME of a provider that there is not is passed over",
          "specification §2.1 acr_values: idp:NAME of a provider that the client is not allowed is passed over",
          "specification §2.1 acr_values: a session from elsewhere does not do for idp:NAME",
          "specification §2.1 acr_values: after a failure nobody is sent there again unasked",
        ),
        ...twoPosterns("specification §2.1 acr_values: idp:NAME signs a person in there, and the client gets its code"),
        ...from("test/checklist/authorizePages.test.ts")(
          "security-checklist, Authorize: acr_values=idp:x for a client not allowed x -> no redirect to x (specification §2.1)",
        ),
      ],
    },
    {
      text: "`tenant:<tenant_name>` passes a tenant name to the login UI.",
      rules: ["tenant.known"],
      reason: "The page shows it, with looks of its own where they are configured, and whoever signs the person in is told.",
      tests: [
        ...upstream(
          "specification §2.1 acr_values: a tenant that pages know is named on them",
          "specification §2.1 acr_values: a tenant that pages do not know is not named on them",
        ),
        ...pages("specification §2.1: acr_values tenant:NAME reaches the login page"),
        ...loginPage("specification §2.1 acr_values: tenant:NAME is on the page, and no tenant without it"),
        ...spec(
          "specification §2.1 acr_values: tenant:NAME reaches the authenticator when the person signs in",
          "specification §2.1 acr_values: without tenant:NAME the authenticator hears of none",
        ),
      ],
    },
    {
      text: "resource | string (URI) | no | Resource indicator(s). Must be a valid URI.",
      rules: ["authorize.resource-form", "authorize.resource-allowed"],
      reason: "Absolute and without a fragment; it may come more than once (RFC 8707 §2).",
      tests: [
        ...resource(
          "RFC 8707 §2: nonsense is no resource indicator",
          "RFC 8707 §2: /relative is no resource indicator",
          "RFC 8707 §2: https://api.example#fragment is no resource indicator",
          "RFC 8707 §2: an unknown resource is refused",
        ),
        ...authorize("RFC 8707 §2: resource may come twice"),
      ],
    },
    {
      text: "request | string (JWT) | no | A JWT carrying some or all of the request parameters instead of individual query parameters.",
      rules: objectRules,
      reason: "Signed, encrypted, or, where the client registered so, unsigned; what it says wins (RFC 9101).",
      tests: [
        ...refusing("requestObjects", requestObjectCases, objectRules),
        ...requestObjects(
          "RFC 9101 §6.3: what the object says wins, and what only the query says is ignored",
          "RFC 9101 §6.2: an object signed with RS256 by a key of the client's jwks is granted",
          "RFC 9101 §6.3: what the object leaves out is not taken from the query",
        ),
      ],
    },
    {
      text: "request_uri | string (URL) | no | URL of a pre-packaged JWT containing the request parameters.",
      rules: uriRules,
      reason: "Only one that the client registered, over https, at a public address (RFC 9101 §10.4).",
      tests: refusing("requestObjects", requestObjectCases, uriRules),
    },
  ]),
  ...section("2.1 Response type constraints", [
    {
      text: "`id_token` requests an identity token;",
      rules: ["authorize.scope-openid"],
      reason: "The claims of the scopes are in it, for no access token comes that would reach them (OpenID Connect Core §5.4).",
      tests: [
        ...given("id_token"),
        ...responseTypes(
          "OpenID Connect Core §5.4: for id_token alone the claims of the scopes are in the ID token",
          "OpenID Connect Core §3.2.2.1: an ID token needs openid",
        ),
      ],
    },
    {
      text: "only identity scopes are allowed.",
      rules: ["authorize.scope-identity-only"],
      tests: responseTypes("specification §2.1: id_token allows identity scopes only"),
    },
    {
      text: "`token` requests an access token;",
      rules: [],
      reason: "What a response type names is what it gives.",
      tests: [...given("token"), ...responseTypes("specification §2.1: token answers with an access token alone, for resource scopes")],
    },
    {
      text: "only resource scopes are allowed.",
      rules: ["authorize.scope-resource-only"],
      tests: responseTypes(
        "specification §2.1: token allows resource scopes only",
        "specification §2.1: token needs a resource scope; offline_access alone, which it ignores, is none",
      ),
    },
    {
      text: "`id_token token` requests an identity token and an access token.",
      rules: [],
      reason: "What a response type names is what it gives; at_hash binds the two (OpenID Connect Core §3.2.2.10).",
      tests: [
        ...given("id_token token"),
        ...responseTypes("specification §2.1: id_token token answers with access_token, id_token in the fragment"),
        ...from("test/core/hybrid.test.ts")("OpenID Connect Core §3.2.2.10: at_hash, and no c_hash, where no code came"),
      ],
    },
    {
      text: "`code` requests an authorization code.",
      rules: [],
      reason: "What a response type names is what it gives.",
      tests: [
        ...given("code"),
        ...authorize("RFC 6749 §4.1.2: every code is its own"),
        ...token("RFC 6749 §4.1.4: a code is exchanged for an access token and an ID token"),
      ],
    },
    {
      text: "`code id_token` requests an authorization code and an identity token.",
      rules: [],
      reason: "What a response type names is what it gives; c_hash binds the two (OpenID Connect Core §3.3.2.11).",
      tests: [
        ...given("code id_token"),
        ...responseTypes("specification §2.1: code id_token answers with code, id_token in the fragment"),
        ...from("test/core/hybrid.test.ts")("OpenID Connect Core §3.3.2.11: c_hash and at_hash bind what comes with the ID token"),
      ],
    },
    {
      text: "`code id_token token` requests an authorization code, an identity token and an access token.",
      rules: [],
      reason: "What a response type names is what it gives; c_hash and at_hash bind the three (OpenID Connect Core §3.3.2.11).",
      tests: [
        ...given("code id_token token"),
        ...responseTypes("specification §2.1: code id_token token answers with code, access_token, id_token in the fragment"),
        ...from("test/core/hybrid.test.ts")("OpenID Connect Core §3.3.2.11: c_hash and at_hash bind what comes with the ID token"),
      ],
    },
  ]),
]
