import {
  type AuthorizationCode,
  type Callback,
  type Challenge,
  type Command,
  type Decision,
  type Grant,
  type Interaction,
  requireConsent,
  requireSession,
  saveCode,
  saveGrant,
  saveInteraction,
  touchSession,
} from "../../model/index.ts"
import { acrReached } from "../../rules/acr.ts"
import { held } from "../../rules/rule.ts"
import { endsWithSession } from "../../rules/session.ts"
import { targetOf } from "../../rules/resource.ts"
import { accessTokenFor, idTokenFor, longestLife } from "../../rules/tokens.ts"
import { writeParams } from "../../wire/index.ts"
import type { AuthorizeSeen } from "./load.ts"
import { type Need, grantedByName, grantedScope } from "./needs.ts"
import { type AuthorizeRequest, carriesToken, gives, keptParams } from "./parse.ts"
import { pageCommands } from "./resume.ts"

/** Asks the person: keeps the request, bound to this browser, and sends the browser to the page that asks. */
export const ask = (q: AuthorizeRequest, s: AuthorizeSeen, { need }: Need): Decision => {
  const page = need === "login" ? "/login" : "/consent"
  const go = (handle: string, commands: ReadonlyArray<Command>): Decision => ({
    _tag: "Go",
    to: `${page}?${writeParams([["interaction", handle]])}`,
    cookies: s.waiting?.page?.cookies ?? s.browser.cookies,
    commands,
  })
  if (s.waiting !== undefined) return go(s.waiting.handle, pageCommands(s.waiting))
  const { locator, digest, value } = held(s.interactionHandle)
  const expiresAt = s.now + s.settings.interactionLifetime
  const interaction: Interaction = {
    locator,
    digest,
    browser: s.browser.digest,
    clientId: held(s.client).clientId,
    params: keptParams(q),
    hint: s.hint?.subject,
    createdAt: s.now,
    expiresAt,
    signedInAt: undefined,
    subject: undefined,
    consented: undefined,
    denied: false,
    finishedAt: undefined,
    version: 0,
    keepUntil: expiresAt,
  }
  return go(value, [saveInteraction(interaction)])
}

/** Grants what the response type asks for: a code, an access token, an ID token (RFC 6749 §4.1.2, OpenID Connect Core §3.2.2.5, §3.3.2.5). */
export const answer = (q: AuthorizeRequest, s: AuthorizeSeen, callback: Callback, finish: ReadonlyArray<Command>): Decision => {
  const { settings, now, sid } = s
  const client = held(s.client)
  const scope = grantedScope(q, s)
  const grant = grantOf(q, s, scope)
  const target = targetOf(settings, scope, q.resources, [])
  const code = gives(q, "code") ? held(s.codeHandle).value : undefined
  const access = gives(q, "token") ? accessTokenFor({ settings, client, grant, target, now, sid, handle: held(s.accessHandle) }) : undefined
  const idToken = gives(q, "id_token")
    ? idTokenFor({
        settings,
        client,
        grant,
        person: held(s.person),
        scope,
        now,
        nonce: q.nonce,
        sid,
        unique: held(s.accessHandle).locator,
        alone: q.responseType === "id_token",
      })
    : undefined
  return {
    _tag: "SendBack",
    callback,
    params: code === undefined ? [] : [["code", code]],
    tokens: carriesToken(q)
      ? { accessToken: access?.plan, tokenType: "Bearer", expiresIn: client.lifetimes.accessToken, scope: target.scope, idToken, code }
      : undefined,
    cookies: s.waiting?.page?.cookies ?? [],
    commands: [
      ...(s.waiting?.page?.commands ?? []),
      requireSession(held(s.session).locator),
      ...consentStands(s),
      saveGrant(grant),
      ...(code === undefined ? [] : [saveCode(codeOf(q, s, callback, grant))]),
      ...(access?.commands ?? []),
      ...touch(s),
      ...finish,
    ],
  }
}

/** A grant that rests on a consent needs it to stand still. */
const consentStands = ({ consent, client, waiting }: AuthorizeSeen): ReadonlyArray<Command> =>
  consent !== undefined && (held(client).requireConsent || waiting?.interaction.consented !== undefined) ? [requireConsent(consent)] : []

/** For as long as a token of it may live: a replay of the code must find what to revoke. */
const keptUntil = ({ client, now }: AuthorizeSeen): number => now + held(client).lifetimes.authorizationCode + longestLife(held(client))

const grantOf = (q: AuthorizeRequest, s: AuthorizeSeen, scope: ReadonlyArray<string>): Grant => {
  const { locator, subject, authTime, amr } = held(s.session)
  return {
    id: s.grantId,
    clientId: held(s.client).clientId,
    subject,
    sub: held(s.sub),
    sessionId: locator,
    scope,
    resources: q.resources,
    authTime,
    amr,
    acr: acrReached(s.settings, held(s.session)),
    nonce: q.nonce,
    claims: grantedByName(q, s),
    endsWithSession: endsWithSession(held(s.client), scope),
    parentId: undefined,
    extension: undefined,
    createdAt: s.now,
    keepUntil: keptUntil(s),
    revokedAt: undefined,
  }
}

const codeOf = (q: AuthorizeRequest, s: AuthorizeSeen, { redirectUri }: Callback, grant: Grant): AuthorizationCode => {
  const { locator, digest } = held(s.codeHandle)
  const challenge: Challenge | undefined =
    q.codeChallenge === undefined ? undefined : { method: q.codeChallengeMethod === "S256" ? "S256" : "plain", value: q.codeChallenge }
  return {
    locator,
    digest,
    grantId: grant.id,
    clientId: grant.clientId,
    redirectUri,
    challenge,
    createdAt: s.now,
    expiresAt: s.now + held(s.client).lifetimes.authorizationCode,
    consumedAt: undefined,
    keepUntil: keptUntil(s),
  }
}

/** A session slides when it is used, but is written at most once in a tenth of its life. */
const touch = ({ session, now, settings }: AuthorizeSeen): ReadonlyArray<Command> => {
  const { locator, seenAt } = held(session)
  if (now < seenAt + settings.sessionLifetime / 10) return []
  const expiresAt = now + settings.sessionLifetime
  return [touchSession(locator, { seenAt: now, expiresAt, keepUntil: expiresAt })]
}
