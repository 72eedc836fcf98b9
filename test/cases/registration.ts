import { type ClientMetadata, type RegistrationSeen, registrationFaults } from "@postern/core"
import { tokenExchange } from "@postern/core/grants"
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

const exchange = tokenExchange()
/** A provider with token exchange. */
const exchanging: Partial<RegistrationSeen> = {
  grantTypes: ["authorization_code", exchange.name],
  policyFaults: new Map([[exchange.name, exchange.policyFault]]),
}

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
    title: "RFC 7591 §2: a policy for a grant that is not turned on is a fault",
    rule: "registration.grant-policies-known",
    client: { ...good, grant_policies: { [exchange.name]: {} } },
    faults: [`grant_policies.${exchange.name}: is no extension grant of this provider`],
  },
  {
    title: "RFC 7591 §2: a policy that its grant cannot read is a fault, where it stands",
    rule: "registration.grant-policies",
    client: {
      ...good,
      grant_types: ["authorization_code", exchange.name],
      grant_policies: { [exchange.name]: { impersonation: true, clients: "web" } },
    },
    seen: exchanging,
    faults: [`grant_policies.${exchange.name}.clients: is not a list of texts`],
  },
  {
    title: "RFC 8693 §2: a client with a sound policy for token exchange may be registered",
    rule: undefined,
    client: {
      ...good,
      grant_types: ["authorization_code", exchange.name],
      grant_policies: { [exchange.name]: { impersonation: true, clients: ["web"], scope: "openid", max_lifetime: 60 } },
    },
    seen: exchanging,
    faults: [],
  },
  ...(
    [
      [[], "", "is not an object"],
      [{ magic: true }, ".magic", "is not known to this policy"],
      [{ toString: true }, ".toString", "is not known to this policy"],
      [{ impersonation: "yes" }, ".impersonation", "is not true or false"],
      [{ scope: " " }, ".scope", "is not scopes in one text, separated by spaces"],
      [{ max_lifetime: 0.5 }, ".max_lifetime", "is not a whole number of seconds, at least 1"],
    ] as const
  ).map(([policy, path, reason]): RegistrationCase => ({
    title: `RFC 8693 §2: the policy ${JSON.stringify(policy)} for token exchange is a fault`,
    rule: "registration.grant-policies",
    client: { ...good, grant_types: ["authorization_code", exchange.name], grant_policies: { [exchange.name]: policy } },
    seen: exchanging,
    faults: [`grant_policies.${exchange.name}${path}: ${reason}`],
  })),
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
