import { type TrustedIssuer, trustedIssuerKinds } from "../../extension/trustedIssuer.ts"
import type { Seconds } from "../../model/index.ts"
import { type MemberKinds, memberFaults } from "../../model/members.ts"

/** A client that may request grants for another authorization server. */
export interface ClientElsewhere {
  /** Its client_id at that server. */
  readonly clientId: string
  /** The scopes that it may be granted there. Default: all of the server's. */
  readonly scope?: ReadonlyArray<string> | undefined
  /** The resources that it may name there. Default: all of the server's. */
  readonly resources?: ReadonlyArray<string> | undefined
  /** The types of authorization details that it may request there. Default: all of the server's. */
  readonly detailTypes?: ReadonlyArray<string> | undefined
}

/** An authorization server that accepts identity assertion JWT authorization grants of this provider. */
export interface ResourceAuthorizationServer {
  /** Its issuer identifier, byte for byte: the `audience` of requests and the `aud` of grants. */
  readonly issuer: string
  /** The only clients of this provider that may request grants for the server, by client_id. */
  readonly clients: Readonly<Record<string, ClientElsewhere>>
  /**
   * The client through which the server signs people in here, and whose `sub` for a person the server knows. Default: the requesting
   * client.
   */
  readonly client?: string | undefined
  /** The scopes that grants may have there. */
  readonly scope: ReadonlyArray<string>
  /** The resources that requests may name. Default: none. */
  readonly resources?: ReadonlyArray<string> | undefined
  /**
   * The types of authorization details (RFC 9396) that requests may ask for. Default: none. Only that server knows the meaning of a type.
   */
  readonly detailTypes?: ReadonlyArray<string> | undefined
  /** True if a request must name a resource. Default: false. */
  readonly requireResource?: boolean | undefined
  /** The tenants to whose people grants are limited. Default: no limit. */
  readonly tenants?: ReadonlyArray<string> | undefined
  /** The `aud_tenant` of grants: the tenant of this provider's people at that server. */
  readonly audTenant?: string | undefined
  /** The authentication contexts of which a sign-in must have reached one. Default: any. */
  readonly acrValues?: ReadonlyArray<string> | undefined
  /** The longest time since the person signed in, in seconds. Default: no limit. */
  readonly maxAge?: Seconds | undefined
  /** The names of claims about the person that grants contain, such as `email`. The client can read them. Default: none. */
  readonly claims?: ReadonlyArray<string> | undefined
  /** The lifetime of a grant. Default: 300 seconds. */
  readonly lifetime?: Seconds | undefined
}

/** An identity provider whose identity assertion JWT authorization grants are accepted. */
export interface AssertingProvider extends Omit<TrustedIssuer, "audiences" | "subjectClaim"> {
  /** The `tenant` that its grants must name. Without it they must name none, because a subject is unique only within its tenant. */
  readonly tenant?: string | undefined
  /** True if people that `subjects` does not list may be identified by their verified e-mail address. Default: false. */
  readonly email?: boolean | undefined
  /** The domains of the addresses by which it may identify people. Default: any. */
  readonly emailDomains?: ReadonlyArray<string> | undefined
  /** The clients that may use its grants. Default: all that may use the grant_type. */
  readonly clients?: ReadonlyArray<string> | undefined
  /** The scopes that its grants may give. Default: all of the client's. */
  readonly scope?: ReadonlyArray<string> | undefined
  /** The types of authorization details that its grants may give. Default: none. */
  readonly detailTypes?: ReadonlyArray<string> | undefined
  /** True if a grant may be used again until it expires. Default: once only. */
  readonly reusable?: boolean | undefined
}

/** Settings of {@link idJag}. */
export interface IdJagOptions {
  /** The servers for which this provider issues grants. Default: none. */
  readonly authorizationServers?: ReadonlyArray<ResourceAuthorizationServer> | undefined
  /** The identity providers whose grants this provider accepts. Default: none. */
  readonly identityProviders?: ReadonlyArray<AssertingProvider> | undefined
}

/** The lifetime of a grant for a server that states none, in seconds. */
export const usualLifetime: Seconds = 300

/** The longest lifetime that a grant may have, in seconds. */
const longestLifetime: Seconds = 3600

const isSeconds = (value: number | undefined, least: number, most: number): boolean =>
  value === undefined || (Number.isInteger(value) && value >= least && value <= most)

const repeated = (names: ReadonlyArray<string>): string | undefined => names.find((name, at) => names.indexOf(name) !== at)

/** The most characters of a tenant, in the data of people and in grants. */
const longestTenant = 255

/** The most tenants, domains or types that one server or identity provider may have. */
const mostNames = 200

const isTenant = (name: string): boolean => name.length >= 1 && name.length <= longestTenant

/**
 * Reports whether a text is a domain in the form used in addresses, in lower case: letters, digits and hyphens between dots (RFC 5321
 * §4.1.2).
 */
const isDomain = (name: string): boolean =>
  name.length <= 253 && name.includes(".") && name.split(".").every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label))

