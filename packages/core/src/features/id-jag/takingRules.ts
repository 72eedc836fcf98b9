import {
  type GrantSeen,
  type Json,
  type JsonObject,
  type ToldSignIn,
  isPublic,
  pass,
  prove,
  refuse,
  scopeWords,
  table,
} from "../../extension/index.ts"
import { type Bounds, narrowed } from "../../extension/narrow.ts"
import { idJagType, jwtRules } from "../../extension/jwtRules.ts"
import type { PresentedJwt, VerifiedJwt } from "../../extension/trustedIssuer.ts"
import { confirmationOf, sameConfirmation, isJsonObject } from "../../model/index.ts"
import { draft } from "./issuingRules.ts"
import type { AssertingProvider } from "./options.ts"

/** The parameters that the grant reads. */
export const parameters = { assertion: "required" } as const

/** The values that were looked up for the request. */
interface Loaded {
  readonly presented: PresentedJwt
  /** The identity provider that the grant names, if it is trusted. */
  readonly provider: AssertingProvider | undefined
}

type Seen = GrantSeen<typeof parameters, undefined, Loaded>

/** The evidence after the grant is verified. */
export type Taking = Seen & {
  readonly jwt: VerifiedJwt
  readonly signIn: ToldSignIn | undefined
  /** Its authorization details. */
  readonly details: ReadonlyArray<JsonObject>
}

/** The permission that a grant claims to give: scopes, and the resources that they are for, if it names any. */
export interface Claimed {
  /** Its scopes; empty if it states none. */
  readonly scope: ReadonlyArray<string>
  /** Its resources; empty if it names none. */
  readonly resources: ReadonlyArray<string>
}

/** The texts of a claim that is one text or a list of them; undefined for anything else. */
const textsOf = (value: Json | undefined): ReadonlyArray<string> | undefined => {
  const values = Array.isArray(value) ? value : value === undefined ? [] : [value]
  return values.every((each) => typeof each === "string") ? values : undefined
}

const scopeOfClaim = (scope: Json | undefined): ReadonlyArray<string> | undefined => {
  if (scope === undefined) return []
  return typeof scope === "string" ? scopeWords(scope) : undefined
}

/** Reads the permission of a grant; undefined if `scope` is not a text, or `resource` is neither a text nor a list of texts. */
export const permissionOf = ({ scope, resource }: JsonObject): Claimed | undefined => {
  const [words, resources] = [scopeOfClaim(scope), textsOf(resource)]
  return words === undefined || resources === undefined ? undefined : { scope: words, resources: [...new Set(resources)] }
}

const none: Claimed = { scope: [], resources: [] }

/** Reads the authorization details of a grant (RFC 9396 §2); undefined if they are not a list of objects that each have a type. */
const detailsOf = ({ authorization_details: details = [] }: JsonObject): ReadonlyArray<JsonObject> | undefined =>
  Array.isArray(details) && details.every((each): each is JsonObject => isJsonObject(each) && typeof each["type"] === "string")
    ? details
    : undefined

/** The permission of a grant that has been judged. */
export const claimed = (claims: JsonObject): Claimed => permissionOf(claims) ?? none

/**
 * The bounds of the permission that a grant gives: its own scopes, those of the provider's policy, and those of its resources that are
 * known here.
 */
export const bounds = ({ provider, resources: asked, settings: { catalog } }: Seen, { scope, resources }: Claimed): Bounds => {
  const known = resources.filter((each) => catalog.resources.some(({ identifier }) => identifier === each))
  return {
    scope: (name) => scope.includes(name) && provider?.scope?.includes(name) !== false,
    resources: undefined,
    asked: asked.length > 0 ? asked : known,
  }
}

/** The scopes within the bounds, limited to the requested ones if there are any. */
export const scopeOf = (s: Taking): ReadonlyArray<string> => {
  const { scope } = narrowed(s, bounds(s, claimed(s.jwt.claims)))
  return scope.filter((name) => s.scope?.includes(name) !== false)
}

const invalidGrant = (description: string, reason?: string) => refuse("invalid_grant", description, reason)

const form = table<Seen>("token/id_jag_bearer")
  .rule("id-jag-bearer.confidential", `${draft} §9.1`, ({ client }) =>
    isPublic(client) ? refuse("unauthorized_client", "The client must authenticate to use an assertion.", "a public client") : pass,
  )
  .rule("id-jag-bearer.foreign", `${draft} §9.3`, ({ provider, settings }) =>
    provider?.issuer === settings.issuer
      ? invalidGrant("The assertion was issued here.", "a grant for others opens nothing at its own issuer")
      : pass,
  )

