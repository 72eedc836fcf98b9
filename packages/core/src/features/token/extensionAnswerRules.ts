import type { ExtensionAnswer, OpenedGrant } from "../../extension/index.ts"
import type { AccessHandle, Client, FreshHandle, Grant, Locator, Person, Session, Settings } from "../../model/index.ts"
import { isPublic, offlineAccess, refuse } from "../../model/index.ts"
import { type Family, familyOf, familyWithin } from "../../rules/firstTokens.ts"
import { reachable, resourceAmong } from "../../rules/resource.ts"
import { pass, rule, table } from "../../rules/rule.ts"
import { mayHave } from "../../rules/scope.ts"
import { type SectorFault, sectorVerified } from "../../rules/sector.ts"
import { isLive } from "../../rules/session.ts"

/** An answer of an extension grant, with what core must know to hold it to its rules. */
export interface AnswerSeen {
  readonly settings: Settings
  readonly now: number
  readonly client: Client
  readonly answer: ExtensionAnswer
  /** Undefined for tokens of the client itself. */
  readonly person: Person | undefined
  /** True if the subject is also a client_id, or the client's id a subject. */
  readonly namesBoth: boolean
  /** The grant it depends on. */
  readonly parent: Grant | undefined
  /** When the refresh tokens of that grant end, and so all that come of it; 0 is never. */
  readonly parentEnds: number
  /** The session it depends on. */
  readonly session: Session | undefined
  /** True if something that may be used once was used before. */
  readonly used: boolean
  /** How the store knows each of `useOnce`. */
  readonly useKeys: ReadonlyArray<string>
  /** The person as the client knows them. */
  readonly sub: string
  /** Why the client is not known to be of its sector; nothing is looked up for tokens of the client itself. */
  readonly sectorFault: SectorFault | undefined
  /** The session it depends on, itself or by its grant, as the client knows it. */
  readonly sid: string | undefined
  readonly grantId: Locator
  readonly accessHandle: AccessHandle
  readonly refreshHandle: FreshHandle
}

/** What the answer grants, or what was asked for, or all that the client is explicitly allowed (specification §4 rule 8). */
const wantedScope = (q: OpenedGrant, { answer, client, settings }: AnswerSeen): ReadonlyArray<string> =>
  answer.scope ??
  q.scope ??
  client.scope.filter((name) => mayHave(settings, client, name) && (answer.subject !== undefined || settings.catalogue.resource.has(name)))

/** The scopes that are granted: `offline_access` only with a refresh token. */
export const grantedScope = (q: OpenedGrant, s: AnswerSeen): ReadonlyArray<string> => {
  const wanted = wantedScope(q, s)
  const mayRefresh = s.answer.subject !== undefined && s.answer.refreshToken === true && s.client.grantTypes.includes("refresh_token")
  return mayRefresh ? wanted : wanted.filter((name) => name !== offlineAccess)
}

/** How many grants may stand above another: each costs a step whenever one of them is kept or revoked. */
const mostGenerations = 8

/** How many grants stand above it. */
export const generationOf = ({ parent }: AnswerSeen): number => (parent === undefined ? 0 : (parent.extension?.generation ?? 0) + 1)

/** The family of refresh tokens that is due: by exchanging, none is had for longer than the first may last. */
export const ownFamily = (q: OpenedGrant, s: AnswerSeen): Family | undefined =>
  familyWithin(familyOf(s.client, grantedScope(q, s), s.now), s.parentEnds)

const isForPerson = ({ answer }: AnswerSeen): boolean => answer.subject !== undefined

/** What core holds of every answer, whatever its extension grant has judged. */
export const answerRules = table<OpenedGrant, AnswerSeen>("token/extension", [
  rule("extension.person-active", "RFC 6749 §5.2", (_, s) =>
    !isForPerson(s) || s.person?.active === true
      ? pass
      : refuse(
          "invalid_grant",
          "The person can no longer sign in.",
          s.person === undefined ? "no person has this subject" : "the person is disabled",
        ),
  ),
  rule("extension.apart", "RFC 9700 §4.15", (_, s) =>
    !s.namesBoth
      ? pass
      : isForPerson(s)
        ? refuse("invalid_grant", "No token can stand for this person.", "the person's subject is also a client_id")
        : refuse("unauthorized_client", "The client may not have a token of its own.", "a person has the client_id as subject"),
  ),
  sectorVerified("extension"),
  rule("extension.confidential", "RFC 6749 §4.4", (_, s) =>
    isForPerson(s) || !isPublic(s.client)
      ? pass
      : refuse("unauthorized_client", "A token of the client itself needs a client that authenticates.", "a public client"),
  ),
  rule("extension.origin-live", "RFC 6749 §5.2", (_, { answer: { dependsOn }, parent, session, now }) => {
    const grantStands = dependsOn?.grantId === undefined || (parent !== undefined && parent.revokedAt === undefined)
    return grantStands && (dependsOn?.sessionId === undefined || isLive(session, now))
      ? pass
      : refuse("invalid_grant", "What the request relies on has been revoked.", "the grant or session it depends on has ended")
  }),
  rule("extension.generations", "RFC 8693 §2.2.2", (_, s) =>
    generationOf(s) <= mostGenerations
      ? pass
      : refuse("invalid_request", "What the request relies on has been exchanged too often.", `more than ${mostGenerations} in a row`),
  ),
  rule("extension.unused", "RFC 7523 §3", (_, s) =>
    s.used ? refuse("invalid_grant", "It has been used before.", "something that may be used once was used before") : pass,
  ),
  rule("extension.scope-allowed", "RFC 6749 §3.3", (q, s) =>
    wantedScope(q, s).every((name) => mayHave(s.settings, s.client, name))
      ? pass
      : refuse("invalid_scope", "A scope is unknown or not allowed for this client.", "a scope outside the client's own"),
  ),
  rule("extension.scope-of-person", "OpenID Connect Core §11", (q, s) =>
    isForPerson(s) || wantedScope(q, s).every((name) => s.settings.catalogue.resource.has(name))
      ? pass
      : refuse(
          "invalid_scope",
          "Identity scopes and offline_access need a person.",
          "an identity scope or offline_access without a person",
        ),
  ),
  rule("extension.scope-some", "specification §2.2 scope", (q, s) =>
    grantedScope(q, s).length > 0 ? pass : refuse("invalid_scope", "No scope is allowed for this client.", "no scope is left to grant"),
  ),
  rule("extension.refresh-left", "RFC 9700 §4.14.2", (q, s) => {
    const family = ownFamily(q, s)
    return family === undefined || s.now < family.expiresAt
      ? pass
      : refuse("invalid_request", "No more refresh tokens can come of this.", "those of the grant it depends on have reached their end")
  }),
  resourceAmong("extension", "RFC 8707 §2.2", (q, s) => reachable(s.settings.catalogue, grantedScope(q, s))),
  rule("extension.answer-resource", "RFC 8707 §2.2", (q, s) => {
    const reached = reachable(s.settings.catalogue, grantedScope(q, s))
    return s.answer.resources?.every((resource) => reached.includes(resource)) !== false
      ? pass
      : refuse("invalid_target", "A resource is unknown or not allowed.", "a resource that no granted scope belongs to")
  }),
])
