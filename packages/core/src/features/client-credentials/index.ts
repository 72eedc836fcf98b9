import type { AccessHandle, Client, Decision, Settings } from "../../model/index.ts"
import { distinct, isPublic, offlineAccess, refuse, scopeWords } from "../../model/index.ts"
import { steps } from "../../ports/steps.ts"
import { reachable, resourceAmong, resourceForm, targetOf } from "../../rules/resource.ts"
import { pass, rule, table } from "../../rules/rule.ts"
import { mayHave, scopeForm } from "../../rules/scope.ts"
import { accessTokenFor } from "../../rules/tokens.ts"
import { freshAccess } from "../../settle/request.ts"
import { defineGrant } from "../../settle/grant.ts"

interface ClientCredentialsRequest {
  /** Undefined when no scope was asked for. */
  readonly scope: ReadonlyArray<string> | undefined
  readonly resources: ReadonlyArray<string>
}

interface ClientCredentialsSeen {
  readonly settings: Settings
  readonly now: number
  readonly client: Client
  readonly accessHandle: AccessHandle
  /** True if a person has the client_id as their subject. */
  readonly namesPerson: boolean
}

/** Every resource scope the client is explicitly allowed (specification §4 rule 8). */
const allowedScope = ({ client, settings }: ClientCredentialsSeen): ReadonlyArray<string> =>
  client.scope.filter((name) => settings.catalogue.resource.has(name))

/** Client credentials grant: RFC 6749 §4.4. */
const rules = table<ClientCredentialsRequest, ClientCredentialsSeen>("token/client_credentials", [
  rule("client-credentials.confidential", "RFC 6749 §4.4", (_, s) =>
    isPublic(s.client)
      ? refuse("unauthorized_client", "The client_credentials grant needs a client that authenticates.", "a public client")
      : pass,
  ),
  scopeForm("client-credentials"),
  rule("client-credentials.apart-from-people", "RFC 9700 §4.15", (_, s) =>
    s.namesPerson
      ? refuse(
          "unauthorized_client",
          "The client may not have a token of its own.",
          "a person has the client_id as subject; tokens of the two could be confused",
        )
      : pass,
  ),
  rule("client-credentials.scope-allowed", "RFC 6749 §3.3", (q, s) =>
    (q.scope ?? []).every((name) => mayHave(s.settings, s.client, name))
      ? pass
      : refuse("invalid_scope", "A scope is unknown or not allowed for this client.", "asked for a scope outside the client's own"),
  ),
  rule("client-credentials.no-person", "OpenID Connect Core §11", (q, s) =>
    (q.scope ?? []).some((name) => name === offlineAccess || s.settings.catalogue.identity.has(name))
      ? refuse("invalid_scope", "Identity scopes and offline_access need a person.", "an identity scope or offline_access without a person")
      : pass,
  ),
  resourceForm("client-credentials"),
  resourceAmong("client-credentials", "RFC 8707 §2.2", (q, s) => reachable(s.settings.catalogue, q.scope ?? s.client.scope)),
  rule("client-credentials.scope-some", "specification §2.2 scope", (q, s) =>
    q.scope === undefined && allowedScope(s).length === 0
      ? refuse("invalid_scope", "No scope is allowed for this client.", "no scope asked for, and the client has no resource scope")
      : pass,
  ),
])

/** Gives a client a token for itself. */
export const clientCredentials = defineGrant<ClientCredentialsRequest, ClientCredentialsSeen>({
  grantType: "client_credentials",
  rules,
  parse: (params) => {
    const scope = params.one("scope")
    return { scope: scope === undefined ? undefined : scopeWords(scope), resources: distinct(params.all("resource")) }
  },
  load: steps(function* (_, client, inquiry) {
    const { ports, now } = inquiry
    return {
      settings: ports.settings,
      now,
      client,
      accessHandle: yield* freshAccess(inquiry, client),
      namesPerson: (yield* ports.authenticator.find(client.clientId)) !== undefined,
    }
  }),
  grant: (q, s): Decision => {
    const scope = q.scope ?? allowedScope(s)
    const target = targetOf(s.settings, scope, [], q.resources)
    const access = accessTokenFor({
      settings: s.settings,
      client: s.client,
      grant: undefined,
      target,
      now: s.now,
      sid: undefined,
      handle: s.accessHandle,
    })
    return {
      _tag: "IssueTokens",
      tokens: {
        accessToken: access.plan,
        expiresIn: s.client.lifetimes.accessToken,
        scope: target.scope,
        idToken: undefined,
        code: undefined,
      },
      refreshToken: undefined,
      commands: access.commands,
    }
  },
})
