import type { Callback, Command, Decision, Grant, Interaction } from "../../model/index.ts"
import { held } from "../../rules/rule.ts"
import { writeParams } from "../../wire/index.ts"
import type { AuthorizeSeen } from "./load.ts"
import { type Need, grantedScope } from "./needs.ts"
import type { AuthorizeRequest } from "./parse.ts"

/** Asks the person: keeps the request, bound to this browser, and sends the browser to the page that asks. */
export const ask = (q: AuthorizeRequest, s: AuthorizeSeen, { need }: Need): Decision => {
  const page = need === "login" ? "/login" : "/consent"
  const go = (handle: string, commands: ReadonlyArray<Command>): Decision => ({
    _tag: "Go",
    to: `${page}?${writeParams([["interaction", handle]])}`,
    cookies: s.browser.cookies,
    commands,
  })
  if (s.resumed !== undefined) return go(s.resumed, [])
  const expiresAt = s.now + s.settings.interactionLifetime
  const interaction: Interaction = {
    locator: s.interactionHandle.locator,
    digest: s.interactionHandle.digest,
    browser: s.browser.digest,
    clientId: held(s.client).clientId,
    params: q.params.pairs,
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
  return go(s.interactionHandle.value, [{ _tag: "SaveInteraction", interaction }])
}

/** Grants an authorization code (RFC 6749 §4.1.2) and keeps the session awake. */
export const grantCode = (q: AuthorizeRequest, s: AuthorizeSeen, callback: Callback, finish: ReadonlyArray<Command>): Decision => {
  const client = held(s.client)
  const session = held(s.session)
  const { lifetimes } = client
  const scope = grantedScope(q, s)
  // For as long as a token of it may live: a replay of the code must find what to revoke.
  const codeKept = s.now + lifetimes.authorizationCode + lifetimes.accessToken
  const grant: Grant = {
    id: s.grantId,
    clientId: client.clientId,
    subject: session.subject,
    sessionId: session.locator,
    scope,
    resources: [],
    authTime: session.authTime,
    amr: session.amr,
    acr: session.acr,
    nonce: q.nonce,
    createdAt: s.now,
    keepUntil: codeKept,
    revokedAt: undefined,
  }
  return {
    _tag: "SendBack",
    callback,
    params: [["code", s.codeHandle.value]],
    commands: [
      { _tag: "SaveGrant", grant },
      {
        _tag: "SaveCode",
        code: {
          locator: s.codeHandle.locator,
          digest: s.codeHandle.digest,
          grantId: grant.id,
          clientId: client.clientId,
          redirectUri: callback.redirectUri,
          challenge:
            q.codeChallenge === undefined
              ? undefined
              : { method: q.codeChallengeMethod === "S256" ? "S256" : "plain", value: q.codeChallenge },
          createdAt: s.now,
          expiresAt: s.now + lifetimes.authorizationCode,
          consumedAt: undefined,
          keepUntil: codeKept,
        },
      },
      ...touch(s),
      ...finish,
    ],
  }
}

/** A session slides when it is used, but is written at most once in a tenth of its life. */
const touch = ({ session, now, settings }: AuthorizeSeen): ReadonlyArray<Command> => {
  const { locator, seenAt } = held(session)
  if (now < seenAt + settings.sessionLifetime / 10) return []
  const expiresAt = now + settings.sessionLifetime
  return [{ _tag: "TouchSession", locator, seenAt: now, expiresAt, keepUntil: expiresAt }]
}
