import {
  type AccessHandle,
  type Client,
  type Decision,
  type FreshHandle,
  type Person,
  type Settings,
  keepGrant,
  revokeGrant,
  rotateRefreshToken,
  saveRefreshToken,
} from "../../model/index.ts"
import { distinct, readHandle, refuse, scopeWords, writeHandle } from "../../model/index.ts"
import type { FoundRefreshToken } from "../../ports/index.ts"
import { steps } from "../../ports/steps.ts"
import { grantedResources, resourceAmong, resourceForm, targetOf } from "../../rules/resource.ts"
import { held, pass, rule, table } from "../../rules/rule.ts"
import { mayHave, scopeForm } from "../../rules/scope.ts"
import { accessTokenFor, accessTokenLife, idTokenFor, longestLife, refreshExpiry } from "../../rules/tokens.ts"
import { findBy, freshAccess, freshHandle, sealSecret } from "../../settle/request.ts"
import { sidFor } from "../../settle/subject.ts"
import { defineGrant } from "../../issuance/defineGrant.ts"

interface RefreshRequest {
  readonly refreshToken: string | undefined
  /** Undefined when no scope was asked for. */
  readonly scope: ReadonlyArray<string> | undefined
  readonly resources: ReadonlyArray<string>
}

interface RefreshSeen {
  readonly settings: Settings
  readonly now: number
  readonly client: Client
  readonly found: FoundRefreshToken | undefined
  readonly person: Person | undefined
  /** The session behind the grant as the client knows it. */
  readonly sid: string | undefined
  readonly accessHandle: AccessHandle
  readonly nextHandle: FreshHandle
  /** The next handle's secret, sealed under the presented token's. */
  readonly sealedNext: string
  /** The successor a rotated token gave way to, opened; undefined when there is none. */
  readonly successor: string | undefined
  /** When that successor ends; 0 when there is none. */
  readonly successorExpiresAt: number
  /** True if that successor was used since: then its answer was not lost. */
  readonly successorUsed: boolean
}

const invalidGrant = (description: string, reason: string) => refuse("invalid_grant", description, reason)

/** Reports whether a rotated token still answers with its successor: the answer to its rotation may have been lost. */
const inGrace = (s: RefreshSeen): boolean => {
  const { rotatedAt } = held(s.found).token
  return (
    rotatedAt !== undefined && s.successor !== undefined && !s.successorUsed && s.now < rotatedAt + s.client.lifetimes.refreshTokenGrace
  )
}

/** What was asked for of the granted scopes, as far as the client may still have them. */
const remaining = (q: RefreshRequest, { found, settings, client }: RefreshSeen): ReadonlyArray<string> =>
  (q.scope ?? held(found).token.scope).filter((name) => mayHave(settings, client, name))

/** Refresh token grant: RFC 6749 §6; rotation and replay RFC 9700 §4.14.2. */
const rules = table<RefreshRequest, RefreshSeen>("token/refresh_token", [
  rule("refresh.present", "RFC 6749 §6", (q) =>
    q.refreshToken === undefined ? refuse("invalid_request", "The refresh_token is missing.") : pass,
  ),
  rule("refresh.known", "RFC 6749 §5.2", (_, s) =>
    s.found === undefined ? invalidGrant("The refresh token is not valid.", "no such token, or not with this secret") : pass,
  ),
  rule("refresh.client", "RFC 6749 §6", (_, s) =>
    held(s.found).token.clientId === s.client.clientId
      ? pass
      : invalidGrant("The refresh token is not valid.", "the token was issued to another client"),
  ),
  rule("refresh.grant-live", "RFC 6749 §5.2", (_, s) =>
    held(s.found).grant.revokedAt === undefined ? pass : invalidGrant("The refresh token has been revoked.", "the grant was revoked"),
  ),
  rule("refresh.unrotated", "RFC 9700 §4.14.2", (_, s) => {
    const { token, grant } = held(s.found)
    return token.rotatedAt === undefined || (inGrace(s) && s.now < s.successorExpiresAt)
      ? pass
      : refuse(
          "invalid_grant",
          "The refresh token has been used.",
          "replayed after its grace; the whole grant is revoked",
          revokeGrant(grant.id, s.now),
        )
  }),
  rule("refresh.fresh", "RFC 6749 §5.2", (_, s) =>
    s.now < held(s.found).token.expiresAt || inGrace(s) ? pass : invalidGrant("The refresh token has expired.", "expired token"),
  ),
  scopeForm("refresh"),
  rule("refresh.scope-narrows", "RFC 6749 §6", (q, s) => {
    const wider = (q.scope ?? []).filter((name) => !held(s.found).token.scope.includes(name))
    return wider.length === 0
      ? pass
      : refuse("invalid_scope", "The scope goes beyond what was granted.", "a scope that the grant does not hold")
  }),
  rule("refresh.scope-left", "RFC 6749 §6", (q, s) =>
    remaining(q, s).length > 0
      ? pass
      : refuse("invalid_scope", "No granted scope is left.", "the client was since taken every scope that the grant holds"),
  ),
  resourceForm("refresh"),
  resourceAmong("refresh", "RFC 8707 §2.2, specification §2.2 resource", (_, s) => grantedResources(s.settings, held(s.found).grant)),
  rule("refresh.person-active", "RFC 6749 §5.2", (_, s) =>
    s.person?.active === true
      ? pass
      : invalidGrant("The person can no longer sign in.", s.person === undefined ? "the person is gone" : "the person is disabled"),
  ),
])

