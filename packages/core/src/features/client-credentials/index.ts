import { type Client, type DetailsAsked, type Settings, isPublic, offlineAccess, refuse } from "../../model/index.ts"
import { mapped } from "../../ports/steps.ts"
import { detailsOf, grantRow, grantWithDetails, issueTokens } from "../../issuance/index.ts"
import { detailTargets, invalidDetails, soundDetails, typeOf } from "../../rules/details/index.ts"
import { reachable, resourceAmong, resourceForm } from "../../rules/resource.ts"
import { pass, table } from "../../rules/rule.ts"
import { askedScope, scopeAllowed, scopeForm } from "../../rules/scope.ts"

interface ClientCredentialsSeen {
  readonly settings: Settings
  readonly client: Client
  /** Undefined if no scope was requested. */
  readonly scope: ReadonlyArray<string> | undefined
  readonly resources: ReadonlyArray<string>
  readonly details: DetailsAsked
  /** True if a person has the client_id as their subject. */
  readonly namesPerson: boolean
}

/** Every resource scope that the client is explicitly allowed (specification §4 rule 8). */
const allowedScope = ({ client, settings }: ClientCredentialsSeen): ReadonlyArray<string> =>
  client.scope.filter((name) => settings.catalog.resource.has(name))

/** Client credentials grant: RFC 6749 §4.4. */
const rules = table<ClientCredentialsSeen>("token/client_credentials")
  .rule("client-credentials.confidential", "RFC 6749 §4.4", (s) =>
    isPublic(s.client)
      ? refuse("unauthorized_client", "The client_credentials grant needs a client that authenticates.", "a public client")
      : pass,
  )
  .include(scopeForm("client-credentials"))
  .rule("client-credentials.apart-from-people", "RFC 9700 §4.15", (s) =>
    s.namesPerson
      ? refuse(
          "unauthorized_client",
          "The client may not have a token of its own.",
          "a person has the client_id as subject; tokens of the two could be confused",
        )
      : pass,
  )
  .include(scopeAllowed("client-credentials"))
  .rule("client-credentials.no-person", "OpenID Connect Core §11", (s) =>
    (s.scope ?? []).some((name) => name === offlineAccess || s.settings.catalog.identity.has(name))
      ? refuse("invalid_scope", "Identity scopes and offline_access need a person.", "an identity scope or offline_access without a person")
      : pass,
  )
  .through(soundDetails("client-credentials"))
  .rule("client-credentials.details-no-person", "RFC 9396 §6", (s) => {
    const at = s.details.details.findIndex((detail) => typeOf(detail, s.settings.details?.types)?.withoutPerson !== true)
    return at < 0 ? pass : invalidDetails(`[${at}] needs a person`, `[${at}] has a type that is not without_person`)
  })
  .include(resourceForm("client-credentials"))
  .include(
    resourceAmong("client-credentials", "RFC 8707 §2.2", (s) => [
      ...reachable(s.settings.catalog, s.scope ?? s.client.scope),
      ...detailTargets(s.details.details, s.settings.details),
    ]),
  )
  .rule("client-credentials.scope-some", "specification §2.2 scope", (s) =>
    s.scope === undefined && !s.details.sent && allowedScope(s).length === 0
      ? refuse("invalid_scope", "No scope is allowed for this client.", "no scope asked for, and the client has no resource scope")
      : pass,
  )

/** Issues a token to a client for itself. */
export const clientCredentials = grantWithDetails(
  "client_credentials",
  grantRow
    .read(({ params, client }, { ports }) =>
      mapped(ports.authenticator.find(client.clientId), (person) => ({ scope: askedScope(params), namesPerson: person !== undefined })),
    )
    .read(detailsOf)
    .judge(rules)
    .decide((s, inquiry) =>
      issueTokens(
        {
          client: s.client,
          whose: { _tag: "Client" },
          // Details without a scope request nothing else.
          scope: s.scope ?? (s.details.sent ? [] : allowedScope(s)),
          resources: s.resources,
          authorizationDetails: s.details.sent ? s.details.details : undefined,
          accessToken: true,
          changes: [],
        },
        inquiry,
      ),
    ),
)
