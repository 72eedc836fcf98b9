import type { AssertingProvider, IdJagOptions, ResourceAuthorizationServer } from "@postern/core"
import { scopeWords } from "@postern/core/model"
import * as Schema from "effect/Schema"
import { absent, between, line, section } from "./described.ts"
import { contextsMember, issuerAndKeys } from "./issuerMembers.ts"

const Names = Schema.Array(line(1024)).check(Schema.isMaxLength(200))
const Tenants = Schema.Array(line(255)).check(Schema.isMinLength(1), Schema.isMaxLength(200))
const Types = Schema.Array(line(200)).check(Schema.isMinLength(1), Schema.isMaxLength(200))
const Scopes = Schema.String.check(Schema.isPattern(/\S/u, { expected: "scopes, separated by spaces" }))

const ClientElsewhere = section("ClientElsewhere", "A client that may ask for grants to another authorization server.", {
  client_id: [line(1024), "Its client_id at that server."],
  scope: [absent(Scopes), "The scopes it may get there, separated by spaces. Default: all of the server's."],
  resources: [absent(Names), "The resources it may name there. Default: all of the server's."],
  authorization_details_types: [absent(Types), "The types of authorization_details it may ask for there. Default: all of the server's."],
})

const AuthorizationServer = section("AuthorizationServer", "An authorization server that takes ID-JAGs of this provider.", {
  issuer: [line(1024), "Its issuer identifier, byte for byte: the audience of requests."],
  clients: [Schema.Record(Schema.String, ClientElsewhere), "The clients of this provider that may ask, by client_id. No other client may."],
  client: [
    absent(line(1024)),
    "The client with which it signs users in here, and whose sub for a user it knows. Default: the client that makes the request.",
  ],
  scope: [Scopes, "The scopes that grants may have there, separated by spaces."],
  resources: [absent(Names), "The resources that requests may name. Default: none."],
  authorization_details_types: [
    absent(Types),
    "The types of authorization_details (RFC 9396) that requests may ask for. That server knows what they mean. Default: none.",
  ],
  require_resource: [absent(Schema.Boolean), "Refuses requests that name no resource. Default: false."],
  tenants: [absent(Tenants), "The tenants whose users grants may be about. Default: all users."],
  aud_tenant: [absent(line(255)), "The aud_tenant of grants: the tenant of this provider's users at that server."],
  acr_values: [absent(Names), "Authentication contexts, one of which the sign-in must have reached. Default: any."],
  max_age: [absent(between(0, 31_536_000)), "Maximum time since the user signed in, in seconds. Default: any."],
  claims: [absent(Names), "Claims about the user that grants carry, such as email. The client sees them. Default: none."],
  lifetime: [absent(between(1, 3600)), "The lifetime of a grant, in seconds. Default: 300."],
})

const IdentityProvider = section("AssertingProvider", "An identity provider whose ID-JAGs are accepted.", {
  ...issuerAndKeys("ID-JAGs"),
  tenant: [absent(line(255)), "The tenant that its ID-JAGs must name. Default: they must name none."],
  subjects: [
    absent(Schema.Record(Schema.String, line(255))),
    "Maps the sub of its ID-JAGs to our subjects; other values are refused. Default: the sub is a subject of ours.",
  ],
  email: [absent(Schema.Boolean), "Identifies users whom subjects does not name by their verified e-mail address. Default: false."],
  email_domains: [
    absent(Schema.Array(line(253)).check(Schema.isMinLength(1), Schema.isMaxLength(200))),
    "The domains, in lower case, of the addresses that email accepts. Default: any.",
  ],
  clients: [absent(Names), "The clients that may use its ID-JAGs. Default: all that may use the grant."],
  scope: [absent(Scopes), "The scopes that its ID-JAGs may give, separated by spaces. Default: all of the client's."],
  authorization_details_types: [
    absent(Types),
    "The types of authorization_details (RFC 9396) that its ID-JAGs may give, among the provider's and the client's. Default: none.",
  ],
  reusable: [absent(Schema.Boolean), "Accepts an ID-JAG repeatedly, until it expires. Default: false: only once."],
  max_lifetime: [absent(between(1, 86_400)), "Maximum lifetime of an ID-JAG from now, in seconds. Default: 3600."],
  acr_values: contextsMember,
})

/** Identity assertion JWT authorization grants (ID-JAG), in either role. */
export const IdJag = section("IdJag", "Cross-app access by identity assertion JWT authorization grants (ID-JAG).", {
  authorization_servers: [
    absent(Schema.Array(AuthorizationServer)),
    "The authorization servers that ID-JAGs are issued for. Default: none are issued.",
  ],
  identity_providers: [absent(Schema.Array(IdentityProvider)), "The identity providers whose ID-JAGs are accepted. Default: none are."],
})

type Declared = typeof IdJag.Type
type DeclaredServer = NonNullable<Declared["authorization_servers"]>[number]
type DeclaredProvider = NonNullable<Declared["identity_providers"]>[number]

const words = (scope: string | undefined): ReadonlyArray<string> | undefined => (scope === undefined ? undefined : scopeWords(scope))

const authorizationServer = (declared: DeclaredServer): ResourceAuthorizationServer => ({
  issuer: declared.issuer,
  clients: Object.fromEntries(
    Object.entries(declared.clients).map(([name, { client_id, scope, resources, authorization_details_types }]) => [
      name,
      { clientId: client_id, scope: words(scope), resources, detailTypes: authorization_details_types },
    ]),
  ),
  client: declared.client,
  scope: scopeWords(declared.scope),
  resources: declared.resources,
  detailTypes: declared.authorization_details_types,
  requireResource: declared.require_resource,
  tenants: declared.tenants,
  audTenant: declared.aud_tenant,
  acrValues: declared.acr_values,
  maxAge: declared.max_age,
  claims: declared.claims,
  lifetime: declared.lifetime,
})

const identityProvider = (declared: DeclaredProvider): AssertingProvider => ({
  issuer: declared.issuer,
  jwks: declared.jwks,
  jwksUri: declared.jwks_uri,
  algorithms: declared.algorithms,
  tenant: declared.tenant,
  subjects: declared.subjects,
  email: declared.email,
  emailDomains: declared.email_domains,
  clients: declared.clients,
  scope: words(declared.scope),
  detailTypes: declared.authorization_details_types,
  reusable: declared.reusable,
  maxLifetime: declared.max_lifetime,
  acrValues: declared.acr_values,
})

/** Builds the ID-JAG settings of a configuration. */
export const idJagOptions = ({ authorization_servers, identity_providers }: Declared): IdJagOptions => ({
  authorizationServers: authorization_servers?.map(authorizationServer),
  identityProviders: identity_providers?.map(identityProvider),
})
