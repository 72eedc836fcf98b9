import type * as Effect from "effect/Effect"
import type { Client, Command, Decision, Grant, JsonObject, Person, Seconds } from "../model/index.ts"
import { requireGrant } from "../model/index.ts"
import type { PortFailed } from "../ports/index.ts"
import { mapped } from "../ports/steps.ts"
import { present } from "../rules/tokens.ts"
import { type Inquiry, freshLocator } from "../settle/request.ts"
import { subjectFor } from "../settle/subject.ts"

/** The content of a JWT authorization grant (RFC 7523 §2.1): another authorization server takes it for tokens of its own. */
export interface AuthorizationGrant {
  /** The client that gets it. */
  readonly client: Client
  /** The person it is about. */
  readonly person: Person
  /** The grant of the sign-in that it tells of, which must still stand. */
  readonly grant: Grant
  /** The client whose `sub` for the person it names: the one by which the other server signs people in here. */
  readonly knownTo: Client
  /** The issuer identifier of the other server. */
  readonly audience: string
  /** The client_id of the client there. */
  readonly clientId: string
  /** The scopes there. */
  readonly scope: ReadonlyArray<string>
  /** The resources there (RFC 8707). */
  readonly resources: ReadonlyArray<string>
  /** The authorization details there (RFC 9396); empty where there are none. */
  readonly authorizationDetails: ReadonlyArray<JsonObject>
  /** Its further claims; none takes the place of those that it has by itself. */
  readonly claims: JsonObject
  /** The life of it. */
  readonly lifetime: Seconds
  /** Its `typ` header. */
  readonly typ: string
  /** The `issued_token_type` of the answer (RFC 8693 §2.2.1). */
  readonly issuedTokenType: string
  /** The rows that must still stand beside the grant. */
  readonly changes: ReadonlyArray<Command>
}

const single = (values: ReadonlyArray<string>) => (values.length === 1 ? values[0] : values)

/**
 * Answers with a JWT authorization grant. It is no token of ours: it has no row, opens nothing here, and is bound to the key or certificate that the request has
 * proved, so that the other server can ask for the same proof.
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
