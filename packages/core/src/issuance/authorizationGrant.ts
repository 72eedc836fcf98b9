import type * as Effect from "effect/Effect"
import type { Client, Command, Decision, Grant, JsonObject, Person, Seconds } from "../model/index.ts"
import { requireGrant } from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import { mapped } from "../ports/steps.ts"
import { present } from "../rules/tokens.ts"
import { type Inquiry, freshLocator } from "../settle/request.ts"
import { subjectFor } from "../settle/subject.ts"

/** The content of a JWT authorization grant (RFC 7523 §2.1), which another authorization server exchanges for its own tokens. */
export interface AuthorizationGrant {
  /** The client to which it is issued. */
  readonly client: Client
  /** The person that it is about. */
  readonly person: Person
  /** The grant of the sign-in that it reports, which must not have ended. */
  readonly grant: Grant
  /** The client whose `sub` for the person it contains: the one through which the other server signs people in here. */
  readonly knownTo: Client
  /** The issuer identifier of the other server. */
  readonly audience: string
  /** The client_id of the client at the other server. */
  readonly clientId: string
  /** The scopes at the other server. */
  readonly scope: ReadonlyArray<string>
  /** The resources at the other server (RFC 8707). */
  readonly resources: ReadonlyArray<string>
  /** The authorization details at the other server (RFC 9396); empty if there are none. */
  readonly authorizationDetails: ReadonlyArray<JsonObject>
  /** Additional claims, which cannot replace the standard ones. */
  readonly claims: JsonObject
  /** The lifetime of the grant. */
  readonly lifetime: Seconds
  /** Its `typ` header. */
  readonly typ: string
  /** The `issued_token_type` of the response (RFC 8693 §2.2.1). */
  readonly issuedTokenType: string
  /** The rows that must still exist, in addition to the grant. */
  readonly changes: ReadonlyArray<Command>
}

const single = (values: ReadonlyArray<string>) => (values.length === 1 ? values[0] : values)

/**
 * Responds with a JWT authorization grant. It is not a token of this provider: it has no row and gives no access here. It is bound to the
 * key or certificate that the request has proved, so that the other server can require the same proof.
 */
export const issueAuthorizationGrant = (content: AuthorizationGrant, inquiry: Inquiry): Effect.Effect<Decision, PortFailed> => {
  const { client, person, grant, knownTo, audience, clientId, scope, resources, claims, lifetime, typ, issuedTokenType, changes } = content
  const authorizationDetails = content.authorizationDetails.length === 0 ? undefined : content.authorizationDetails
  const { ports, now, about } = inquiry
  return mapped(subjectFor(knownTo, person.subject, inquiry), (sub) => ({
    _tag: "IssueTokens",
    tokens: {
      accessToken: {
        _tag: "Grant",
        audience,
        alg: client.idTokenSignedResponseAlg,
        typ,
        claims: present({
          ...claims,
          iss: ports.settings.issuer,
          sub,
          aud: audience,
          client_id: clientId,
          jti: freshLocator(inquiry),
          iat: now,
          exp: now + lifetime,
          scope: scope.length === 0 ? undefined : scope.join(" "),
          resource: resources.length === 0 ? undefined : single(resources),
          authorization_details: authorizationDetails,
          auth_time: grant.authTime,
          acr: grant.acr,
          amr: grant.amr.length === 0 ? undefined : grant.amr,
          cnf: about.confirmation,
        }),
      },
      tokenType: "N_A",
      expiresIn: lifetime,
      scope,
      authorizationDetails,
      idToken: undefined,
      code: undefined,
    },
    refreshToken: undefined,
    issuedTokenType,
    commands: [requireGrant(grant.id), ...changes],
  }))
}
