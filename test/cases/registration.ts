import { type ClientMetadata, type RegistrationSeen, registrationFaults } from "@postern/core"
import { known } from "../support/world.ts"

/** A registration shown at work: metadata, and the faults it must have, as `path: reason`. */
export interface RegistrationCase {
  readonly title: string
  readonly rule: string | undefined
  readonly client: ClientMetadata
  readonly seen?: Partial<RegistrationSeen>
  readonly faults: ReadonlyArray<string>
}

const good: ClientMetadata = { client_id: "c", client_secret: "s", redirect_uris: ["https://app.example/cb"], scope: "openid" }
const redirect = (
  uri: string,
  faults: ReadonlyArray<string>,
  more: Partial<ClientMetadata> = {},
  seen: Partial<RegistrationSeen> = {},
): RegistrationCase => ({
  title: `RFC 6749 §3.1.2, RFC 8252 §7: ${uri}${more.application_type === "native" ? " of a native client" : ""}${seen.development === true ? " in development" : ""} ${faults.length === 0 ? "may be registered" : "may not be registered"}`,
  rule: faults.length === 0 ? undefined : "registration.redirect-uris",
  client: { ...good, redirect_uris: [uri], ...more },
  seen,
  faults: faults.map((reason) => `redirect_uris.0: ${reason}`),
})
const native = { application_type: "native" } as const

