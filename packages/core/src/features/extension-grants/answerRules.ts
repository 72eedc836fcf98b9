import type { ExtensionAnswer } from "../../extension/index.ts"
import {
  type Client,
  type DetailsAsked,
  type Grant,
  type Instant,
  type Person,
  type Session,
  type Settings,
  isPublic,
  offlineAccess,
  refuse,
} from "../../model/index.ts"
import { type Family, familyOf, familyWithin } from "../../issuance/index.ts"
import { detailTargets, soundDetails } from "../../rules/details/index.ts"
import { reachable, resourceAmong } from "../../rules/resource.ts"
import { pass, prove, table } from "../../rules/rule.ts"
import { mayHave } from "../../rules/scope.ts"
import { type SectorFault, sectorVerified } from "../../rules/sector.ts"
import { isLive } from "../../rules/session.ts"
import type { Use } from "./context.ts"

/** An answer of an extension grant, with the values that core's rules need. */
export interface AnswerSeen {
  readonly settings: Settings
  readonly now: Instant
  readonly client: Client
  /** The requested scopes; undefined if there were none. */
  readonly scope: ReadonlyArray<string> | undefined
  /** The requested resources. */
  readonly resources: ReadonlyArray<string>
  readonly answer: ExtensionAnswer
  /** Undefined for tokens of the client itself. */
  readonly person: Person | undefined
  /** True if the subject is also a client_id, or the client's id is also a subject. */
  readonly namesBoth: boolean
  /** The grant that it depends on, with the end of that grant's refresh tokens, which limits all that are issued from it; 0 is never. */
  readonly parent: (Grant & { readonly refreshEnd: Instant }) | undefined
  /** The session it depends on. */
  readonly session: Session | undefined
  /** The values that it uses up, with their state in the store. */
  readonly uses: ReadonlyArray<Use & { readonly until: Instant }>
  /** The authorization details that it grants, as read by the provider's types. */
  readonly details: DetailsAsked
  /** The reason that the client is not known to belong to its sector; not looked up for tokens of the client itself. */
  readonly sectorFault: SectorFault | undefined
}

/** An answer that passed: the holder of the tokens, the granted scopes, and the family of refresh tokens, if any. */
export interface AnswerJudged extends AnswerSeen {
  readonly holder: Person | "client"
  readonly granted: ReadonlyArray<string>
  readonly family: Family | undefined
}

/**
 * The scopes that the answer grants, or those requested, or otherwise all that the client is explicitly allowed (specification §4 rule 8).
 */
const wantedScope = ({ answer, scope, client, settings }: AnswerSeen): ReadonlyArray<string> =>
  answer.scope ??
  scope ??
  client.scope.filter((name) => mayHave(settings, client, name) && (answer.subject !== undefined || settings.catalog.resource.has(name)))

/** The granted scopes, with `offline_access` only if there is a refresh token. */
const grantedScope = (s: AnswerSeen): ReadonlyArray<string> => {
  const wanted = wantedScope(s)
  const mayRefresh = s.answer.subject !== undefined && s.answer.refreshToken === true && s.client.grantTypes.includes("refresh_token")
  return mayRefresh ? wanted : wanted.filter((name) => name !== offlineAccess)
}

/** Maximum number of ancestors of a grant. Each ancestor costs a step whenever one of them is stored or revoked. */
const mostGenerations = 8

/** Number of ancestors of the grant. */
export const generationOf = ({ parent }: AnswerSeen): number => (parent === undefined ? 0 : (parent.extension?.generation ?? 0) + 1)

/** The resources that the granted scopes and the details give access to. */
const reachedBy = ({ settings: { catalog, details: known }, details: { details } }: AnswerSeen, granted: ReadonlyArray<string>) => [
  ...reachable(catalog, granted),
  ...detailTargets(details, known),
]

const isForPerson = ({ answer }: AnswerSeen): boolean => answer.subject !== undefined

const holderOf = (s: AnswerSeen): Person | "client" | undefined => {
  if (!isForPerson(s)) return "client"
  return s.person?.active === true ? s.person : undefined
}

