import {
  type Line,
  clientAuthentication,
  device,
  extensionGrants,
  from,
  jwtBearer,
  password,
  resource,
  section,
  specClients,
  specTokens,
  token,
  tokenExchange,
  twoPosterns,
  upstream,
} from "../line.ts"

const at = (path: string, ...words: ReadonlyArray<string>) => specClients(...words.map((each) => `specification §5: at ${path} ${each}`))

/** Section 2.2. */
export const tokenParameters: ReadonlyArray<Line> = section("2.2 Token request parameters (form body)", [
  {
    text: "client_id | string | yes | Client identifier, in the body or as part of the authorization header.",
    rules: ["client.present", "client.known", "client.same-id"],
    tests: [
      ...at(
        "/connect/token",
        "no client_id is refused",
        "an unknown client_id is refused",
        "Basic authenticates",
        "client_id and client_secret in the body authenticate",
      ),
      ...clientAuthentication("RFC 6749 §2.3: a client_id in the body that is not the Basic header's is refused"),
      ...token("RFC 6749 §4.1.3: a public client redeems its code with client_id alone"),
    ],
  },
  {
    text: "client_secret | string | no | Client secret, in the body or as a basic authentication header.",
    rules: ["client.secret-matches", "client.secret-present", "client.one-method", "client.secret-unexpected", "client.basic-form"],
    reason: "A public client has none; every other must send it (RFC 6749 §2.1, §3.2.1).",
    tests: [
      ...at(
        "/connect/token",
        "Basic authenticates",
        "client_id and client_secret in the body authenticate",
        "a wrong secret by Basic is refused",
        "a wrong secret in the body is refused",
        "a confidential client without its secret is refused",
        "Basic and a secret in the body at once are refused",
      ),
      ...clientAuthentication(
        "RFC 6749 §2.1: a public client that sends a secret is refused",
        "RFC 6749 §2.3.1: Basic credentials that are not base64 of id:secret are refused",
        "RFC 6749 §2.3.1 appendix B: Basic credentials are form-decoded, colon, percent, plus, space and ü included",
        "RFC 6749 §2.3.1: a secret in the URL is not looked at",
      ),
      ...token("RFC 6749 §4.1.3: a public client redeems its code with client_id alone"),
    ],
  },
  {
    text: "grant_type | string | yes | `authorization_code`, `client_credentials`, `password`, `refresh_token`, `urn:ietf:params:oauth:grant-type:device_code`,",
    rules: ["token.grant-type-present", "token.grant-type-known", "token.grant-type-allowed"],
    tests: [
      ...token(
        "RFC 6749 §5.2: no grant_type is refused",
        "RFC 6749 §3.1: an empty grant_type counts as none",
        "RFC 6749 §5.2: an unknown grant_type is refused",
        "RFC 6749 §5.2: a grant_type the client may not use is refused",
      ),
      ...specTokens(
        "specification §4: the answer to authorization_code has access_token expires_in id_token refresh_token scope token_type, and nothing else",
        "specification §4: the answer to client_credentials has access_token expires_in scope token_type, and nothing else",
        "specification §4: the answer to password has access_token expires_in id_token refresh_token scope token_type, and nothing else",
        "specification §4: the answer to refresh_token has access_token expires_in id_token refresh_token scope token_type, and nothing else",
        "specification §4: the answer to urn:ietf:params:oauth:grant-type:device_code has access_token expires_in id_token refresh_token scope token_type, and nothing else",
      ),
    ],
  },
  {
    text: "or a custom extension grant.",
    rules: ["extension.policy", "token.grant-type-allowed"],
    reason: "Its name is among the client's grant_types; what the client may do with it is its grant_policies.",
    tests: [
      ...extensionGrants(
        "RFC 6749 §4.5: an extension grant's answer becomes an access token of the person",
        "RFC 6749 §5.2: a client whose policy cannot be read may not use the grant",
      ),
      ...jwtBearer("RFC 7523 §2.1: an assertion is exchanged for an access token of the person it is about"),
      ...tokenExchange("RFC 8693 §4.1: delegation: act names the actor"),
      ...token("RFC 6749 §5.2: a grant_type the client may not use is refused"),
    ],
  },
  {
    text: "scope | string | no | One or more registered scopes.",
    rules: ["client-credentials.scope-allowed", "client-credentials.scope-form", "password.scope-allowed", "refresh.scope-narrows"],
    reason:
      "At refresh it may narrow and never widen (RFC 6749 §6). With a code it is not looked at: the scope is what was granted at authorize (RFC 6749 §4.1.3).",
    tests: [
      ...token(
        "RFC 6749 §3.3: a scope the client is not allowed is refused",
        "RFC 6749 §3.3: an unknown scope is refused",
        "RFC 6749 §3.3: a scope that names nothing is refused",
        "RFC 6749 §6: a wider scope is refused",
        "RFC 6749 §6: a narrower scope narrows this answer",
      ),
      ...password("RFC 6749 §3.3: a scope the client is not allowed is refused in the password grant"),
      ...specTokens(
        'specification §2.2 scope: client_credentials asking for "api.write" gets api.write',
        'specification §2.2 scope: client_credentials asking for "api.write api.read" gets api.write api.read',
        "specification §2.2 scope: omitted with a code or a refresh token, the scope is the grant's, and a code takes no other",
      ),
    ],
  },
  {
    text: "If omitted, a token for all explicitly allowed scopes is issued.",
    rules: ["client-credentials.scope-some"],
    reason:
      "For client_credentials the resource scopes among them, for no person is there; with a code or a refresh token all that was granted.",
    tests: [
      ...token(
        "specification §4 rule 8: scope omitted gives every resource scope allowed, and nothing for people",
        "specification §4 rule 8: a client without any resource scope is refused",
      ),
      ...password("specification §4 rule 8: scope omitted gives every scope the client is explicitly allowed, and so a refresh token"),
      ...specTokens(
        'specification §2.2 scope: client_credentials asking for "" gets api.read api.write',
        "specification §2.2 scope: omitted with a code or a refresh token, the scope is the grant's, and a code takes no other",
      ),
    ],
  },
  {
    text: "redirect_uri | string (URI) | required for authorization_code | Redirect URI.",
    rules: ["code.redirect-uri"],
    reason: "The very one of the authorization request (RFC 6749 §4.1.3).",
    tests: [
      ...token(
        "specification §4 rule 4: a missing redirect_uri is refused",
        "RFC 6749 §4.1.3: another redirect_uri of the same client is refused",
      ),
      ...specTokens("specification §2.2 redirect_uri: an empty one counts as none, and is refused"),
    ],
  },
  {
    text: "code | string | required for authorization_code | The authorization code.",
    rules: ["code.present", "code.known", "code.client", "code.unused", "code.fresh"],
    tests: [
      ...token(
        "RFC 6749 §4.1.3: no code is refused",
        "RFC 6749 §5.2: an unknown code is refused",
        "RFC 6749 §4.1.3: another client's code is refused",
        "RFC 6749 §4.1.2: a code used before is refused",
        "RFC 6749 §4.1.2: a code of 60 s is refused",
      ),
      ...specTokens("specification §2.2 code: an empty one counts as none, and is refused"),
    ],
  },
  {
    text: "code_verifier | string | no | PKCE proof key.",
    rules: ["code.verifier-present", "code.pkce-proof", "code.verifier-unexpected", "code.verifier-form"],
    reason: "Owed where a challenge was sent, refused where none was (RFC 7636 §4.5, RFC 9700 §2.1.1).",
    tests: [
      ...token(
        "RFC 7636 §4.5: a missing verifier is refused",
        "RFC 7636 §4.6: a verifier that does not match is refused",
        "RFC 9700 §2.1.1: a verifier without a challenge before is refused",
        "RFC 7636 §4.1: a verifier shorter than 43 characters is refused",
        "RFC 6749 §4.1.3: a client that need not use PKCE redeems without it",
      ),
      ...from("test/properties/proofs.test.ts")(
        "RFC 7636 §4.6: a verifier proves a challenge just when node:crypto says the one is the other's transformation",
      ),
    ],
  },
  {
    text: "username | string | required for password | Resource owner username.",
    rules: ["password.username-present", "password.verified"],
    tests: [
      ...password("specification §4 rule 5: no username is refused", "RFC 6749 §5.2: an unknown person is the same invalid_grant"),
      ...specTokens("specification §2.2 username: an empty one counts as none, and is refused"),
    ],
  },
  {
    text: "password | string | required for password | Resource owner password.",
    rules: ["password.password-present", "password.verified"],
    tests: [
      ...password("specification §4 rule 5: no password is refused", "RFC 6749 §5.2: a wrong password is invalid_grant"),
      ...specTokens("specification §2.2 password: an empty one counts as none, and is refused"),
    ],
  },
  {
    text: "acr_values | string | no | Only for the password grant.",
    rules: [],
    reason: "Every other grant passes it over.",
    tests: specTokens("specification §2.2 acr_values: other grants do not look at it"),
  },
  {
    text: "`idp:<idp_name>` bypasses the login/home realm screen and forwards to the named identity provider (if the client configuration allows);",
    rules: ["provider.allowed", "password.source", "password.verified"],
    reason: "Nobody is there to be forwarded: the password is checked at the provider, where `password_grant` is set for it.",
    tests: [
      ...upstream(
        "specification §2.2 acr_values: idp:NAME has the password checked at the provider",
        "specification §2.2 acr_values: a password that the provider refuses is invalid_grant",
        "specification §2.2 acr_values: a provider that the client is not allowed is passed over",
        "specification §1: a password of ours is refused for a client that wants none",
      ),
      ...twoPosterns("specification §2.2 acr_values: the password grant has the password checked there, where that is set up"),
    ],
  },
  {
    text: "`tenant:<tenant_name>` passes a tenant name to the token endpoint.",
    rules: ["password.verified"],
    tests: specTokens(
      "specification §2.2 acr_values: tenant:NAME reaches the authenticator of the password grant",
      "specification §2.2 acr_values: in another tenant the person is as unknown as any",
    ),
  },
  {
    text: "refresh_token | string | required for refresh_token | The refresh token.",
    rules: ["refresh.present", "refresh.known", "refresh.client", "refresh.unrotated", "refresh.fresh"],
    tests: [
      ...token(
        "RFC 6749 §6: no refresh_token is refused",
        "RFC 6749 §5.2: an unknown refresh token is refused",
        "RFC 6749 §6: another client's refresh token is refused",
        "RFC 9700 §4.14.2: a rotated refresh token that comes back after its grace is refused",
        "RFC 6749 §5.2: a refresh token past its sliding end is refused",
      ),
      ...specTokens("specification §2.2 refresh_token: an empty one counts as none, and is refused"),
    ],
  },
  {
    text: "device_code | string | required for the device_code grant | The device code.",
    rules: ["device.present", "device.known", "device.client"],
    tests: [
      ...device(
        "specification §4 rule 7: no device_code is refused",
        "RFC 6749 §5.2: an unknown device code is refused",
        "RFC 8628 §3.4: another client's device code is refused",
      ),
      ...specTokens("specification §2.2 device_code: an empty one counts as none, and is refused"),
    ],
  },
  {
    text: "resource | string (URI) | no | Resource indicator. Must be a valid URI.",
    rules: [
      "code.resource-form",
      "refresh.resource-form",
      "client-credentials.resource-form",
      "password.resource-form",
      "device.resource-form",
    ],
    tests: [
      ...resource(
        "RFC 8707 §2: at the token endpoint too a resource is an absolute URI",
        "RFC 8707 §2: at refresh too a resource is an absolute URI",
        "RFC 8707 §2: a machine's resource is an absolute URI",
      ),
      ...password("RFC 8707 §2: in the password grant too a resource is an absolute URI"),
      ...device("RFC 8707 §2: a device's resource is an absolute URI"),
    ],
  },
  {
    text: "When the request follows an authorize request, it must also be a resource originally granted in that authorize request.",
    rules: ["code.resource-allowed", "refresh.resource-allowed"],
    reason: "Where authorize named none, any that the granted scopes reach (RFC 8707 §2.2).",
    tests: resource(
      "specification §2.2: at the token endpoint a resource not granted at authorize is refused",
      "specification §2.2: a refresh cannot reach a resource not granted",
      "RFC 8707 §2.2: one of two resources narrows audience and scopes",
      "RFC 8707 §2.2: where authorize named no resource, any that the granted scopes reach may be asked for",
    ),
  },
])
