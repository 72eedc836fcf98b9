import { issuersForm, trustedIssuerKinds } from "../../extension/issuerForms.ts"
import type { TrustedIssuer } from "../../extension/trustedIssuer.ts"
import { type Form, type Forms, filled, listOf, matching, recordOf, refuseMembers, sectionOf, whole } from "../../model/forms.ts"
import { type Seconds, scopeName } from "../../model/index.ts"
import type { MemberKinds } from "../../model/members.ts"
import { isIndicator } from "../../rules/resource.ts"

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

/** The most characters of a tenant, in the data of people and in grants. */
const longestTenant = 255

/** The most tenants, domains or types that one server or identity provider may have. */
const mostNames = 200

/**
 * Reports whether a text is a domain in the form used in addresses, in lower case: letters, digits and hyphens between dots (RFC 5321
 * §4.1.2).
 */
const isDomain = (name: string): boolean =>
  name.length <= 253 && name.includes(".") && name.split(".").every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label))

const sized = (most: number): Form => matching((text) => text.length >= 1 && text.length <= most, `a text of 1 to ${most} characters`)

const tenant = sized(longestTenant)

/** Names, each once and at least one. */
const names = (each: Form): Form => listOf(each, { least: 1, most: mostNames, keyOf: (name) => name })

const types = names(sized(200))

const scopes = listOf(matching(scopeName.fits, "a scope (RFC 6749 §3.3)"))

const resources = listOf(matching(isIndicator, "an absolute URI without a fragment (RFC 8707 §2)"))

const elsewhereKinds: MemberKinds<ClientElsewhere> = { clientId: "own", scope: "own?", resources: "own?", detailTypes: "texts?" }

const elsewhere = sectionOf<ClientElsewhere>(elsewhereKinds, { clientId: filled, scope: scopes, resources })

const serverKinds: MemberKinds<ResourceAuthorizationServer> = {
  issuer: "own",
  clients: "own",
  client: "own?",
  scope: "own",
  resources: "own?",
  detailTypes: "own?",
  requireResource: "boolean?",
  tenants: "own?",
  audTenant: "own?",
  acrValues: "own?",
  maxAge: "own?",
  claims: "own?",
  lifetime: "own?",
}

const serverForms: Forms<ResourceAuthorizationServer> = {
  issuer: matching((text) => URL.canParse(text), "the URL of an issuer (RFC 8414 §2)"),
  clients: recordOf(elsewhere),
  client: filled,
  scope: listOf(matching(scopeName.fits, "a scope (RFC 6749 §3.3)"), { least: 1, isNeeded: true }),
  resources,
  detailTypes: types,
  tenants: names(tenant),
  audTenant: tenant,
  acrValues: listOf(filled, { least: 1 }),
  maxAge: whole(0),
  claims: listOf(filled),
  lifetime: whole(1, longestLifetime),
}

/** Returns the faults of a client at a server. A client may have limits for several servers, so only what is left of them counts. */
const clientFaults = (name: string, client: ClientElsewhere, server: ResourceAuthorizationServer): ReadonlyArray<string> => {
  const isLeft = (limit: "scope" | "detailTypes"): boolean => (server[limit] ?? []).some((each) => client[limit]?.includes(each) !== false)
  return [
    ...(isLeft("scope") || isLeft("detailTypes")
      ? []
      : [`.clients.${name}.scope: has none of the server's scopes; name one of ${server.scope.join(", ")}, or leave it out`]),
    ...(client.detailTypes ?? []).flatMap((type, at) =>
      server.detailTypes?.includes(type) === true
        ? []
        : `.clients.${name}.detailTypes[${at}]: ${JSON.stringify(type)} is none of the server's detailTypes; add it there, or remove it`,
    ),
  ]
}

const serverFaults = (server: ResourceAuthorizationServer): ReadonlyArray<string | undefined> => [
  server.requireResource === true && (server.resources ?? []).length === 0
    ? ".requireResource: refuses every request without resources; name the resources, or leave it out"
    : undefined,
  ...Object.entries(server.clients).flatMap(([name, client]) => clientFaults(name, client, server)),
]

const { audiences: _audiences, subjectClaim: _subjectClaim, ...issuerKinds } = trustedIssuerKinds

const providerKinds: MemberKinds<AssertingProvider> = {
  ...issuerKinds,
  tenant: "own?",
  email: "boolean?",
  emailDomains: "own?",
  clients: "own?",
  scope: "own?",
  detailTypes: "own?",
  reusable: "boolean?",
}

const providerForms: Forms<AssertingProvider> = {
  tenant,
  emailDomains: names(matching(isDomain, "a domain in lower case")),
  clients: listOf(filled),
  scope: scopes,
  detailTypes: types,
}

const providerFaults = ({ email, subjects, emailDomains }: AssertingProvider): ReadonlyArray<string | undefined> => [
  email === true && subjects === undefined
    ? ".email: is trusted without subjects: every sub would be a subject of ours; list the subjects, even as {}"
    : undefined,
  email !== true && emailDomains !== undefined ? ".emailDomains: limits nothing without email; set email, or leave it out" : undefined,
]

const kinds: MemberKinds<IdJagOptions> = { authorizationServers: "own?", identityProviders: "own?" }

const forms: Forms<IdJagOptions> = {
  authorizationServers: listOf(sectionOf(serverKinds, serverForms, serverFaults), {
    keyOf: ({ issuer }: ResourceAuthorizationServer) => issuer,
    key: ".issuer",
  }),
  // A tenant of a provider is an issuer of its own.
  identityProviders: issuersForm({
    kinds: providerKinds,
    forms: providerForms,
    keyOf: ({ issuer, tenant }: AssertingProvider) => JSON.stringify([issuer, tenant]),
    judge: providerFaults,
  }),
}

/** Throws one `TypeError` that lists every fault of the options. */
export const refuseIdJag = (options: IdJagOptions): void => refuseMembers("idJag", options, kinds, forms)

/**
 * Returns the faults of servers that are the provider itself, as text: an ID-JAG opens nothing where it was issued, which the rules see to
 * for identity providers (draft-ietf-oauth-identity-assertion-authz-grant §9.3).
 */
export const ownFaults = ({ authorizationServers = [] }: IdJagOptions, own: string | undefined): ReadonlyArray<string> =>
  authorizationServers.flatMap(({ issuer }, at) =>
    issuer === own ? `idJag: authorizationServers[${at}].issuer: is this provider itself; remove it` : [],
  )
