import * as Effect from "effect/Effect"
import type { ExtensionAnswer } from "../../extension/index.ts"
import { type Client, type Grant, type GrantExtension, requireSession, useOnce } from "../../model/index.ts"
import { type Issuance, type Whose, familyOf } from "../../issuance/index.ts"
import { mapped, onward, together } from "../../ports/steps.ts"
import { acrReached } from "../../rules/acr.ts"
import { endsWithSession } from "../../rules/session.ts"
import { reservedClaims } from "../../rules/tokens.ts"
import type { Inquiry } from "../../settle/request.ts"
import { sectorFaultOf } from "../../settle/sector.ts"
import { type AnswerJudged, generationOf } from "./answerRules.ts"
import { useOf } from "./context.ts"

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
export const loadAnswer = (grantType: string, given: ExtensionAnswer, client: Client, inquiry: Inquiry) => {
  const { authenticator, clients, tokens } = inquiry.ports
  const answer = checked(grantType, given)
  const { subject, dependsOn } = answer
  const { grantId, sessionId } = dependsOn ?? {}
  const namesake = subject === undefined ? authenticator.find(client.clientId) : clients.find(subject)
  const uses = (answer.useOnce ?? []).map(({ key, until }) => mapped(useOf(grantType, key, inquiry), (use) => ({ ...use, until })))
  return together({
    answer,
    person: subject === undefined ? undefined : authenticator.find(subject),
    namesBoth: mapped<object | undefined, unknown, boolean>(namesake, (other) => other !== undefined),
    parent: grantId === undefined ? undefined : onward(tokens.findGrant(grantId), (parent) => withEnd(parent, inquiry)),
    session: sessionId === undefined ? undefined : tokens.findSession(sessionId),
    uses: uses.length === 0 ? [] : Effect.all(uses, { concurrency: "unbounded" }),
    sectorFault: subject === undefined ? undefined : sectorFaultOf(client, inquiry),
    about: { subject },
  })
}

/** A grant, with the end of its refresh tokens: what it says itself, or else its client's lifetime. */
const withEnd = (grant: Grant | undefined, { ports }: Inquiry) => {
  if (grant === undefined) return Effect.succeed(undefined)
  const { clientId, scope, createdAt, extension } = grant
  if (extension !== undefined) return Effect.succeed({ ...grant, refreshEnd: extension.absoluteExpiresAt })
  return mapped(ports.clients.find(clientId), (client) => ({
    ...grant,
    refreshEnd: client === undefined ? 0 : (familyOf(client, scope, createdAt)?.absoluteExpiresAt ?? 0),
  }))
}

/** The issuance of an answer that passed. */
export const issuanceOf = (grantType: string, s: AnswerJudged): Issuance => {
  const { answer, client, granted, family, holder, session, resources, now, uses } = s
  const extension: GrantExtension = {
    grantType,
    claims: { ...answer.claims, ...(answer.act === undefined ? {} : { act: answer.act }) },
    lifetime: Math.min(client.lifetimes.accessToken, answer.lifetime ?? client.lifetimes.accessToken),
    generation: generationOf(s),
    absoluteExpiresAt: family?.absoluteExpiresAt ?? s.parent?.refreshEnd ?? 0,
  }
  const isOwn = holder === "client"
  return {
    client,
    whose: isOwn ? { _tag: "Client", extension } : { _tag: "NewGrant", person: holder, basis: basisOf(s, extension) },
    scope: granted,
    // Resources that an answer names limit all that its grant gives; those that were asked for, its first tokens alone.
    resources: isOwn ? (answer.resources ?? resources) : answer.resources === undefined ? resources : [],
    accessToken: true,
    family: isOwn ? undefined : family,
    changes: [
      ...uses.map(({ key, until }) => useOnce(key, now, Math.ceil(until))),
      ...(session === undefined ? [] : [requireSession(session.locator)]),
    ],
  }
}

/** The basis of a person's grant: the sign-in of the grant or session that the answer depends on, or else this request. */
const basisOf = (s: AnswerJudged, extension: GrantExtension): Extract<Whose, { _tag: "NewGrant" }>["basis"] => {
  const { answer, client, granted, parent, session, resources, now } = s
  const origin = parent ?? session
  const sessionId = parent?.sessionId ?? session?.locator
  return {
    sessionId,
    resources: answer.resources ?? resources,
    authTime: origin?.authTime ?? now,
    amr: origin?.amr ?? [],
    acr: parent === undefined ? session && acrReached(s.settings, session) : parent.acr,
    // A grant of a session ends with it; one that came of a grant does where that one does, or where this client's own would.
    endsWithSession:
      session !== undefined || parent?.endsWithSession === true || (sessionId !== undefined && endsWithSession(client, granted)),
    parentId: parent?.id,
    extension,
  }
}
