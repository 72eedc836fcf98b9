import type { AssertingProvider, IdJagOptions, ResourceAuthorizationServer } from "@postern/core"
import { peerAlgorithms, scopeWords } from "@postern/core/model"
import * as Schema from "effect/Schema"
import { absent, between, described, text } from "./described.ts"
import { PublicKeys, WebUrl } from "./parties.ts"

const Names = Schema.Array(text(1024)).check(Schema.isMaxLength(200))
const Scopes = Schema.String.check(Schema.isPattern(/\S/u, { expected: "scopes, separated by spaces" }))

const ClientElsewhere = Schema.Struct(
  described(
    { client_id: text(1024), scope: absent(Scopes), resources: absent(Names) },
    {
      client_id: "Its client_id at that server.",
      scope: "The scopes it may get there, separated by spaces. Default: all of the server's.",
      resources: "The resources it may name there. Default: all of the server's.",
    },
  ),
).annotate({ identifier: "ClientElsewhere", description: "A client that may ask for grants to another authorization server." })

const AuthorizationServer = Schema.Struct(
  described(
    {
      issuer: text(1024),
      clients: Schema.Record(Schema.String, ClientElsewhere),
      client: absent(text(1024)),
      scope: Scopes,
      resources: absent(Names),
      require_resource: absent(Schema.Boolean),
      tenants: absent(Names),
      aud_tenant: absent(text(255)),
      acr_values: absent(Names),
      max_age: absent(between(0, 31_536_000)),
      claims: absent(Names),
      lifetime: absent(between(1, 3600)),
    },
    {
      issuer: "Its issuer identifier, byte for byte: the audience of requests.",
      clients: "The clients of this provider that may ask, by client_id. No other client may.",
      client: "The client by which it signs people in here, whose sub for a user it knows. Default: the client that asks.",
      scope: "The scopes that grants may have there, separated by spaces.",
      resources: "The resources that requests may name. Default: none.",
      require_resource: "Refuses requests that name no resource. Default: false.",
      tenants: "The tenants whose users grants may be about. Default: all users.",
      aud_tenant: "The aud_tenant of grants: the tenant of this provider's users at that server.",
      acr_values: "The authentication contexts that a sign-in must have reached, one of them. Default: any.",
      max_age: "The longest time since the user signed in, in seconds. Default: any.",
      claims: "Claims about the user that grants carry, such as email. The client sees them. Default: none.",
      lifetime: "The lifetime of a grant, in seconds. Default: 300.",
    },
  ),
).annotate({ identifier: "AuthorizationServer", description: "An authorization server that takes ID-JAGs of this provider." })

const IdentityProvider = Schema.Struct(
  described(
    {
      issuer: text(1024),
      jwks: absent(PublicKeys),
      jwks_uri: absent(WebUrl),
      algorithms: absent(Schema.Array(Schema.Literals(peerAlgorithms)).check(Schema.isMinLength(1))),
      tenant: absent(text(255)),
      subjects: absent(Schema.Record(Schema.String, text(255))),
      email: absent(Schema.Boolean),
      clients: absent(Names),
      scope: absent(Scopes),
      reusable: absent(Schema.Boolean),
      max_lifetime: absent(between(1, 86_400)),
    },
    {
      issuer: "The iss of its ID-JAGs, byte for byte.",
      jwks: "Its public keys, as a JWK set. Set this or jwks_uri.",
      jwks_uri: "The https URL of its public keys.",
      algorithms: "The algorithms its ID-JAGs may be signed with. Default: any asymmetric one.",
      tenant: "The tenant that its ID-JAGs must name. Default: they must name none.",
      subjects: "Maps the sub of its ID-JAGs to our subjects; other values are refused. Default: the sub is a subject of ours.",
      email: "Knows users that subjects does not name by their verified e-mail address. Default: false.",
      clients: "The clients that may use its ID-JAGs. Default: all that may use the grant.",
      scope: "The scopes that its ID-JAGs may give, separated by spaces. Default: all of the client's.",
      reusable: "Accepts an ID-JAG again until it ends. Default: once.",
      max_lifetime: "Maximum lifetime of an ID-JAG from now, in seconds. Default: 3600.",
    },
  ),
).annotate({ identifier: "AssertingProvider", description: "An identity provider whose ID-JAGs are accepted." })

/** Identity assertion JWT authorization grants, in either role. */
export const IdJag = Schema.Struct(
  described(
    { authorization_servers: absent(Schema.Array(AuthorizationServer)), identity_providers: absent(Schema.Array(IdentityProvider)) },
    {
      authorization_servers: "The authorization servers that ID-JAGs are issued for. Default: none are issued.",
      identity_providers: "The identity providers whose ID-JAGs are accepted. Default: none are.",
    },
  ),
).annotate({ identifier: "IdJag", description: "Cross-app access by identity assertion JWT authorization grants (ID-JAG)." })

type Declared = typeof IdJag.Type
type DeclaredServer = NonNullable<Declared["authorization_servers"]>[number]
type DeclaredProvider = NonNullable<Declared["identity_providers"]>[number]

const words = (scope: string | undefined): ReadonlyArray<string> | undefined => (scope === undefined ? undefined : scopeWords(scope))

const authorizationServer = (declared: DeclaredServer): ResourceAuthorizationServer => ({
  issuer: declared.issuer,
  clients: Object.fromEntries(
    Object.entries(declared.clients).map(([name, { client_id, scope, resources }]) => [
      name,
      { clientId: client_id, scope: words(scope), resources },
    ]),
  ),
  client: declared.client,
  scope: scopeWords(declared.scope),
  resources: declared.resources,
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
  clients: declared.clients,
  scope: words(declared.scope),
  reusable: declared.reusable,
  maxLifetime: declared.max_lifetime,
})

/** The settings of ID-JAGs that a configuration states. */
export const idJagOptions = ({ authorization_servers, identity_providers }: Declared): IdJagOptions => ({
  authorizationServers: authorization_servers?.map(authorizationServer),
  identityProviders: identity_providers?.map(identityProvider),
})
