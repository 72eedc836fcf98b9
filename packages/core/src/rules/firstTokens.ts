import {
  type AccessHandle,
  type Client,
  type Command,
  type FreshHandle,
  type Grant,
  type Person,
  type Settings,
  type TokenPlan,
  saveRefreshToken,
} from "../model/index.ts"
import { offlineAccess } from "../model/index.ts"
import { targetOf } from "./resource.ts"
import { accessTokenFor, accessTokenLife, idTokenFor, longestLife, refreshExpiry } from "./tokens.ts"

/** When the refresh tokens of a grant end. */
export interface Family {
  /** The first one's end. */
  readonly expiresAt: number
  /** The family's end; 0 is none. */
  readonly absoluteExpiresAt: number
}

/** The family a grant begins; undefined where no refresh token is due (OpenID Connect Core §11). */
export const familyOf = (client: Client, scope: ReadonlyArray<string>, now: number): Family | undefined => {
  if (!scope.includes(offlineAccess) || !client.grantTypes.includes("refresh_token")) return undefined
  const { refreshTokenAbsolute } = client.lifetimes
  const absoluteExpiresAt = refreshTokenAbsolute === 0 ? 0 : now + refreshTokenAbsolute
  return { expiresAt: refreshExpiry(client, now, absoluteExpiresAt), absoluteExpiresAt }
}

/** The family of a grant that came of another, which ends no later than that one's may (RFC 9700 §4.14.2); `end` is 0 for none. */
export const familyWithin = (family: Family | undefined, end: number): Family | undefined =>
  family === undefined || end === 0
    ? family
    : { expiresAt: Math.min(family.expiresAt, end), absoluteExpiresAt: Math.min(family.absoluteExpiresAt || end, end) }

/** Until when a grant must be kept for the first tokens made of it. */
export const keptFor = (client: Client, now: number, family: Family | undefined): number =>
  Math.max(now + longestLife(client), family?.expiresAt ?? 0)

/** What the first tokens of a person's grant are made of. */
export interface FirstTokensContent {
  readonly settings: Settings
  readonly client: Client
  readonly grant: Grant
  readonly person: Person
  /** The granted scopes, as far as the client may still have them. */
  readonly scope: ReadonlyArray<string>
  /** The resources asked for at the token endpoint. */
  readonly resources: ReadonlyArray<string>
  readonly family: Family | undefined
  /** The session behind the grant as the client knows it. */
  readonly sid: string | undefined
  readonly now: number
  readonly accessHandle: AccessHandle
  readonly refreshHandle: FreshHandle
}

/**
 * The first tokens of a person's grant, whatever grant type it came by: access token, ID token, refresh token (RFC 6749 §5.1). An
 * extension grant gives no ID token: nobody signed in for it (OpenID Connect Core §2).
 */
export const firstTokens = (
  content: FirstTokensContent,
): { tokens: TokenPlan; refreshToken: string | undefined; commands: ReadonlyArray<Command> } => {
  const { settings, client, grant, person, scope, resources, family, sid, now, accessHandle, refreshHandle } = content
  const target = targetOf(settings, scope, grant.resources, resources)
  const access = accessTokenFor({ settings, client, grant, target, now, sid, handle: accessHandle })
  const idToken =
    scope.includes("openid") && grant.extension === undefined
      ? idTokenFor({ settings, client, grant, person, scope, now, nonce: grant.nonce, sid, unique: accessHandle.locator, alone: false })
      : undefined
  const refresh: ReadonlyArray<Command> =
    family === undefined
      ? []
      : [
          saveRefreshToken({
            locator: refreshHandle.locator,
            digest: refreshHandle.digest,
            grantId: grant.id,
            clientId: grant.clientId,
            scope: grant.scope,
            createdAt: now,
            ...family,
            rotatedAt: undefined,
            successor: undefined,
            keepUntil: family.expiresAt,
          }),
        ]
  return {
    tokens: {
      accessToken: access.plan,
      tokenType: "Bearer",
      expiresIn: accessTokenLife(client, grant.extension),
      scope: target.scope,
      idToken,
      code: undefined,
    },
    refreshToken: family === undefined ? undefined : refreshHandle.value,
    commands: [...access.commands, ...refresh],
  }
}
