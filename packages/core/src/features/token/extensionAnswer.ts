import * as Effect from "effect/Effect"
import type { ExtensionAnswer, OpenedGrant } from "../../extension/index.ts"
import {
  type Client,
  type Command,
  type Decision,
  type Grant,
  type GrantExtension,
  type Seconds,
  keepGrant,
  requireSession,
  saveGrant,
  useOnce,
} from "../../model/index.ts"
import { acrReached } from "../../rules/acr.ts"
import { familyOf, firstTokens, keptFor } from "../../rules/firstTokens.ts"
import { targetOf } from "../../rules/resource.ts"
import { held } from "../../rules/rule.ts"
import { endsWithSession } from "../../rules/session.ts"
import { accessTokenFor, reservedClaims } from "../../rules/tokens.ts"
import { useKey, wasUsed } from "../../settle/extension.ts"
import { freshAccess, freshHandle, freshLocator, type Inquiry } from "../../settle/request.ts"
import { sectorFaultOf } from "../../settle/sector.ts"
import { sidFor, subjectFor } from "../../settle/subject.ts"
import { type AnswerSeen, generationOf, grantedScope, ownFamily } from "./extensionAnswerRules.ts"

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
  const parent = grantId === undefined ? undefined : yield* ports.tokens.findGrant(grantId)
  const other = subject === undefined ? yield* ports.authenticator.find(client.clientId) : yield* ports.clients.find(subject)
  const session = sessionId === undefined ? undefined : yield* ports.tokens.findSession(sessionId)
  return {
    settings: ports.settings,
    now,
    client,
    answer,
    person,
    namesBoth: other !== undefined,
    parent,
    parentEnds: parent === undefined ? 0 : yield* endOf(parent, inquiry),
    session,
    used: used.includes(true),
    useKeys: yield* Effect.forEach(useOnce, ({ key }) => useKey(grantType, key, inquiry)),
    sectorFault: subject === undefined ? undefined : yield* sectorFaultOf(client, inquiry),
    sid: yield* sidFor(client, parent?.sessionId ?? session?.locator, inquiry),
    sub: subject === undefined ? client.clientId : yield* subjectFor(client, subject, inquiry),
    grantId: freshLocator(inquiry),
    accessHandle: yield* freshAccess(inquiry, client),
    refreshHandle: yield* freshHandle(inquiry, "r"),
  } satisfies AnswerSeen as AnswerSeen
})

/** When the refresh tokens of a grant end: what its own says, or else its client's lifetime. */
const endOf = Effect.fnUntraced(function* ({ clientId, scope, createdAt, extension }: Grant, { ports }: Inquiry) {
  if (extension !== undefined) return extension.absoluteExpiresAt
  const client = yield* ports.clients.find(clientId)
  return client === undefined ? 0 : (familyOf(client, scope, createdAt)?.absoluteExpiresAt ?? 0)
})

const lifetimeOf = ({ client, answer }: AnswerSeen): Seconds =>
  Math.min(client.lifetimes.accessToken, answer.lifetime ?? client.lifetimes.accessToken)

/** The tokens of an answer that passed. */
export const answered = (grantType: string, q: OpenedGrant, s: AnswerSeen): Decision => {
  const { answer, now, useKeys } = s
  const used = (answer.useOnce ?? []).map(({ until }, at): Command => useOnce(held(useKeys[at]), now, Math.ceil(until)))
  const extension: GrantExtension = {
    grantType,
    claims: { ...answer.claims, ...(answer.act === undefined ? {} : { act: answer.act }) },
    lifetime: lifetimeOf(s),
    generation: generationOf(s),
    absoluteExpiresAt: ownFamily(q, s)?.absoluteExpiresAt ?? s.parentEnds,
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
  const access = accessTokenFor({ settings, client, grant: undefined, extension, target, now, sid: undefined, handle: s.accessHandle })
  return {
    tokens: {
      accessToken: access.plan,
      tokenType: "Bearer",
      expiresIn: extension.lifetime,
      scope: target.scope,
      idToken: undefined,
      code: undefined,
    },
    refreshToken: undefined,
    commands: access.commands,
  }
}

const forPerson = (q: OpenedGrant, s: AnswerSeen, extension: GrantExtension): Issued => {
  const { client, now, answer, parent, session } = s
  const person = held(s.person)
  const scope = grantedScope(q, s)
  const family = ownFamily(q, s)
  const origin = parent ?? session
  const sessionId = parent?.sessionId ?? session?.locator
  const grant: Grant = {
    id: s.grantId,
    clientId: client.clientId,
    subject: person.subject,
    sub: s.sub,
    sessionId,
    scope,
    resources: answer.resources ?? q.resources,
    authTime: origin?.authTime ?? now,
    amr: origin?.amr ?? [],
    acr: parent === undefined ? session && acrReached(s.settings, session) : parent.acr,
    nonce: undefined,
    claims: undefined,
    // What was said of a session ends with it; what came of a grant does where that one does, or where this client's own would.
    endsWithSession:
      session !== undefined || parent?.endsWithSession === true || (sessionId !== undefined && endsWithSession(client, scope)),
    parentId: parent?.id,
    extension,
    createdAt: now,
    keepUntil: keptFor(client, now, family),
    revokedAt: undefined,
  }
  const { commands, ...first } = firstTokens({ ...s, grant, person, scope, resources: askedResources(q, s), family })
  return { ...first, commands: [...stillThere(s, grant.keepUntil), saveGrant(grant), ...commands] }
}

/** What it came from must stand when it is committed, and must be found for as long as it could be revoked. */
const stillThere = ({ parent, session }: AnswerSeen, keepUntil: number): ReadonlyArray<Command> => {
  const kept: ReadonlyArray<Command> = parent === undefined ? [] : [keepGrant(parent.id, keepUntil)]
  return session === undefined ? kept : [...kept, requireSession(session.locator)]
}
