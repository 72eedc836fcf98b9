import { isJsonObject } from "../../model/index.ts"
import {
  type Json,
  type OwnToken,
  type ProvingTable,
  type Refusal,
  isPublic,
  offlineAccess,
  pass,
  prove,
  refuse,
  table,
} from "../../extension/index.ts"
import { narrowed } from "../../extension/narrow.ts"
import { jwtRules } from "../../extension/jwtRules.ts"
import { endOf } from "../../extension/trustedIssuer.ts"
import { type ExchangeSeen, type Origin, limits, mostAudiences, scopeOf, tokenType, typeName, wantsRefresh } from "./request.ts"

const invalid = (description: string, reason?: string): Refusal => refuse("invalid_request", description, reason)

/**
 * Reports whether `may_act` names the acting party: the actor, or otherwise the requesting client (RFC 8693 §4.4). Every member of it must
 * match.
 */
const mayAct = (named: Json, { actor, client, settings }: ExchangeSeen): boolean => {
  const party: Readonly<Record<string, string>> = {
    iss: settings.issuer,
    sub: actor?.sub ?? client.clientId,
    client_id: actor?.clientId ?? client.clientId,
  }
  if (!isJsonObject(named) || (named["sub"] === undefined && named["client_id"] === undefined)) return false
  return Object.entries(named).every(([name, value]) => Object.hasOwn(party, name) && party[name] === value)
}

/** The most actors that a chain of exchanges may name. */
const mostActors = 8

/** Counts the actors in a chain, up to the maximum. */
const actors = (act: Json | undefined): number => {
  let [count, rest] = [0, act]
  for (; isJsonObject(rest) && count < mostActors; rest = rest["act"]) count++
  return count
}

/**
 * Reports whether the client is a resource server to which the holder presented this token with its proof, because its policy says so and
 * the token is for it.
 */
const isForResource = ({ subject, policy, client: { introspectionResources } }: ExchangeSeen, name: "subject" | "actor"): boolean =>
  name === "subject" &&
  policy.bound_tokens === true &&
  subject?.kind === "access_token" &&
  subject.audience.some((each) => introspectionResources.includes(each))

/** Adds the rules for any token of this provider that is exchanged or used as an actor token (RFC 8693 §2.2.2). */
const tokenRules = <In extends object, Out extends ExchangeSeen>(
  before: ProvingTable<In, Out>,
  name: "subject" | "actor",
  isSent: (s: ExchangeSeen) => boolean,
  isAllowed: (token: OwnToken, s: ExchangeSeen) => boolean,
): ProvingTable<In, Out> => {
  const refused = (problem: string, reason: string) => invalid(`The ${name}_token ${problem}.`, reason)
  return before
    .rule(`token-exchange.${name}-known`, "RFC 8693 §2.2.2", (s) =>
      isSent(s) && s[name] === undefined ? refused("is not valid", "not a token of ours of this type") : pass,
    )
    .rule(`token-exchange.${name}-fresh`, "RFC 8693 §2.2.2", ({ [name]: token, now }) =>
      token === undefined || now < token.expiresAt ? pass : refused("has expired", "expired"),
    )
    .rule(`token-exchange.${name}-proved`, "RFC 9449 §7.1, RFC 8705 §3, RFC 8693 §2.2.2", (s) =>
      s[name]?.unproved !== true || isForResource(s, name)
        ? pass
        : refused(
            "is bound to a key or a certificate that the request does not prove",
            "its holder proves that; a resource server that it is meant for may exchange it with bound_tokens in its policy",
          ),
    )
    .rule(`token-exchange.${name}-live`, "RFC 8693 §2.2.2", ({ [name]: token }) =>
      token === undefined || token.live || token.unproved
        ? pass
        : refused("has been revoked", "it, its grant or session has ended, it was rotated, or its client or person is gone or disabled"),
    )
    .rule(`token-exchange.${name}-client`, "RFC 8693 §2.2.2", (s) => {
      const { [name]: token } = s
      return token === undefined || isAllowed(token, s)
        ? pass
        : invalid(`The client may not use this ${name}_token.`, "issued to another client, which the policy does not name")
    })
}

