import type { TrustedIssuer } from "../../extension/trustedIssuer.ts"
import type { Seconds } from "../../model/index.ts"

/** A client that may ask for grants to another authorization server. */
export interface ClientElsewhere {
  /** Its client_id at that server. */
  readonly clientId: string
  /** The scopes it may get there; all of the server's when left out. */
  readonly scope?: ReadonlyArray<string> | undefined
  /** The resources it may name there; all of the server's when left out. */
  readonly resources?: ReadonlyArray<string> | undefined
  /** The types of authorization details it may ask for there; all of the server's when left out. */
  readonly detailTypes?: ReadonlyArray<string> | undefined
}

/** An authorization server that takes identity assertion JWT authorization grants of this provider. */
export interface ResourceAuthorizationServer {
  /** Its issuer identifier, byte for byte: the `audience` of requests and the `aud` of grants. */
  readonly issuer: string
  /** The clients of this provider that may ask, by client_id; nobody else may. */
  readonly clients: Readonly<Record<string, ClientElsewhere>>
  /** The client by which the server signs people in here, whose `sub` for a person it knows; the client that asks when left out. */
  readonly client?: string | undefined
  /** The scopes that grants may have there. */
  readonly scope: ReadonlyArray<string>
  /** The resources that requests may name; none when left out. */
  readonly resources?: ReadonlyArray<string> | undefined
  /** The types of authorization details (RFC 9396) that requests may ask for; none when left out. What a type means is for that server to know. */
  readonly detailTypes?: ReadonlyArray<string> | undefined
  /** True if a request must name a resource. False when left out. */
  readonly requireResource?: boolean | undefined
  /** The tenants whose people grants may be about; anybody when left out. */
  readonly tenants?: ReadonlyArray<string> | undefined
  /** The `aud_tenant` of grants: the tenant of this provider's people at that server. */
  readonly audTenant?: string | undefined
  /** The authentication contexts that a sign-in must have reached, one of them; any when left out. */
  readonly acrValues?: ReadonlyArray<string> | undefined
  /** The longest time since the person signed in, in seconds; any when left out. */
  readonly maxAge?: Seconds | undefined
  /** Claims about the person, by name, that grants carry: `email`. The client sees them. None when left out. */
  readonly claims?: ReadonlyArray<string> | undefined
  /** The life of a grant; 300 seconds when left out. */
  readonly lifetime?: Seconds | undefined
}

/** An identity provider whose identity assertion JWT authorization grants are taken. */
export interface AssertingProvider extends Omit<TrustedIssuer, "audiences" | "subjectClaim"> {
  /** The `tenant` that its grants must name, which must be none when left out: a subject is one within a tenant. */
  readonly tenant?: string | undefined
  /** True if people that `subjects` does not name may be known by their verified e-mail address. False when left out. */
  readonly email?: boolean | undefined
  /** The domains of addresses that it may know people by; any when left out. */
  readonly emailDomains?: ReadonlyArray<string> | undefined
  /** The clients that may use its grants; all that may use the grant_type when left out. */
  readonly clients?: ReadonlyArray<string> | undefined
  /** The scopes that its grants may give; all of the client's when left out. */
  readonly scope?: ReadonlyArray<string> | undefined
  /** The types of authorization details that its grants may give; none when left out. */
  readonly detailTypes?: ReadonlyArray<string> | undefined
  /** True if a grant may be used again until it ends; once when left out. */
  readonly reusable?: boolean | undefined
}

/** Settings of {@link idJag}. */
export interface IdJagOptions {
  /** The servers that this provider issues grants for; it issues none when left out. */
  readonly authorizationServers?: ReadonlyArray<ResourceAuthorizationServer> | undefined
  /** The identity providers whose grants this provider takes; it takes none when left out. */
  readonly identityProviders?: ReadonlyArray<AssertingProvider> | undefined
}

/** The life of a grant, where a server states none, in seconds. */
export const usualLifetime: Seconds = 300

/** The longest life that a grant may have, in seconds. */
const longestLifetime: Seconds = 3600

const isSeconds = (value: number | undefined, least: number, most: number): boolean =>
  value === undefined || (Number.isInteger(value) && value >= least && value <= most)

const repeated = (names: ReadonlyArray<string>): string | undefined => names.find((name, at) => names.indexOf(name) !== at)

/** The most characters of a tenant, as people and grants have them. */
const longestTenant = 255

/** The most tenants, domains or types that one party may have. */
const mostNames = 200

const isTenant = (name: string): boolean => name.length >= 1 && name.length <= longestTenant

/** A domain as addresses have it, in lower case: letters, digits and hyphens between dots (RFC 5321 §4.1.2). */
const isDomain = (name: string): boolean =>
  name.length <= 253 && name.includes(".") && name.split(".").every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label))

/** Finds the fault of a list of names: none at all, too many, one twice, or one that is none. */
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

/** Finds the faults of settings, in words. */
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