/** Exchanges a refresh token for new tokens, rotating it. */
export const refreshToken = defineGrant<RefreshRequest, RefreshSeen>({
  grantType: "refresh_token",
  rules,
  parse: (params) => {
    const scope = params.one("scope")
    return {
      refreshToken: params.one("refresh_token"),
      scope: scope === undefined ? undefined : scopeWords(scope),
      resources: distinct(params.all("resource")),
    }
  },
  load: steps(function* (q, client, inquiry) {
    const { ports, now } = inquiry
    const handle = readHandle("r", q.refreshToken)
    const found = yield* findBy(ports, handle, ports.tokens.findRefreshToken, ({ token }) => token.digest)
    if (found !== undefined) inquiry.about.subject = found.grant.subject
    const nextHandle = yield* freshHandle(inquiry, "r")
    const sealed = found?.token.successor
    const next = sealed === undefined ? undefined : yield* ports.tokens.findRefreshToken(sealed.locator)
    return {
      settings: ports.settings,
      now,
      client,
      found,
      person: found === undefined ? undefined : yield* ports.authenticator.find(found.grant.subject),
      sid: yield* sidFor(client, found?.grant.sessionId, inquiry),
      accessHandle: yield* freshAccess(inquiry, client),
      nextHandle,
      successorExpiresAt: next?.token.expiresAt ?? 0,
      successorUsed: next === undefined || next.token.rotatedAt !== undefined,
      sealedNext: handle === undefined ? "" : yield* sealSecret(ports, nextHandle.secret, handle.secret),
      successor:
        handle === undefined || sealed === undefined
          ? undefined
          : writeHandle({ kind: "r", locator: sealed.locator, secret: yield* sealSecret(ports, sealed.sealed, handle.secret) }),
    }
  }),
  grant: (q, s): Decision => {
    const { token, grant } = held(s.found)
    const { client, now, settings, nextHandle } = s
    const scope = remaining(q, s)
    const target = targetOf(settings, scope, grant.resources, q.resources)
    const access = accessTokenFor({ settings, client, grant, target, now, sid: s.sid, handle: s.accessHandle })
    const expiresAt = refreshExpiry(client, now, token.absoluteExpiresAt)
    const rotation =
      token.rotatedAt === undefined
        ? ([
            rotateRefreshToken(token.locator, now, { locator: nextHandle.locator, sealed: s.sealedNext }),
            saveRefreshToken({
              ...token,
              locator: nextHandle.locator,
              digest: nextHandle.digest,
              createdAt: now,
              expiresAt,
              rotatedAt: undefined,
              successor: undefined,
              keepUntil: expiresAt,
            }),
          ] as const)
        : []
    return {
      _tag: "IssueTokens",
      tokens: {
        accessToken: access.plan,
        tokenType: "Bearer",
        expiresIn: accessTokenLife(client, grant.extension),
        scope: target.scope,
        idToken:
          scope.includes("openid") && grant.extension === undefined
            ? idTokenFor({
                settings,
                client,
                grant,
                person: held(s.person),
                scope,
                now,
                nonce: undefined,
                sid: s.sid,
                unique: s.accessHandle.locator,
                alone: false,
              })
            : undefined,
        code: undefined,
      },
      refreshToken: token.rotatedAt === undefined ? nextHandle.value : held(s.successor),
      commands: [keepGrant(grant.id, Math.max(expiresAt, now + longestLife(client))), ...rotation, ...access.commands],
    }
  },
})
