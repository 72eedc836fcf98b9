import {
  type Json,
  type OwnToken,
  type Refusal,
  type Rule,
  held,
  isPublic,
  offlineAccess,
  pass,
  refuse,
  rule,
  table,
} from "../../extension/index.ts"
import { narrowed } from "../../extension/narrow.ts"
import {
  type ExchangeRequest,
  type ExchangeSeen,
  isObject,
  limits,
  mostAudiences,
  originOf,
  scopeOf,
  tokenType,
  typeName,
  wantsRefresh,
} from "./request.ts"
import { jwtRules } from "../../extension/trustedIssuer.ts"

const invalid = (description: string, reason?: string): Refusal => refuse("invalid_request", description, reason)

/** Reports whether `may_act` names whoever is to act: the actor, or else the client that asks (RFC 8693 §4.4). Nothing it says may be left open. */
const mayAct = (named: Json, { actor, client, settings }: ExchangeSeen): boolean => {
  const party: Readonly<Record<string, string>> = {
    iss: settings.issuer,
    sub: actor?.sub ?? client.clientId,
    client_id: actor?.clientId ?? client.clientId,
  }
  if (!isObject(named) || (named["sub"] === undefined && named["client_id"] === undefined)) return false
  return Object.entries(named).every(([name, value]) => Object.hasOwn(party, name) && party[name] === value)
}

/** How many actors a chain of exchanges may name. */
const mostActors = 8

/** How many actors a chain names; counts no further than it matters. */
const actors = (act: Json | undefined): number => {
  let [count, rest] = [0, act]
  for (; isObject(rest) && count < mostActors; rest = rest["act"]) count++
  return count
}

/** What any token of ours must be to be exchanged, or acted with (RFC 8693 §2.2.2). */
const tokenRules = (
  name: "subject" | "actor",
  of: (s: ExchangeSeen) => OwnToken | undefined,
  isAllowed: (token: OwnToken, s: ExchangeSeen) => boolean,
): ReadonlyArray<Rule<ExchangeRequest, ExchangeSeen>> => {
  const isSent = (q: ExchangeRequest, s: ExchangeSeen): boolean =>
    name === "subject" ? s.jwt === undefined : q.parameters.actor_token !== undefined
  const check = (id: string, description: string, reason: string, isFine: (token: OwnToken, s: ExchangeSeen) => boolean) =>
    rule<ExchangeRequest, ExchangeSeen>(`token-exchange.${name}-${id}`, "RFC 8693 §2.2.2", (q, s) =>
      !isSent(q, s) || isFine(held(of(s)), s) ? pass : invalid(description, reason),
    )
  return [
    rule(`token-exchange.${name}-known`, "RFC 8693 §2.2.2", (q, s) =>
      !isSent(q, s) || of(s) !== undefined ? pass : invalid(`The ${name}_token is not valid.`, "not a token of ours of this type"),
    ),
    check("fresh", `The ${name}_token has expired.`, "expired", (token, { now }) => now < token.expiresAt),
    check(
      "live",
      `The ${name}_token has been revoked.`,
      "it, its grant or session has ended, it was rotated, or its client or person is gone or disabled",
      ({ live }) => live,
    ),
    check("client", `The client may not use this ${name}_token.`, "issued to another client, which the policy does not name", isAllowed),
  ]
}