/** The rules that core applies to every answer, in addition to those of its extension grant. */
export const answerRules = table<AnswerSeen>("token/extension")
  .establish("extension.person-active", "RFC 6749 §5.2", (s) => {
    const holder = holderOf(s)
    return holder === undefined
      ? refuse(
          "invalid_grant",
          "The person can no longer sign in.",
          s.person === undefined ? "no person has this subject" : "the person is disabled",
        )
      : prove({ holder })
  })
  .rule("extension.apart", "RFC 9700 §4.15", (s) =>
    !s.namesBoth
      ? pass
      : isForPerson(s)
        ? refuse("invalid_grant", "No token can stand for this person.", "the person's subject is also a client_id")
        : refuse("unauthorized_client", "The client may not have a token of its own.", "a person has the client_id as subject"),
  )
  .include(sectorVerified("extension"))
  .rule("extension.confidential", "RFC 6749 §4.4", (s) =>
    isForPerson(s) || !isPublic(s.client)
      ? pass
      : refuse("unauthorized_client", "A token of the client itself needs a client that authenticates.", "a public client"),
  )
  .rule("extension.origin-live", "RFC 6749 §5.2", ({ answer: { dependsOn }, parent, session, now }) => {
    const grantStands = dependsOn?.grantId === undefined || (parent !== undefined && parent.revokedAt === undefined)
    return grantStands && (dependsOn?.sessionId === undefined || isLive(session, now))
      ? pass
      : refuse("invalid_grant", "What the request relies on has been revoked.", "the grant or session it depends on has ended")
  })
  .rule("extension.generations", "RFC 8693 §2.2.2", (s) =>
    generationOf(s) <= mostGenerations
      ? pass
      : refuse("invalid_request", "What the request relies on has been exchanged too often.", `more than ${mostGenerations} in a row`),
  )
  .rule("extension.unused", "RFC 7523 §3", (s) =>
    s.uses.some(({ used }) => used)
      ? refuse("invalid_grant", "It has been used before.", "something that may be used once was used before")
      : pass,
  )
  .rule("extension.scope-allowed", "RFC 6749 §3.3", (s) =>
    wantedScope(s).every((name) => mayHave(s.settings, s.client, name))
      ? pass
      : refuse("invalid_scope", "A scope is unknown or not allowed for this client.", "a scope outside the client's own"),
  )
  .rule("extension.scope-of-person", "OpenID Connect Core §11", (s) =>
    isForPerson(s) || wantedScope(s).every((name) => s.settings.catalog.resource.has(name))
      ? pass
      : refuse(
          "invalid_scope",
          "Identity scopes and offline_access need a person.",
          "an identity scope or offline_access without a person",
        ),
  )
  .through(soundDetails("extension"))
  .establish("extension.scope-some", "specification §2.2 scope", (s) => {
    const granted = grantedScope(s)
    return granted.length > 0 || s.details.details.length > 0
      ? prove({ granted })
      : refuse("invalid_scope", "No scope is allowed for this client.", "no scope is left to grant")
  })
  .establish("extension.refresh-left", "RFC 9700 §4.14.2", (s) => {
    // An exchange must not extend the life of refresh tokens beyond that of the first ones.
    const family = familyWithin(familyOf(s.client, s.granted, s.now), s.parent?.refreshEnd ?? 0)
    return family === undefined || s.now < family.expiresAt
      ? prove({ family })
      : refuse("invalid_request", "No more refresh tokens can come of this.", "those of the grant it depends on have reached their end")
  })
  .include(resourceAmong("extension", "RFC 8707 §2.2", (s) => reachedBy(s, s.granted)))
  .rule("extension.answer-resource", "RFC 8707 §2.2", (s) => {
    const reached = reachedBy(s, s.granted)
    return s.answer.resources?.every((resource) => reached.includes(resource)) !== false
      ? pass
      : refuse("invalid_target", "A resource is unknown or not allowed.", "a resource that no granted scope belongs to")
  })
