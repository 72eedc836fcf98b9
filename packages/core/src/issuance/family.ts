import { type Client, type Instant, type RefreshToken, type Seconds, offlineAccess } from "../model/index.ts"

/** The start of a family of refresh tokens. */
export interface Family {
  readonly _tag: "New"
  /** The expiry of the first token. */
  readonly expiresAt: Instant
  /** The end of the family; 0 is none. */
  readonly absoluteExpiresAt: Instant
}

/**
 * The step of a family: it starts, its newest token is rotated, is extended, or returns its successor again because the response was lost.
 */
export type FamilyStep =
  | Family
  | { readonly _tag: "Rotated"; readonly token: RefreshToken; /** The secret of the token as it was presented. */ readonly secret: string }
  | { readonly _tag: "Extended"; readonly token: RefreshToken; /** The token as it was presented. */ readonly value: string }
  | { readonly _tag: "Repeated"; readonly token: RefreshToken; /** The successor as it was issued. */ readonly successor: string }

/** The family that a grant starts; undefined if no refresh token is issued (OpenID Connect Core §11). */
export const familyOf = (client: Client, scope: ReadonlyArray<string>, now: Instant): Family | undefined => {
  if (!scope.includes(offlineAccess) || !client.grantTypes.includes("refresh_token")) return undefined
  const { refreshTokenAbsolute } = client.lifetimes
  const absoluteExpiresAt = refreshTokenAbsolute === 0 ? 0 : now + refreshTokenAbsolute
  return { _tag: "New", expiresAt: refreshExpiry(client, now, absoluteExpiresAt), absoluteExpiresAt }
}

/** The family of a grant derived from another one, which ends no later than that one's may (RFC 9700 §4.14.2); `end` is 0 for none. */
export const familyWithin = (family: Family | undefined, end: Instant): Family | undefined =>
  family === undefined || end === 0
    ? family
    : {
        _tag: "New",
        expiresAt: Math.min(family.expiresAt, end),
        absoluteExpiresAt: Math.min(family.absoluteExpiresAt || end, end),
      }

/** The expiry of a refresh token in a family: the earlier of its sliding and its absolute expiry. */
export const refreshExpiry = (client: Client, now: Instant, absoluteExpiresAt: Instant): Instant => {
  const sliding = now + client.lifetimes.refreshTokenSliding
  return absoluteExpiresAt === 0 ? sliding : Math.min(sliding, absoluteExpiresAt)
}

/** The expiry of the refresh token of a step; 0 if there is none. */
export const familyEnd = (client: Client, step: FamilyStep | undefined, now: Instant): Instant => {
  if (step === undefined) return 0
  if (step._tag === "New") return step.expiresAt
  return step._tag === "Extended" ? extendedEnd(client, step.token, now) : refreshExpiry(client, now, step.token.absoluteExpiresAt)
}

/** The fraction of the remaining time that is added to the expiry of rows in advance, so that only one of many uses writes the row. */
export const advance = 1 / 64

/**
 * The expiry of a refresh token that is used without rotation. It is at least the sliding lifetime from now. If it has to be extended, it
 * gets a little more than that, so that not every use writes its row, but never more than its family has.
 */
const extendedEnd = (client: Client, { expiresAt, absoluteExpiresAt }: RefreshToken, now: Instant): Instant => {
  if (expiresAt >= refreshExpiry(client, now, absoluteExpiresAt)) return expiresAt
  const ahead = now + client.lifetimes.refreshTokenSliding + Math.floor(client.lifetimes.refreshTokenSliding * advance)
  return absoluteExpiresAt === 0 ? ahead : Math.min(ahead, absoluteExpiresAt)
}

/** The longest lifetime of a client's tokens that refer to their grant by `jti`, because the grant must still exist to be looked up. */
export const longestLife = ({ lifetimes }: Client): Seconds => Math.max(lifetimes.accessToken, lifetimes.idToken)