/** What may be registered: RFC 7591 §2. */
export const registrationCases: ReadonlyArray<RegistrationCase> = [
  { title: "RFC 7591 §2: a plain confidential client has no fault", rule: undefined, client: good, faults: [] },
  {
    title: "RFC 7591 §2: an unknown grant type is a fault",
    rule: "registration.grant-types",
    client: { ...good, grant_types: ["authorization_code", "magic"] },
    faults: ["grant_types.1: magic is not a grant type of this provider"],
  },
  {
    title: "RFC 7591 §2: an unknown response type is a fault",
    rule: "registration.response-types",
    client: { ...good, response_types: ["code", "magic"] },
    faults: ["response_types.1: magic is not a response type of this provider"],
  },
  {
    title: "RFC 7591 §2.1: authorization_code needs a response type with code",
    rule: "registration.grant-and-response",
    client: { ...good, response_types: [] },
    faults: ["response_types: authorization_code needs a response type with code"],
  },
  {
    title: "RFC 7591 §2.1: a response type with code needs authorization_code",
    rule: "registration.grant-and-response",
    client: { ...good, grant_types: ["refresh_token"], response_types: ["code"] },
    faults: ["grant_types: a response type with code needs authorization_code"],
  },
  {
    title: "RFC 7591 §2.1: a response type with a token needs implicit",
    rule: "registration.implicit",
    client: { ...good, response_types: ["code", "code id_token"] },
    faults: ["grant_types: the response type code id_token needs implicit"],
  },
  {
    title: "RFC 7591 §2.1: implicit needs a response type with a token",
    rule: "registration.implicit",
    client: { ...good, grant_types: ["authorization_code", "implicit"] },
    faults: ["response_types: implicit needs a response type with id_token or token"],
  },
  {
    title: "RFC 6749 §2.3.1: a confidential client needs a secret",
    rule: "registration.secret",
    client: { client_id: "c", redirect_uris: ["https://app.example/cb"] },
    faults: ["client_secret: is missing"],
  },
  {
    title: "RFC 6749 §2.3.1: a secret that is kept already will do",
    rule: undefined,
    client: { client_id: "c", redirect_uris: ["https://app.example/cb"] },
    seen: { secretKept: true },
    faults: [],
  },
  {
    title: "RFC 6749 §2.1: a public client has no secret",
    rule: "registration.public-secret",
    client: { ...good, token_endpoint_auth_method: "none" },
    faults: ["client_secret: is given for a client that authenticates by none"],
  },
  {
    title: "RFC 6749 §4.4: a public client cannot use client_credentials",
    rule: "registration.public-grants",
    client: { client_id: "c", token_endpoint_auth_method: "none", grant_types: ["client_credentials"], response_types: [] },
    faults: ["grant_types: client_credentials needs a client that can keep a secret"],
  },
  {
    title: "RFC 7591 §2: a client of the authorization endpoint needs a redirect URI",
    rule: "registration.redirect-uris-present",
    client: { client_id: "c", client_secret: "s" },
    faults: ["redirect_uris: is missing or empty"],
  },
  redirect("https://app.example/cb?x=1", []),
  redirect("https://app.example/cb#x", ["has a fragment"]),
  redirect("https://user@app.example/cb", ["carries a user name"]),
  redirect("https:///cb", ["names no host"]),
  redirect("https://app.example/日本", ["is not an absolute URI"]),
  redirect("http://app.example/cb", ["is http and not a loopback address of a native client"]),
  redirect("http://localhost/cb", [], {}, { development: true }),
  redirect("http://localhost/cb", ["is http and not a loopback address of a native client"]),
  redirect("http://app.example/cb", ["is http and not a loopback address of a native client"], {}, { development: true }),
  redirect("http://127.0.0.1/cb", [], native),
  redirect("http://[::1]:8080/cb", [], native),
  redirect("http://localhost/cb", ["is http and not a loopback address of a native client"], native),
  redirect("com.example.app:/cb", [], native),
  redirect("com.example.app:/cb", ["has a scheme of its own, which only a native client may use"]),
  redirect("myapp:/cb", ["has a private scheme without a dot"], native),
  redirect("javascript:alert(1)", ["has a private scheme without a dot"], native),
  redirect("data:text/html,x", ["has a scheme of its own, which only a native client may use"]),
  {
    title: "RP-Initiated Logout §3.1: a post_logout_redirect_uri follows the same rules",
    rule: "registration.post-logout-redirect-uris",
    client: { ...good, post_logout_redirect_uris: ["https://app.example/#out"] },
    faults: ["post_logout_redirect_uris.0: has a fragment"],
  },
  {
    title: "RFC 6749 §3.3: an unknown scope is a fault",
    rule: "registration.scope",
    client: { ...good, scope: "openid nonsense" },
    faults: ["scope: nonsense: no such scope"],
  },
  {
    title: "OpenID Connect Core §11: offline_access without the refresh_token grant is a fault",
    rule: "registration.offline-access",
    client: { ...good, scope: "openid offline_access" },
    faults: ["scope: offline_access without the refresh_token grant gives nothing"],
  },
  {
    title: "RFC 7662 §2.1: a client cannot stand for a resource that is not declared",
    rule: "registration.introspection-resources",
    client: { ...good, introspection_resources: ["https://nowhere.example"] },
    faults: ["introspection_resources.0: https://nowhere.example is no declared resource"],
  },
  {
    title: "specification §1: a provider that a client allows is a configured one",
    rule: "registration.identity-providers",
    client: { ...good, identity_providers: ["corp", "school"] },
    seen: { identityProviders: ["corp"] },
    faults: ["identity_providers.1: school is no configured provider"],
  },
  {
    title: "specification §1: where the configured providers are not known, those of a client are not judged",
    rule: undefined,
    client: { ...good, identity_providers: ["corp"] },
    faults: [],
  },
  {
    title: "specification §1: a client that wants no password of ours names a provider",
    rule: "registration.local-login",
    client: { ...good, allow_local_login: false },
    faults: ["allow_local_login: leaves its people no way to sign in"],
  },
  {
    title: "RFC 7591 §2: every fault is reported, not the first alone",
    rule: undefined,
    client: { client_id: "c", grant_types: ["authorization_code", "magic"], scope: "nonsense" },
    faults: [
      "grant_types.1: magic is not a grant type of this provider",
      "client_secret: is missing",
      "redirect_uris: is missing or empty",
      "scope: nonsense: no such scope",
    ],
  },
]

/** The faults of a case, as `path: reason`. */
export const faultsOf = ({ client, seen }: RegistrationCase, rulesOff: ReadonlySet<string> = new Set()): ReadonlyArray<string> =>
  registrationFaults(client, {
    catalogue: known,
    grantTypes: ["authorization_code", "refresh_token", "client_credentials", "implicit"],
    responseTypes: ["code", "code id_token"],
    secretKept: false,
    development: false,
    rulesOff,
    ...seen,
  }).map(({ path, reason }) => `${path.join(".")}: ${reason}`)
