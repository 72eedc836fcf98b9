import { type Client, readHandle, releasedClaims, requireSession } from "../../model/index.ts"
import { grantFor, grantRow, issueAuthorizationGrant } from "../../issuance/index.ts"
import { idJagType } from "../../extension/jwtRules.ts"
import { mapped, steps, together } from "../../ports/steps.ts"
import { detailsParameter, foreignDetails } from "../../rules/details/index.ts"
import { askedScope } from "../../rules/scope.ts"
import { grantOfJti, present } from "../../rules/tokens.ts"
import { loadIdToken } from "../../settle/idToken.ts"
import { type Inquiry, findBy } from "../../settle/request.ts"
import { sectorFaultOf } from "../../settle/sector.ts"
import { type ResourceAuthorizationServer, usualLifetime } from "./options.ts"
import { type SignInToken, idJagTokenType, issuingRules } from "./issuingRules.ts"

/** Bounds of the authorization details in a grant, so that the grant does not become longer than the JWTs that servers read. */
const detailBounds = { longest: 6144, deepest: 8, most: 500 }

const tokenExchangeGrantType = "urn:ietf:params:oauth:grant-type:token-exchange"

/** Reads an ID token of this provider, whose `jti` leads to its grant. */
const idToken = steps(function* (value: string, inquiry: Inquiry) {
  const { tokens } = inquiry.ports
  const claims = yield* loadIdToken(value, inquiry)
  const { aud, exp, jti } = claims ?? {}
  if (typeof aud !== "string" || typeof exp !== "number" || typeof jti !== "string") return undefined
  const grantId = grantOfJti(jti)
  const grant = grantId === undefined ? undefined : yield* tokens.findGrant(grantId)
  // The `sid` depends on the client's sector; the grant has the session's locator.
  const sessionId = claims?.["sid"] === undefined ? undefined : grant?.sessionId
  const session = sessionId === undefined ? undefined : { row: yield* tokens.findSession(sessionId) }
  const token: SignInToken = { clientId: aud, expiresAt: exp, grant, session, rotated: false, confirmation: undefined }
  return token
})

/** Reads a refresh token of this provider. */
const refreshToken = (value: string, { ports }: Inquiry) =>
  mapped(
    findBy(ports, readHandle("r", value), ports.tokens.findRefreshToken, ({ token }) => token.digest),
    (found): SignInToken | undefined =>
      found && {
        clientId: found.token.clientId,
        expiresAt: found.token.expiresAt,
        grant: found.grant,
        session: undefined,
        rotated: found.token.rotatedAt !== undefined,
        confirmation: found.token.confirmation,
      },
  )

const signInToken = (value: string | undefined, type: string | undefined, inquiry: Inquiry) => {
  if (value === undefined) return undefined
  return type?.endsWith(":refresh_token") === true ? refreshToken(value, inquiry) : idToken(value, inquiry)
}

/** Finds the client whose `sub` values a server knows: its own client at this provider, or otherwise the requesting client. */
const knownTo = (server: ResourceAuthorizationServer | undefined, client: Client, { ports }: Inquiry) =>
  server?.client === undefined ? client : ports.clients.find(server.client)

/**
 * Token exchange for an identity assertion JWT authorization grant (RFC 8693; draft-ietf-oauth-identity-assertion-authz-grant §4.3). A
 * client at which a person has signed in receives an assertion of that sign-in. One other authorization server accepts it from this client
 * in exchange for its own tokens.
 */
export const issuing = (servers: ReadonlyArray<ResourceAuthorizationServer>) =>
  grantFor(
    tokenExchangeGrantType,
    (params) => params.one("requested_token_type") === idJagTokenType,
    grantRow
      .read(({ params, client }, inquiry) => {
        const audience = params.one("audience")
        const server = servers.find(({ issuer }) => issuer === audience)
        const subjectToken = params.one("subject_token")
        const subjectType = params.one("subject_token_type")
        return together({
          requestedType: params.one("requested_token_type"),
          subjectToken,
          subjectType,
          actorToken: params.one("actor_token"),
          audience,
          server,
          scope: askedScope(params),
          resources: [...new Set(params.all("resource"))],
          details: foreignDetails(params.one(detailsParameter), detailBounds),
          proved: inquiry.about.proved,
          token: signInToken(subjectToken, subjectType, inquiry),
          knownTo: knownTo(server, client, inquiry),
        })
      })
      .read(({ token, server, knownTo: other }, inquiry) => {
        const grant = token?.grant
        if (grant === undefined) return { person: undefined, sectorFault: undefined }
        const person = inquiry.ports.authenticator.find(grant.subject)
        // The sector is looked up only if the server exists, because a document may have to be fetched.
        const sectorFault = server === undefined || other === undefined ? undefined : sectorFaultOf(other, inquiry)
        return mapped(together({ person, sectorFault }), (found) => ({ ...found, about: { subject: found.person?.subject } }))
      })
      .judge(issuingRules)
      .decide((s, inquiry) => {
        const { client, person, grant, server, elsewhere, granted, resources, token } = s
        const names = server.claims ?? []
        return issueAuthorizationGrant(
          {
            client,
            person,
            grant,
            knownTo: s.knownTo,
            audience: server.issuer,
            clientId: elsewhere.clientId,
            scope: granted,
            resources,
            authorizationDetails: s.details.details,
            claims: present({
              ...releasedClaims(s.settings.catalog, { scope: [], names, locales: [] }, person.claims),
              tenant: person.tenant ?? undefined,
              aud_tenant: server.audTenant,
            }),
            lifetime: server.lifetime ?? usualLifetime,
            typ: idJagType,
            issuedTokenType: idJagTokenType,
            changes: token.session?.row === undefined ? [] : [requireSession(token.session.row.locator)],
          },
          inquiry,
        )
      }),
  )
