import * as Effect from "effect/Effect"
import type { ExtensionAnswer, OpenedGrant } from "../../extension/index.ts"
import type {
  Client,
  Command,
  Decision,
  FreshHandle,
  Grant,
  GrantExtension,
  Locator,
  Person,
  Seconds,
  Session,
  Settings,
} from "../../model/index.ts"
import { isPublic, offlineAccess, refuse } from "../../model/index.ts"
import { familyOf, firstTokens, keptFor } from "../../rules/firstTokens.ts"
import { reachable, resourceAmong, targetOf } from "../../rules/resource.ts"
import { held, pass, rule, table } from "../../rules/rule.ts"
import { mayHave } from "../../rules/scope.ts"
import { isLive } from "../../rules/session.ts"
import { accessTokenFor, reservedClaims } from "../../rules/tokens.ts"
import { useKey, wasUsed } from "../../settle/extension.ts"
import { type Inquiry, freshHandle, freshLocator } from "../../settle/request.ts"
import { subjectFor } from "../../settle/subject.ts"

/** An answer of an extension grant, with what core must know to hold it to its rules. */
export interface AnswerSeen {
  readonly settings: Settings
  readonly now: number
  readonly client: Client
  readonly answer: ExtensionAnswer
  /** Undefined for tokens of the client itself. */
  readonly person: Person | undefined
  /** Whether the subject is also a client_id, or the client's id a subject. */
  readonly namesBoth: boolean
  /** The grant it depends on. */
  readonly parent: Grant | undefined
  /** The session it depends on, where there is no such grant. */
  readonly session: Session | undefined
  /** Whether something that may be used once was used before. */
  readonly used: boolean
  /** How the store knows each of `useOnce`. */
  readonly useKeys: ReadonlyArray<string>
  /** The person as the client knows them. */
  readonly sub: string
  readonly grantId: Locator
  readonly accessHandle: FreshHandle
  readonly refreshHandle: FreshHandle
}

/** What the answer grants, or what was asked for, or all that the client is explicitly allowed (specification §4 rule 8). */
const wantedScope = (q: OpenedGrant, { answer, client, settings }: AnswerSeen): ReadonlyArray<string> =>
  answer.scope ??
  q.scope ??
  client.scope.filter((name) => mayHave(settings, client, name) && (answer.subject !== undefined || settings.catalogue.resource.has(name)))

/** The scopes that are granted: `offline_access` only with a refresh token. */
const grantedScope = (q: OpenedGrant, s: AnswerSeen): ReadonlyArray<string> => {
  const wanted = wantedScope(q, s)
  const mayRefresh = s.answer.subject !== undefined && s.answer.refreshToken === true && s.client.grantTypes.includes("refresh_token")
  return mayRefresh ? wanted : wanted.filter((name) => name !== offlineAccess)
}

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
  rule("extension.confidential", "RFC 6749 §4.4", (_, s) =>
    isForPerson(s) || !isPublic(s.client)
      ? pass
      : refuse("unauthorized_client", "A token of the client itself needs a client that authenticates.", "a public client"),
  ),
  rule("extension.origin-live", "RFC 6749 §5.2", (_, { answer: { dependsOn }, parent, session, now }) => {
    const stands = dependsOn?.grantId === undefined ? isLive(session, now) : parent?.revokedAt === undefined && parent !== undefined
    return dependsOn === undefined || (dependsOn.grantId ?? dependsOn.sessionId) === undefined || stands
      ? pass
      : refuse("invalid_grant", "What the request relies on has been revoked.", "the grant or session it depends on has ended")
  }),
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
  resourceAmong("extension", "RFC 8707 §2.2", (q, s) => reachable(s.settings.catalogue, grantedScope(q, s))),
  rule("extension.answer-resource", "RFC 8707 §2.2", (q, s) => {
    const reached = reachable(s.settings.catalogue, grantedScope(q, s))
    return s.answer.resources?.every((resource) => reached.includes(resource)) !== false
      ? pass
      : refuse("invalid_target", "A resource is unknown or not allowed.", "a resource that no granted scope belongs to")
  }),
])

/** An answer that no request could be given is a fault of its extension grant. */
const checked = (grantType: string, answer: ExtensionAnswer): ExtensionAnswer => {
  const misuse = (problem: string) => new Error(`extension grant ${grantType} answered ${problem}`)
  const taken = Object.keys(answer.claims ?? {}).filter((name) => reservedClaims.includes(name))
  if (taken.length > 0) throw misuse(`with claims that are core's own: ${taken.join(", ")}`)
  const { lifetime, subject, dependsOn } = answer
  if (lifetime !== undefined && (!Number.isInteger(lifetime) || lifetime < 1))
    throw misuse(`with a lifetime of ${lifetime}, which is no number of seconds`)
  if (subject === undefined && dependsOn !== undefined) throw misuse("with dependsOn and no subject")
  return answer
}

