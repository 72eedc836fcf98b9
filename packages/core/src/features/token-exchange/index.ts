import { isJsonObject } from "../../model/index.ts"
import { type ExtensionGrant, type JsonObject, type LoadContext, extensionGrant } from "../../extension/index.ts"
import { resourcesFor } from "../../extension/narrow.ts"
import { readPolicy } from "../../extension/policy.ts"
import {
  type Exchange,
  type ExchangePolicy,
  limits,
  members,
  mostAudiences,
  parameters,
  scopeOf,
  tokenType,
  typeName,
  wantsRefresh,
} from "./request.ts"
import { exchangeRules } from "./rules.ts"
import { refuseMembers } from "../../model/forms.ts"
import { issuersForm } from "../../extension/issuerForms.ts"
import { type TrustedIssuer, presentedJwt, presentedSubject } from "../../extension/trustedIssuer.ts"

/** The grant_type of token exchange (RFC 8693 §2.1). */
export const tokenExchangeGrantType = "urn:ietf:params:oauth:grant-type:token-exchange"

/** The issuers whose tokens are accepted in addition to the provider's own. */
export interface TokenExchangeOptions {
  /** Issuers whose JWTs may be subject tokens, for clients whose policy has `jwt` among its `subject_token_types`. Default: none. */
  readonly issuers?: ReadonlyArray<TrustedIssuer>
}

const ownToken = (type: string | undefined, value: string, context: LoadContext<ExchangePolicy>) => {
  switch (type) {
    case "access_token":
      return context.accessToken(value)
    case "id_token":
      return context.idToken(value)
    case "refresh_token":
      return context.refreshToken(value)
    default:
      return undefined
  }
}

/** The resources that `audience` names: a declared resource, or those whose server a client is (RFC 8693 §2.1). */
const resourcesNamed = async (audience: string, { settings, clients }: LoadContext<ExchangePolicy>): Promise<ReadonlyArray<string>> => {
  if (settings.catalog.resources.some(({ identifier }) => identifier === audience)) return [audience]
  return (await clients.find(audience))?.introspectionResources ?? []
}

/** The parties that act for the subject: the actor, followed by those that acted before it (RFC 8693 §4.1). */
const actOf = ({ actor, origin }: Exchange): JsonObject | undefined => {
  const before = origin.claims["act"]
  const chain = isJsonObject(before) ? { act: before } : {}
  return actor === undefined ? chain.act : { sub: actor.sub, client_id: actor.clientId, ...chain }
}

const lifetimeOf = (s: Exchange): number | undefined => {
  const left = wantsRefresh(s) ? undefined : s.origin.expiresAt - s.now
  const bounds = [s.policy.max_lifetime, left].filter((each) => each !== undefined)
  return bounds.length === 0 ? undefined : Math.min(...bounds)
}

/**
 * Token exchange (RFC 8693). A client sends a token of a person, and receives another token for that person with narrower rights or for
 * another resource. With an `actor_token` the new token states who acts for whom (delegation). Without one it does not (impersonation),
 * which the client's policy must allow.  The new token belongs to a grant of its own, of the requesting client, which depends on the grant
 * of the subject token. At introspection and userinfo it is a token of that client, and it is revoked together with the token it was
 * exchanged for. It never outlives the subject token, unless the policy lets the client have a refresh token for it.
 */
export const tokenExchange = (options: TokenExchangeOptions = {}): ExtensionGrant => {
  refuseMembers("tokenExchange", options, { issuers: "own?" }, { issuers: issuersForm() })
  const { issuers = [] } = options
  return extensionGrant({
    name: tokenExchangeGrantType,
    parameters,
    policy: (stated) => readPolicy(members, stated),
    issuers: issuers.map(({ issuer }) => issuer),
    rules: exchangeRules,
    load: async (q, context) => {
      const { subject_token, subject_token_type, actor_token, actor_token_type, audience } = q.parameters
      const type = typeName(subject_token_type)
      const subject = await ownToken(type, subject_token, context)
      // No keys are fetched for a client that may not send such a token.
      const isTaken = type === "jwt" && context.policy.subject_token_types?.includes(type) === true
      const presented = isTaken ? await presentedJwt(subject_token, issuers, context) : undefined
      const whom = presented === undefined ? subject?.subject : presentedSubject(presented)
      const actorType = typeName(actor_token_type ?? "")
      return {
        subject,
        presented,
        person: whom === undefined ? undefined : await context.people.find(whom),
        actor: actor_token === undefined || actorType === "refresh_token" ? undefined : await ownToken(actorType, actor_token, context),
        named: await Promise.all(audience.slice(0, mostAudiences).map((each) => resourcesNamed(each, context))),
      }
    },
    grant: (s) => {
      const scope = scopeOf(s)
      return {
        subject: s.person.subject,
        dependsOn: s.subject,
        signIn: s.signIn,
        scope,
        resources: resourcesFor(s, scope, limits(s)),
        act: actOf(s),
        lifetime: lifetimeOf(s),
        refreshToken: wantsRefresh(s),
        issuedTokenType: tokenType(typeName(s.parameters.requested_token_type ?? "") === "jwt" ? "jwt" : "access_token"),
      }
    },
  })
}