/** Judges an identity assertion JWT authorization grant, which the client that it names exchanges for an access token. */
export const takingRules = jwtRules(form, { prefix: "id-jag-bearer", name: "assertion", error: "invalid_grant", typ: idJagType })
  .rule("id-jag-bearer.audience-one", `${draft} §4.4.1`, ({ jwt, settings }) => {
    const aud = textsOf(jwt.claims["aud"]) ?? []
    return aud.length === 1 && aud[0] === settings.issuer
      ? pass
      : invalidGrant("The assertion is not meant for this provider alone.", "aud is not the issuer, or names others beside it")
  })
  .rule("id-jag-bearer.client", `${draft} §4.4.1`, ({ jwt, client }) =>
    jwt.claims["client_id"] === client.clientId
      ? pass
      : invalidGrant("The assertion is meant for another client.", "client_id is not the client that authenticated"),
  )
  .rule("id-jag-bearer.client-allowed", "RFC 7521 §5.2", ({ provider, client }) =>
    provider?.clients?.includes(client.clientId) === false
      ? invalidGrant("The client may not use assertions of this issuer.", "not among the clients of the identity provider")
      : pass,
  )
  .rule("id-jag-bearer.jti-present", `${draft} §3.1`, ({ jwt }) =>
    typeof jwt.claims["jti"] === "string" && jwt.claims["jti"] !== "" ? pass : invalidGrant("The assertion has no jti."),
  )
  .rule("id-jag-bearer.issued-at-present", `${draft} §3.1`, ({ jwt }) =>
    typeof jwt.claims["iat"] === "number" ? pass : invalidGrant("The assertion does not say when it was issued.", "no iat"),
  )
  .rule("id-jag-bearer.confirmation", `${draft} §9.8`, ({ jwt: { claims }, confirmation }) => {
    if (claims["cnf"] === undefined) return pass
    const bound = confirmationOf(claims["cnf"])
    return bound !== undefined && confirmation !== undefined && sameConfirmation(bound, confirmation)
      ? pass
      : invalidGrant("The assertion needs a proof of possession.", "bound to a key or certificate that the request does not prove")
  })
  .establish("id-jag-bearer.details-form", `${draft} §4.4.1, RFC 9396 §2`, ({ jwt }) => {
    const details = detailsOf(jwt.claims)
    return details === undefined
      ? invalidGrant("The assertion's authorization_details have no sound form.", "no list of objects that each have a type")
      : prove({ details })
  })
  .rule("id-jag-bearer.details-allowed", `${draft} §4.4.1, RFC 9396 §5`, ({ details, provider }) =>
    details.every(({ type }) => provider?.detailTypes?.some((each) => each === type) === true)
      ? pass
      : refuse(
          "invalid_authorization_details",
          "The assertion's authorization_details have a type that is unknown or not allowed.",
          "a type that is not among the identity provider's; without the details its scopes would be wider than meant",
        ),
  )
  .establish("id-jag-bearer.permission-form", `${draft} §4.4.1`, ({ jwt }) => {
    const permission = permissionOf(jwt.claims)
    return permission === undefined
      ? invalidGrant(
          "The assertion's scope or resource has no sound form.",
          "scope is no text, or resource neither a text nor a list of texts",
        )
      : prove({ permission })
  })
  .rule("id-jag-bearer.resource-within", `${draft} §4.4.1, RFC 8707 §2.2`, ({ permission, resources }) =>
    resources.every((each) => permission.resources.includes(each))
      ? pass
      : refuse("invalid_target", "A resource is unknown or not allowed.", "not among the assertion's resources"),
  )
  .rule("id-jag-bearer.resource-known", `${draft} §4.4.1, RFC 8707 §2.2`, (s) =>
    s.permission.resources.length === 0 || bounds(s, s.permission).asked.length > 0
      ? pass
      : refuse(
          "invalid_target",
          "A resource is unknown or not allowed.",
          "the assertion names resources, and none of them is declared here",
        ),
  )
  .rule("id-jag-bearer.scope-within", `${draft} §4.4.1`, ({ permission, scope = [] }) =>
    scope.every((name) => permission.scope.includes(name))
      ? pass
      : refuse("invalid_scope", "A scope goes beyond the assertion.", "asked for, and not among the assertion's scopes"),
  )
  .rule("id-jag-bearer.scope-left", `${draft} §4.4.1`, (s) =>
    scopeOf(s).length > 0 || s.details.length > 0
      ? pass
      : refuse(
          "invalid_scope",
          "No scope is left.",
          "nothing is common to the assertion, the identity provider's policy, the client and the resource",
        ),
  )
