import type { Client, Confirmation, DetailsAsked, Grant, Instant, Json, Person, Session, Settings } from "../../model/index.ts"
import { type Refusal, isProved, isPublic, refuse } from "../../model/index.ts"
import { invalidDetails } from "../../rules/details/index.ts"
import { resourceForm } from "../../rules/resource.ts"
import { pass, prove, table } from "../../rules/rule.ts"
import { scopeForm } from "../../rules/scope.ts"
import { type SectorFault, sectorVerified } from "../../rules/sector.ts"
import { isLive } from "../../rules/session.ts"
import type { ClientElsewhere, ResourceAuthorizationServer } from "./options.ts"

/** The draft that is cited: Identity Assertion JWT Authorization Grant. */
export const draft = "draft-ietf-oauth-identity-assertion-authz-grant"

/** The requested_token_type of a grant for another authorization server (§4.3). */
export const idJagTokenType = "urn:ietf:params:oauth:token-type:id-jag"

/** A token of this provider that reports a sign-in: an ID token, or a refresh token of such a sign-in (§4.3). */
export interface SignInToken {
  /** The client to which it was issued. */
  readonly clientId: string
  /** The time at which it expires. */
  readonly expiresAt: Instant
  /** Its grant; undefined if the grant was deleted. */
  readonly grant: Grant | undefined
  /** The session that an ID token names, if it names one. */
  readonly session: { readonly row: Session | undefined } | undefined
  /** True for a refresh token that was rotated. */
  readonly rotated: boolean
  /** The key or certificate that it is bound to. */
  readonly confirmation: Confirmation | undefined
}

/** The values that the rules of a request judge. */
export interface IssuingSeen {
  readonly settings: Settings
  readonly now: Instant
  readonly client: Client
  readonly requestedType: string | undefined
  readonly subjectToken: string | undefined
  readonly subjectType: string | undefined
  readonly actorToken: string | undefined
  readonly audience: string | undefined
  readonly scope: ReadonlyArray<string> | undefined
  readonly resources: ReadonlyArray<string>
  /** The authorization details that are requested at that server. */
  readonly details: DetailsAsked
  /** The presented token, if it is one of this provider's and of the type that the request states. */
  readonly token: SignInToken | undefined
  /** The person whose sign-in the token reports. */
  readonly person: Person | undefined
  /** The server that the request names, if grants are issued for it. */
  readonly server: ResourceAuthorizationServer | undefined
  /** The client through which the server signs people in here; the requesting client if none is configured. */
  readonly knownTo: Client | undefined
  /** The reason that this client is not known to belong to its sector. */
  readonly sectorFault: SectorFault | undefined
  /** The keys and certificates that the request has proved. */
  readonly proved: ReadonlyArray<Confirmation> | undefined
}

const invalid = (description: string, reason?: string): Refusal => refuse("invalid_request", description, reason)

/**
 * Refuses a server. The response is the same if the server does not exist and if the client may not have its grants, so that nobody learns
 * which servers exist.
 */
const noServer = (reason: string): Refusal => refuse("invalid_target", "The audience is unknown or not allowed.", reason)

const tokenTypes: ReadonlyArray<string> = ["id_token", "refresh_token"].map((kind) => `urn:ietf:params:oauth:token-type:${kind}`)

const mostOf = (server: ResourceAuthorizationServer, elsewhere: ClientElsewhere) => ({
  scope: server.scope.filter((name) => elsewhere.scope?.includes(name) !== false),
  resources: (server.resources ?? []).filter((each) => elsewhere.resources?.includes(each) !== false),
  detailTypes: (server.detailTypes ?? []).filter((each) => elsewhere.detailTypes?.includes(each) !== false),
})

/** Reports whether the `locations` of a detail, if it has any, are a list of resources that may be named (RFC 9396 §2.2). */
const areAmong = (locations: Json | undefined, resources: ReadonlyArray<string>): boolean =>
  locations === undefined || (Array.isArray(locations) && locations.every((each) => resources.some((resource) => resource === each)))