/** Judges the form of a token exchange request (RFC 8693 §2.1). */
const request = table<ExchangeSeen>("token/token_exchange")
  .rule("token-exchange.confidential", "RFC 8693 §2.1", ({ client, policy }) =>
    !isPublic(client) || policy.allow_public === true
      ? pass
      : refuse("unauthorized_client", "The client must authenticate to exchange tokens.", "a public client, and no allow_public"),
  )
  .rule("token-exchange.subject-type", "RFC 8693 §2.1", ({ parameters, policy }) => {
    const kind = typeName(parameters.subject_token_type)
    return kind !== undefined && (policy.subject_token_types ?? ["access_token"]).includes(kind)
      ? pass
      : invalid("The subject_token_type is not supported.", "not among the policy's subject_token_types")
  })
  .rule("token-exchange.actor-with-type", "RFC 8693 §2.1", ({ parameters: { actor_token, actor_token_type } }) =>
    (actor_token === undefined) === (actor_token_type === undefined)
      ? pass
      : invalid("An actor_token and its actor_token_type come together.", "one of the two alone"),
  )
  .rule("token-exchange.actor-type", "RFC 8693 §2.1", ({ parameters: { actor_token_type } }) =>
    actor_token_type === undefined || ["access_token", "id_token"].some((kind) => tokenType(kind) === actor_token_type)
      ? pass
      : invalid("The actor_token_type is not supported."),
  )
  .rule("token-exchange.requested-type", "RFC 8693 §2.2.2", ({ parameters: { requested_token_type }, client }) => {
    const kinds = ["access_token", "refresh_token", ...(client.accessTokenFormat === "jwt" ? ["jwt"] : [])]
    return requested_token_type === undefined || kinds.some((kind) => tokenType(kind) === requested_token_type)
      ? pass
      : invalid("The requested_token_type is not supported.", "no such type, or jwt for a client whose access tokens are references")
  })
  .rule("token-exchange.refresh-allowed", "RFC 8693 §2.2.1", (s) =>
    !wantsRefresh(s) ||
    (s.policy.refresh_token === true && s.client.grantTypes.includes("refresh_token") && s.client.scope.includes(offlineAccess))
      ? pass
      : refuse(
          "unauthorized_client",
          "The client may not have a refresh token by exchange.",
          "needs refresh_token in the policy, the refresh_token grant and the scope offline_access",
        ),
  )

/** Judges the token to exchange, which is one of this provider's or a JWT of another issuer. */
const subject = jwtRules(
  tokenRules(
    request,
    "subject",
    ({ presented }) => presented === undefined,
    ({ clientId, kind }, { client, policy }) =>
      clientId === client.clientId || (kind !== "refresh_token" && policy.clients?.includes(clientId) === true),
  ),
  { prefix: "token-exchange", name: "subject_token", error: "invalid_request" },
)
  .establish("token-exchange.subject-person", "RFC 8693 §2.2.2", ({ jwt, subject: own }) => {
    const origin = jwt === undefined ? own : { ...jwt, scope: [], audience: [], expiresAt: endOf(jwt) }
    return origin?.subject === undefined
      ? invalid("The subject_token stands for no person.", "a token that a client got for itself")
      : prove<{ readonly origin: Origin }>({ origin })
  })
  .establish("token-exchange.subject-active", "RFC 8693 §2.2.2", ({ person }) =>
    person?.active === true
      ? prove({ person })
      : invalid("The subject_token is not valid.", person === undefined ? "no person has this subject" : "the person is disabled"),
  )
  .rule("token-exchange.actor-present", "RFC 8693 §1.1", ({ parameters: { actor_token }, policy }) =>
    actor_token !== undefined || policy.impersonation === true
      ? pass
      : invalid("The actor_token is missing.", "impersonation is not in the policy"),
  )

/** Token exchange (RFC 8693 §2.1). A fault of a token is `invalid_request` (§2.2.2). */
export const exchangeRules = tokenRules(
  subject,
  "actor",
  ({ parameters: { actor_token } }) => actor_token !== undefined,
  ({ clientId }, { client, policy }) => clientId === client.clientId || policy.actors?.includes(clientId) === true,
)
  .rule("token-exchange.may-act", "RFC 8693 §4.4", (s) => {
    const named = s.origin.claims["may_act"]
    return named === undefined || mayAct(named, s)
      ? pass
      : invalid("The subject_token names another party that may act.", "may_act does not name the actor, or the client where there is none")
  })
  .rule("token-exchange.act-depth", "RFC 8693 §4.1", ({ origin }) =>
    actors(origin.claims["act"]) < mostActors
      ? pass
      : invalid("The subject_token has been through too many exchanges.", `its act names ${mostActors} actors or more`),
  )
  .rule("token-exchange.audience-few", "RFC 8693 §2.2.2", ({ parameters: { audience } }) =>
    audience.length <= mostAudiences ? pass : refuse("invalid_target", "Too many audiences are named.", `more than ${mostAudiences}`),
  )
  .rule("token-exchange.audience-known", "RFC 8693 §2.2.2", ({ named }) =>
    named.every((resources) => resources.length > 0)
      ? pass
      : refuse("invalid_target", "An audience is unknown.", "neither a declared resource nor a client that stands for one"),
  )
  .rule("token-exchange.target-allowed", "RFC 8693 §2.2.2", (s) => {
    const { asked, resources = [] } = limits(s)
    return asked.every((each) => resources.includes(each))
      ? pass
      : refuse("invalid_target", "A resource is unknown or not allowed.", "neither in the policy, nor what the subject token is for")
  })
  .rule("token-exchange.scope-narrows", "RFC 8693 §2.2.2", (s) => {
    const { scope } = narrowed(s, { ...limits(s), asked: [] })
    return (s.scope ?? []).every((name) => scope.includes(name) || (name === offlineAccess && wantsRefresh(s)))
      ? pass
      : refuse("invalid_scope", "The scope goes beyond what can be exchanged.", "outside the client's, the policy's or the subject token's")
  })
  .rule("token-exchange.scope-left", "RFC 8693 §2.2.2", (s) =>
    scopeOf(s).some((name) => name !== offlineAccess)
      ? pass
      : refuse("invalid_scope", "No scope is left to exchange.", "nothing is common to client, policy, subject token and target"),
  )