/** Looks up what an answer is judged by. */
export const loadAnswer = Effect.fnUntraced(function* (grantType: string, given: ExtensionAnswer, client: Client, inquiry: Inquiry) {
  const { ports, now } = inquiry
  const answer = checked(grantType, given)
  const { subject, dependsOn, useOnce = [] } = answer
  const { grantId, sessionId } = dependsOn ?? {}
  const used = yield* Effect.forEach(useOnce, ({ key }) => wasUsed(grantType, key, inquiry))
  const person = subject === undefined ? undefined : yield* ports.authenticator.find(subject)
  const other = subject === undefined ? yield* ports.authenticator.find(client.clientId) : yield* ports.clients.find(subject)
  return {
    settings: ports.settings,
    now,
    client,
    answer,
    person,
    namesBoth: other !== undefined,
    parent: grantId === undefined ? undefined : yield* ports.tokens.findGrant(grantId),
    session: grantId !== undefined || sessionId === undefined ? undefined : yield* ports.tokens.findSession(sessionId),
    used: used.includes(true),
    useKeys: yield* Effect.forEach(useOnce, ({ key }) => useKey(grantType, key, inquiry)),
    sub: subject === undefined ? client.clientId : yield* subjectFor(client, subject, inquiry),
    grantId: freshLocator(inquiry),
    accessHandle: yield* freshHandle(inquiry, "a"),
    refreshHandle: yield* freshHandle(inquiry, "r"),
  } satisfies AnswerSeen as AnswerSeen
})

const lifetimeOf = ({ client, answer }: AnswerSeen): Seconds =>
  Math.min(client.lifetimes.accessToken, answer.lifetime ?? client.lifetimes.accessToken)

/** The tokens of an answer that passed. */
export const answered = (grantType: string, q: OpenedGrant, s: AnswerSeen): Decision => {
  const { answer, now, useKeys } = s
  const used = (answer.useOnce ?? []).map(({ until }, at): Command => ({
    _tag: "UseOnce",
    key: held(useKeys[at]),
    at: now,
    until: Math.ceil(until),
  }))
  const extension: GrantExtension = {
    grantType,
    claims: { ...answer.claims, ...(answer.act === undefined ? {} : { act: answer.act }) },
    lifetime: lifetimeOf(s),
  }
  const { commands, ...issued } = answer.subject === undefined ? forClient(q, s, extension) : forPerson(q, s, extension)
  return { _tag: "IssueTokens", ...issued, issuedTokenType: answer.issuedTokenType, commands: [...used, ...commands] }
}

/** What resources narrow the first tokens; those that the answer names narrow all that its grant gives. */
const askedResources = (q: OpenedGrant, { answer }: AnswerSeen): ReadonlyArray<string> =>
  answer.resources === undefined ? q.resources : []

type Issued = Pick<Extract<Decision, { _tag: "IssueTokens" }>, "tokens" | "refreshToken" | "commands">

const forClient = (q: OpenedGrant, s: AnswerSeen, extension: GrantExtension): Issued => {
  const { settings, client, now, answer } = s
  const target = targetOf(settings, grantedScope(q, s), answer.resources ?? [], askedResources(q, s))
  const access = accessTokenFor({ settings, client, grant: undefined, extension, target, now, handle: s.accessHandle })
  return {
    tokens: { accessToken: access.plan, expiresIn: extension.lifetime, scope: target.scope, idToken: undefined, code: undefined },
    refreshToken: undefined,
    commands: access.commands,
  }
}

const forPerson = (q: OpenedGrant, s: AnswerSeen, extension: GrantExtension): Issued => {
  const { client, now, answer, parent, session } = s
  const person = held(s.person)
  const scope = grantedScope(q, s)
  const family = familyOf(client, scope, now)
  const origin = parent ?? session
  const grant: Grant = {
    id: s.grantId,
    clientId: client.clientId,
    subject: person.subject,
    sub: s.sub,
    sessionId: parent?.sessionId ?? session?.locator,
    scope,
    resources: answer.resources ?? q.resources,
    authTime: origin?.authTime ?? now,
    amr: origin?.amr ?? [],
    acr: origin?.acr,
    nonce: undefined,
    claims: undefined,
    endsWithSession: parent?.endsWithSession ?? session !== undefined,
    parentId: parent?.id,
    extension,
    createdAt: now,
    keepUntil: keptFor(client, now, family),
    revokedAt: undefined,
  }
  const { commands, ...first } = firstTokens({ ...s, grant, person, scope, resources: askedResources(q, s), family })
  return { ...first, commands: [...stillThere(s, grant.keepUntil), { _tag: "SaveGrant", grant }, ...commands] }
}

/** What it came from must stand when it is committed, and must be found for as long as it could be revoked. */
const stillThere = ({ parent, session }: AnswerSeen, keepUntil: number): ReadonlyArray<Command> => {
  if (parent !== undefined) return [{ _tag: "KeepGrant", grantId: parent.id, keepUntil }]
  return session === undefined ? [] : [{ _tag: "RequireSession", locator: session.locator }]
}