/** Judges a request for an identity assertion JWT authorization grant. */
export const issuingRules = table<IssuingSeen>("token/id_jag")
  .rule("id-jag.confidential", `${draft} §9.1`, ({ client }) =>
    isPublic(client) ? refuse("unauthorized_client", "The client must authenticate to ask for this grant.", "a public client") : pass,
  )
  .rule("id-jag.requested-type", "RFC 8693 §2.2.2", ({ requestedType }) =>
    requestedType === idJagTokenType
      ? pass
      : invalid("The requested_token_type is not supported.", "only ID-JAGs are issued by exchange here"),
  )
  .present("id-jag.subject-present", `${draft} §4.3`, "subjectToken", () => invalid("The subject_token is missing."))
  .rule("id-jag.subject-type", `${draft} §4.3`, ({ subjectType }) =>
    subjectType !== undefined && tokenTypes.includes(subjectType)
      ? pass
      : invalid("The subject_token_type is not supported.", "neither an ID token nor a refresh token"),
  )
  .rule("id-jag.no-actor", `${draft} §9.7`, ({ actorToken }) =>
    actorToken === undefined
      ? pass
      : invalid("An actor_token is not supported for this token type.", "the grant would not tell of the actor"),
  )
  .present("id-jag.subject-known", `${draft} §4.3.3`, "token", () =>
    invalid("The subject_token is not valid.", "not a token of ours of this type"),
  )
  .rule("id-jag.subject-client", `${draft} §4.3.3`, ({ token, client }) =>
    token.clientId === client.clientId ? pass : invalid("The subject_token is not valid.", "issued to another client"),
  )
  .rule("id-jag.subject-fresh", `${draft} §4.3.3`, ({ token, now }) =>
    now < token.expiresAt ? pass : invalid("The subject_token has expired.", "expired"),
  )
  .rule("id-jag.subject-proved", "RFC 9449 §5, RFC 8705 §4", ({ token: { confirmation }, proved }) =>
    isProved(confirmation, proved)
      ? pass
      : invalid("The subject_token is not valid.", "bound to another key or certificate than the request has proved"),
  )
  .establish("id-jag.subject-live", `${draft} §4.3.3`, ({ token: { grant, session, rotated }, now }) =>
    grant === undefined || grant.revokedAt !== undefined || rotated || (session !== undefined && !isLive(session.row, now))
      ? invalid("The subject_token has been revoked.", "its grant or session has ended, or it was rotated")
      : prove({ grant }),
  )
  .rule("id-jag.subject-identity", `${draft} §4.3.3`, ({ grant }) =>
    grant.scope.includes("openid") && grant.extension === undefined
      ? pass
      : invalid("The subject_token does not tell of a sign-in.", "its grant is without openid, or came by an extension grant"),
  )
  .establish("id-jag.person-active", `${draft} §4.3.3`, ({ person }) =>
    person?.active === true
      ? prove({ person })
      : invalid("The subject_token is not valid.", person === undefined ? "no person has this subject" : "the person is disabled"),
  )
  .present("id-jag.audience-present", `${draft} §4.3`, "audience", () => invalid("The audience is missing."))
  .present("id-jag.audience-known", `${draft} §4.3.3`, "server", () => noServer("grants are issued for no such server"))
  .establish("id-jag.client-allowed", `${draft} §4.3.3, §5`, ({ server, client }) => {
    const elsewhere = Object.hasOwn(server.clients, client.clientId) ? server.clients[client.clientId] : undefined
    return elsewhere === undefined
      ? noServer("the client is not among the server's clients")
      : prove({ elsewhere, most: mostOf(server, elsewhere) })
  })
  .rule("id-jag.tenant-allowed", `${draft} §6.4`, ({ server, person }) =>
    server.tenants === undefined || server.tenants.some((tenant) => tenant === person.tenant)
      ? pass
      : noServer("the person is of none of the server's tenants"),
  )
  .establish("id-jag.known-to", `${draft} §3.1, OpenID Connect Core §8.1`, ({ knownTo }) =>
    knownTo === undefined || knownTo.disabled
      ? noServer(knownTo === undefined ? "the server's own client is not registered here" : "the server's own client is disabled")
      : prove({ knownTo }),
  )
  .include(sectorVerified("id-jag"))
  .rule("id-jag.authentication", `${draft} §9.2, RFC 9470 §3`, ({ server: { acrValues, maxAge }, grant, now }) => {
    const isStrong = acrValues === undefined || acrValues.some((acr) => acr === grant.acr)
    return isStrong && (maxAge === undefined || now - grant.authTime <= maxAge)
      ? pass
      : refuse(
          "insufficient_user_authentication",
          "The person must sign in again, or by stronger means.",
          isStrong ? `signed in more than ${maxAge} s ago` : "the context that was reached is none of the server's acr_values",
        )
  })
  .include(resourceForm("id-jag"))
  .rule("id-jag.resource-present", `${draft} §4.3`, ({ server, resources }) =>
    server.requireResource !== true || resources.length > 0
      ? pass
      : invalid("The resource is missing.", "the server's grants name a resource"),
  )
  .rule("id-jag.resource-allowed", "RFC 8707 §2.2", ({ resources, most }) =>
    resources.every((each) => most.resources.includes(each))
      ? pass
      : refuse("invalid_target", "A resource is unknown or not allowed.", "not among the resources of the server, or of the client there"),
  )
  .rule("id-jag.details-form", "RFC 9396 §2, §5", ({ details: { fault } }) => (fault === undefined ? pass : invalidDetails(fault.problem)))
  .rule("id-jag.details-allowed", `${draft} §4.3.3, RFC 9396 §5`, ({ details: { details }, most }) => {
    const at = details.findIndex(({ type }) => !most.detailTypes.some((each) => each === type))
    return at < 0
      ? pass
      : invalidDetails(`[${at}] has a type that is unknown or not allowed`, "not among the types of the server, or of the client there")
  })
  .rule("id-jag.details-locations", `${draft} §4.3.3, RFC 9396 §2.2`, ({ details: { details }, resources, most }) => {
    const at = details.findIndex(({ locations }) => !areAmong(locations, resources.length === 0 ? most.resources : resources))
    return at < 0
      ? pass
      : invalidDetails(`[${at}].locations must be resources that may be named`, "not among the resources that are asked for, or may be")
  })
  .include(scopeForm("id-jag"))
  .establish("id-jag.scope-left", `${draft} §4.3.3`, ({ scope, most, details: { details } }) => {
    // Details without a scope request nothing else.
    const wanted = scope ?? (details.length > 0 ? [] : undefined)
    const granted = most.scope.filter((name) => wanted?.includes(name) !== false)
    return granted.length > 0 || details.length > 0
      ? prove({ granted })
      : refuse(
          "invalid_scope",
          "No scope is allowed.",
          "nothing is common to the request and the scopes of the server and of the client there",
        )
  })