/** Token exchange (RFC 8693 §2.1). What is wrong with a token is `invalid_request` (§2.2.2). */
export const exchangeRules = table<ExchangeRequest, ExchangeSeen>("token/token_exchange", [
  rule("token-exchange.confidential", "RFC 8693 §2.1", (_, { client, policy }) =>
    !isPublic(client) || policy.allow_public === true
      ? pass
      : refuse("unauthorized_client", "The client must authenticate to exchange tokens.", "a public client, and no allow_public"),
  ),
  rule("token-exchange.subject-type", "RFC 8693 §2.1", (q, { policy }) => {
    const kind = typeName(q.parameters.subject_token_type)
    return kind !== undefined && (policy.subject_token_types ?? ["access_token"]).includes(kind)
      ? pass
      : invalid("The subject_token_type is not supported.", "not among the policy's subject_token_types")
  }),
  rule("token-exchange.actor-with-type", "RFC 8693 §2.1", ({ parameters: { actor_token, actor_token_type } }) =>
    (actor_token === undefined) === (actor_token_type === undefined)
      ? pass
      : invalid("An actor_token and its actor_token_type come together.", "one of the two alone"),
  ),
  rule("token-exchange.actor-type", "RFC 8693 §2.1", ({ parameters: { actor_token_type } }) =>
    actor_token_type === undefined || ["access_token", "id_token"].some((kind) => tokenType(kind) === actor_token_type)
      ? pass
      : invalid("The actor_token_type is not supported."),
  ),
  rule("token-exchange.requested-type", "RFC 8693 §2.2.2", ({ parameters: { requested_token_type } }, { client }) => {
    const kinds = ["access_token", "refresh_token", ...(client.accessTokenFormat === "jwt" ? ["jwt"] : [])]
    return requested_token_type === undefined || kinds.some((kind) => tokenType(kind) === requested_token_type)
      ? pass
      : invalid("The requested_token_type is not supported.", "no such type, or jwt for a client whose access tokens are references")
  }),
  rule("token-exchange.refresh-allowed", "RFC 8693 §2.2.1", (q, { client, policy }) =>
    !wantsRefresh(q) ||
    (policy.refresh_token === true && client.grantTypes.includes("refresh_token") && client.scope.includes(offlineAccess))
      ? pass
      : refuse(
          "unauthorized_client",
          "The client may not have a refresh token by exchange.",
          "needs refresh_token in the policy, the refresh_token grant and the scope offline_access",
        ),
  ),
  ...tokenRules(
    "subject",
    ({ subject }) => subject,
    ({ clientId, kind }, { client, policy }) =>
      clientId === client.clientId || (kind !== "refresh_token" && policy.clients?.includes(clientId) === true),
  ),
  ...jwtRules<ExchangeRequest, ExchangeSeen>("token-exchange", "subject_token", "invalid_request", ({ jwt }) => jwt),
  rule("token-exchange.subject-person", "RFC 8693 §2.2.2", (_, { jwt, subject }) =>
    (jwt?.subject ?? subject?.subject) === undefined
      ? invalid("The subject_token stands for no person.", "a token that a client got for itself")
      : pass,
  ),
  rule("token-exchange.subject-active", "RFC 8693 §2.2.2", (_, { person }) =>
    person?.active === true
      ? pass
      : invalid("The subject_token is not valid.", person === undefined ? "no person has this subject" : "the person is disabled"),
  ),
  rule("token-exchange.actor-present", "RFC 8693 §1.1", (q, { policy }) =>
    q.parameters.actor_token !== undefined || policy.impersonation === true
      ? pass
      : invalid("The actor_token is missing.", "impersonation is not in the policy"),
  ),
  ...tokenRules(
    "actor",
    ({ actor }) => actor,
    ({ clientId }, { client, policy }) => clientId === client.clientId || policy.actors?.includes(clientId) === true,
  ),
  rule("token-exchange.may-act", "RFC 8693 §4.4", (_, s) => {
    const named = originOf(s).claims["may_act"]
    return named === undefined || mayAct(named, s)
      ? pass
      : invalid("The subject_token names another party that may act.", "may_act does not name the actor, or the client where there is none")
  }),
  rule("token-exchange.act-depth", "RFC 8693 §4.1", (_, s) =>
    actors(originOf(s).claims["act"]) < mostActors
      ? pass
      : invalid("The subject_token has been through too many exchanges.", `its act names ${mostActors} actors or more`),
  ),
  rule("token-exchange.audience-few", "RFC 8693 §2.2.2", (q) =>
    q.parameters.audience.length <= mostAudiences
      ? pass
      : refuse("invalid_target", "Too many audiences are named.", `more than ${mostAudiences}`),
  ),
  rule("token-exchange.audience-known", "RFC 8693 §2.2.2", (_, { named }) =>
    named.every((resources) => resources.length > 0)
      ? pass
      : refuse("invalid_target", "An audience is unknown.", "neither a declared resource nor a client that stands for one"),
  ),
  rule("token-exchange.target-allowed", "RFC 8693 §2.2.2", (q, s) => {
    const { asked, resources = [] } = limits(q, s)
    return asked.every((each) => resources.includes(each))
      ? pass
      : refuse("invalid_target", "A resource is unknown or not allowed.", "neither in the policy, nor what the subject token is for")
  }),
  rule("token-exchange.scope-narrows", "RFC 8693 §2.2.2", (q, s) => {
    const { scope } = narrowed(s, { ...limits(q, s), asked: [] })
    return (q.scope ?? []).every((name) => scope.includes(name) || (name === offlineAccess && wantsRefresh(q)))
      ? pass
      : refuse("invalid_scope", "The scope goes beyond what can be exchanged.", "outside the client's, the policy's or the subject token's")
  }),
  rule("token-exchange.scope-left", "RFC 8693 §2.2.2", (q, s) =>
    scopeOf(q, s).some((name) => name !== offlineAccess)
      ? pass
      : refuse("invalid_scope", "No scope is left to exchange.", "nothing is common to client, policy, subject token and target"),
  ),
])
