import * as Effect from "effect/Effect"
import type { ExtensionAnswer, ToldSignIn } from "../../extension/index.ts"
import {
  type Client,
  type DetailsAsked,
  type Grant,
  type GrantExtension,
  type Instant,
  type JsonObject,
  type Settings,
  requireSession,
  useOnce,
} from "../../model/index.ts"
import { type Issuance, type Whose, familyOf } from "../../issuance/index.ts"
import { mapped, onward, together } from "../../ports/steps.ts"
import { acrReached } from "../../rules/acr.ts"
import { enriched, readDetails } from "../../rules/details/known.ts"
import { endsWithSession } from "../../rules/session.ts"
import { authTimeOf, reservedClaims } from "../../rules/tokens.ts"
import type { Inquiry } from "../../settle/request.ts"
import { sectorFaultOf } from "../../settle/sector.ts"
import { type AnswerJudged, generationOf } from "./answerRules.ts"
import { useOf } from "./context.ts"

/** Checks an answer. Throws if it would be wrong for any request, because that is a fault of the extension grant. */
const checked = (grantType: string, answer: ExtensionAnswer, now: Instant): ExtensionAnswer => {
  const misuse = (problem: string) => new Error(`extension grant ${grantType} answered ${problem}`)
  const taken = Object.keys(answer.claims ?? {}).filter((name) => reservedClaims.includes(name))
  if (taken.length > 0) throw misuse(`with claims that are core's own: ${taken.join(", ")}`)
  const { lifetime, subject, dependsOn, signIn } = answer
  if (lifetime !== undefined && (!Number.isInteger(lifetime) || lifetime < 1))
    throw misuse(`with a lifetime of ${lifetime}, which is no number of seconds`)
  if (subject === undefined && dependsOn !== undefined) throw misuse("with dependsOn and no subject")
  if (subject === undefined && signIn !== undefined) throw misuse("with signIn and no subject")
  if (subject === undefined && answer.authorizationDetails !== undefined) throw misuse("with authorizationDetails and no subject")
  const at = signIn?.authTime ?? 0
  if (!Number.isInteger(at) || at < 0 || at > now) throw misuse(`with a sign-in at ${at}, which is no second that has passed`)
  return answer
}

/** Looks up the values that an answer is judged against. */
export const loadAnswer = (grantType: string, given: ExtensionAnswer, client: Client, inquiry: Inquiry) => {
  const { authenticator, clients, tokens } = inquiry.ports
  const answer = checked(grantType, given, inquiry.now)
  const { subject, dependsOn } = answer
  const { grantId, sessionId } = dependsOn ?? {}
  const namesake = subject === undefined ? authenticator.find(client.clientId) : clients.find(subject)
  const { settings } = inquiry.ports
  const uses = (answer.useOnce ?? []).map(({ key, until }) => mapped(useOf(grantType, key, inquiry), (use) => ({ ...use, until })))
  return together({
    answer,
    person: subject === undefined ? undefined : authenticator.find(subject),
    namesBoth: mapped<object | undefined, unknown, boolean>(namesake, (other) => other !== undefined),
    parent: grantId === undefined ? undefined : onward(tokens.findGrant(grantId), (parent) => withEnd(parent, inquiry)),
    session: sessionId === undefined ? undefined : tokens.findSession(sessionId),
    details: detailsStated(answer.authorizationDetails ?? [], settings, client),
    uses: uses.length === 0 ? [] : Effect.all(uses, { concurrency: "unbounded" }),
    sectorFault: subject === undefined ? undefined : sectorFaultOf(client, inquiry),
    about: { subject },
  })
}

/**
 * Reads the details of an answer. A provider without types cannot grant any, because tokens without the details would allow more than the
 * answer means (RFC 9396 §5).
 */
const detailsStated = (stated: ReadonlyArray<JsonObject>, settings: Settings, client: Client): DetailsAsked => {
  if (stated.length === 0) return { sent: false, details: [] }
  if (settings.details === undefined) return { sent: true, details: [], fault: { kind: "type", problem: "[0] has an unknown type" } }
  return readDetails(JSON.stringify(stated), settings, client)
}

/** Adds the end of a grant's refresh tokens: the one that the grant states, or otherwise that of its client's lifetime. */
const withEnd = (grant: Grant | undefined, { ports }: Inquiry) => {
  if (grant === undefined) return Effect.succeed(undefined)
  const { clientId, scope, createdAt, extension } = grant
  if (extension !== undefined) return Effect.succeed({ ...grant, refreshEnd: extension.absoluteExpiresAt })
  return mapped(ports.clients.find(clientId), (client) => ({
    ...grant,
    refreshEnd: client === undefined ? 0 : (familyOf(client, scope, createdAt)?.absoluteExpiresAt ?? 0),
  }))
}

/** Makes the issuance of an answer that passed. */
export const issuanceOf = (grantType: string, s: AnswerJudged): Issuance => {
  const { answer, client, granted, family, holder, session, resources, now, uses } = s
  const isOwn = holder === "client"
  const signIn = signInOf(s)
  const extension: GrantExtension = {
    grantType,
    claims: { ...answer.claims, ...(answer.act === undefined ? {} : { act: answer.act }) },
    lifetime: Math.min(client.lifetimes.accessToken, answer.lifetime ?? client.lifetimes.accessToken),
    generation: generationOf(s),
    absoluteExpiresAt: family?.absoluteExpiresAt ?? s.parent?.refreshEnd ?? 0,
    ...(isOwn || signIn.authTime === undefined ? {} : { signInTold: true }),
  }
  return {
    client,
    whose: isOwn ? { _tag: "Client", extension } : { _tag: "NewGrant", person: holder, basis: basisOf(s, signIn, extension) },
    scope: granted,
    // Resources that an answer states limit everything issued from its grant; requested resources limit only its first tokens.
    resources: isOwn ? (answer.resources ?? resources) : answer.resources === undefined ? resources : [],
    accessToken: true,
    family: isOwn ? undefined : family,
    changes: [
      ...uses.map(({ key, until }) => useOnce(key, now, Math.ceil(until))),
      ...(session === undefined ? [] : [requireSession(session.locator)]),
    ],
  }
}

/**
 * The sign-in that a person's tokens report: the one that the answer states, or otherwise that of the grant or session that it depends on,
 * if any.
 */
const signInOf = ({ answer, parent, session, settings }: AnswerJudged): ToldSignIn => {
  if (answer.signIn !== undefined) return answer.signIn
  if (parent !== undefined) return { authTime: authTimeOf(parent), amr: parent.amr, acr: parent.acr }
  return session === undefined ? {} : { authTime: session.authTime, amr: session.amr, acr: acrReached(settings, session) }
}

/** Makes the basis of a person's grant. */
const basisOf = (
  { answer, client, granted, parent, session, resources, now, details: { details }, person, settings }: AnswerJudged,
  { authTime = now, amr = [], acr }: ToldSignIn,
  extension: GrantExtension,
): Extract<Whose, { _tag: "NewGrant" }>["basis"] => {
  const sessionId = parent?.sessionId ?? session?.locator
  return {
    sessionId,
    resources: answer.resources ?? resources,
    authTime,
    amr,
    acr,
    // A grant that depends on a session ends with it. A grant that depends on another grant does if that one does, or if a grant of this
    // client would.
    endsWithSession:
      session !== undefined || parent?.endsWithSession === true || (sessionId !== undefined && endsWithSession(client, granted)),
    parentId: parent?.id,
    authorizationDetails: details.length === 0 ? undefined : enriched(details, settings.details, person),
    extension,
  }
}