/** Finds the fault of a list of names: it is empty, too long, or has a duplicate or invalid name. */
const faultOfNames = (names: ReadonlyArray<string> | undefined, isName: (name: string) => boolean): string | undefined => {
  if (names === undefined) return undefined
  if (names.length === 0) return "is empty: leave it out, or name one"
  if (names.length > mostNames) return `has more than ${mostNames}`
  const [twice, wrong] = [repeated(names), names.find((name) => !isName(name))]
  if (wrong !== undefined) return `has ${JSON.stringify(wrong.slice(0, 40))}, which is none`
  return twice === undefined ? undefined : `has ${twice} twice`
}

type Fault = string | undefined

const said = (what: string, fault: Fault): Fault => fault && `${what} ${fault}`

const unless = (sound: boolean, fault: string): Fault => (sound ? undefined : fault)

const isType = (name: string): boolean => name.length >= 1 && name.length <= 200

const serverFaults = (server: ResourceAuthorizationServer): ReadonlyArray<Fault> => {
  const { issuer, lifetime, maxAge, scope, tenants, audTenant = "-", detailTypes, clients } = server
  return [
    unless(isSeconds(lifetime, 1, longestLifetime), `the lifetime for ${issuer} must be a whole number from 1 to ${longestLifetime}`),
    unless(isSeconds(maxAge, 0, Number.MAX_SAFE_INTEGER), `the longest age for ${issuer} must be a whole number of seconds`),
    unless(scope.length > 0, `${issuer} has no scope`),
    said(`the list of tenants for ${issuer}`, faultOfNames(tenants, isTenant)),
    unless(isTenant(audTenant), `the aud_tenant for ${issuer} must be a text of 1 to ${longestTenant} characters`),
    said(`the list of authorization_details_types for ${issuer}`, faultOfNames(detailTypes, isType)),
    ...Object.entries(clients).map(([name, elsewhere]) => {
      const beyond = elsewhere.detailTypes?.find((type) => detailTypes?.includes(type) !== true)
      return beyond === undefined
        ? undefined
        : `${name} may ask for authorization_details of the type ${beyond}, which ${issuer} does not have`
    }),
  ]
}

const providerFaults = ({ issuer, email, subjects, emailDomains, tenant = "-", detailTypes }: AssertingProvider): ReadonlyArray<Fault> => [
  unless(
    email !== true || subjects !== undefined,
    `${issuer} is trusted with email and states no subjects: every sub would be a subject of ours`,
  ),
  unless(email === true || emailDomains === undefined, `${issuer} has email_domains and is not trusted with email`),
  said(`the list of email_domains of ${issuer}`, faultOfNames(emailDomains, isDomain)),
  unless(isTenant(tenant), `the tenant of ${issuer} must be a text of 1 to ${longestTenant} characters`),
  said(`the list of authorization_details_types of ${issuer}`, faultOfNames(detailTypes, isType)),
]

const elsewhereKinds: MemberKinds<ClientElsewhere> = { clientId: "text", scope: "texts?", resources: "texts?", detailTypes: "texts?" }

const serverKinds: MemberKinds<ResourceAuthorizationServer> = {
  issuer: "text",
  clients: "object",
  client: "text?",
  scope: "texts",
  resources: "texts?",
  detailTypes: "texts?",
  requireResource: "boolean?",
  tenants: "texts?",
  audTenant: "text?",
  acrValues: "texts?",
  maxAge: "number?",
  claims: "texts?",
  lifetime: "number?",
}

const { audiences: _audiences, subjectClaim: _subjectClaim, ...issuerKinds } = trustedIssuerKinds

const providerKinds: MemberKinds<AssertingProvider> = {
  ...issuerKinds,
  tenant: "text?",
  email: "boolean?",
  emailDomains: "texts?",
  clients: "texts?",
  scope: "texts?",
  detailTypes: "texts?",
  reusable: "boolean?",
}

/** Finds members that there are none of, and those of the wrong kind. */
export const unfitOf = (options: IdJagOptions): ReadonlyArray<string> => {
  const faults = memberFaults(options, { authorizationServers: "objects?", identityProviders: "objects?" })
  if (faults.length > 0) return faults
  const { authorizationServers = [], identityProviders = [] } = options
  const servers = authorizationServers.flatMap((each, at) => {
    const place = `authorizationServers[${at}].`
    const wrong = memberFaults(each, serverKinds, place)
    const clients = (): ReadonlyArray<string> =>
      Object.entries(each.clients).flatMap(([name, client]) => memberFaults(client, elsewhereKinds, `${place}clients.${name}.`))
    return wrong.length > 0 ? wrong : clients()
  })
  return [...servers, ...identityProviders.flatMap((each, at) => memberFaults(each, providerKinds, `identityProviders[${at}].`))]
}

/** Finds the faults of settings and describes them. */
export const faultsOf = ({ authorizationServers = [], identityProviders = [] }: IdJagOptions): ReadonlyArray<string> => {
  const twice =
    repeated(authorizationServers.map(({ issuer }) => issuer)) ??
    repeated(identityProviders.map(({ issuer, tenant }) => (tenant === undefined ? issuer : `tenant ${tenant} of ${issuer}`)))
  const faults = [
    twice === undefined ? undefined : `${twice} is stated twice`,
    ...authorizationServers.flatMap(serverFaults),
    ...identityProviders.flatMap(providerFaults),
  ]
  return faults.flatMap((fault) => (fault === undefined ? [] : [`id-jag: ${fault}`]))
}
