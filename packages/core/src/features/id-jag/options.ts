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
  /** The clients that may use its grants; all that may use the grant_type when left out. */
  readonly clients?: ReadonlyArray<string> | undefined
  /** The scopes that its grants may give; all of the client's when left out. */
  readonly scope?: ReadonlyArray<string> | undefined
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

/** Finds the faults of settings, in words. */
export const faultsOf = ({ authorizationServers = [], identityProviders = [] }: IdJagOptions): ReadonlyArray<string> => {
  const twice =
    repeated(authorizationServers.map(({ issuer }) => issuer)) ??
    repeated(identityProviders.map(({ issuer, tenant }) => (tenant === undefined ? issuer : `tenant ${tenant} of ${issuer}`)))
  const faults = [
    ...(twice === undefined ? [] : [`${twice} is stated twice`]),
    ...authorizationServers.flatMap(({ issuer, lifetime, maxAge, scope }) => [
      ...(isSeconds(lifetime, 1, longestLifetime)
        ? []
        : [`the lifetime for ${issuer} must be a whole number from 1 to ${longestLifetime}`]),
      ...(isSeconds(maxAge, 0, Number.MAX_SAFE_INTEGER) ? [] : [`the longest age for ${issuer} must be a whole number of seconds`]),
      ...(scope.length > 0 ? [] : [`${issuer} has no scope`]),
    ]),
    ...identityProviders.flatMap(({ issuer, email, subjects }) =>
      email === true && subjects === undefined
        ? [`${issuer} is trusted with email and states no subjects: every sub would be a subject of ours`]
        : [],
    ),
  ]
  return faults.map((fault) => `id-jag: ${fault}`)
}
