import { type Client, type Instant, type RefreshToken, type Seconds, offlineAccess } from "../model/index.ts"

/** The beginning of a family of refresh tokens. */
export interface Family {
  readonly _tag: "New"
  /** The first one's end. */
  readonly expiresAt: Instant
  /** The family's end; 0 is none. */
  readonly absoluteExpiresAt: Instant
}

/** The step of a family: it begins, its newest token gives way to the next, stays, or gives its successor again whose answer was lost. */
export type FamilyStep =
  | Family
  | { readonly _tag: "Rotated"; readonly token: RefreshToken; /** The secret of the token as it was presented. */ readonly secret: string }
  | { readonly _tag: "Extended"; readonly token: RefreshToken; /** The token as it was presented. */ readonly value: string }
  | { readonly _tag: "Repeated"; readonly token: RefreshToken; /** The successor, as it is given away. */ readonly successor: string }

/** The family a grant begins; undefined where no refresh token is due (OpenID Connect Core §11). */
export const familyOf = (client: Client, scope: ReadonlyArray<string>, now: Instant): Family | undefined => {
  if (!scope.includes(offlineAccess) || !client.grantTypes.includes("refresh_token")) return undefined
  const { refreshTokenAbsolute } = client.lifetimes
  const absoluteExpiresAt = refreshTokenAbsolute === 0 ? 0 : now + refreshTokenAbsolute
  return { _tag: "New", expiresAt: refreshExpiry(client, now, absoluteExpiresAt), absoluteExpiresAt }
}

/** The family of a grant that came of another, which ends no later than that one's may (RFC 9700 §4.14.2); `end` is 0 for none. */
export const familyWithin = (family: Family | undefined, end: Instant): Family | undefined =>
  family === undefined || end === 0
    ? family
    : {
        _tag: "New",
        expiresAt: Math.min(family.expiresAt, end),
        absoluteExpiresAt: Math.min(family.absoluteExpiresAt || end, end),
      }

/** The end of a refresh token of a family: the nearer of its sliding and its absolute end. */
export const refreshExpiry = (client: Client, now: Instant, absoluteExpiresAt: Instant): Instant => {
  const sliding = now + client.lifetimes.refreshTokenSliding
  return absoluteExpiresAt === 0 ? sliding : Math.min(sliding, absoluteExpiresAt)
}

/** The end of a step's refresh token; 0 where there is none. */
export const familyEnd = (client: Client, step: FamilyStep | undefined, now: Instant): Instant => {
  if (step === undefined) return 0
  if (step._tag === "New") return step.expiresAt
  return step._tag === "Extended" ? extendedEnd(client, step.token, now) : refreshExpiry(client, now, step.token.absoluteExpiresAt)
}

/** The part of the time ahead that rows get in advance, so that of many uses one writes. */
export const advance = 1 / 64

/**
 * The end of a refresh token that stays and was used: its sliding life from now at least. Where it would end before, it gets a little more than that,
 * so that not each use writes its row, but never more than its family has.
 */
const extendedEnd = (client: Client, { expiresAt, absoluteExpiresAt }: RefreshToken, now: Instant): Instant => {
  if (expiresAt >= refreshExpiry(client, now, absoluteExpiresAt)) return expiresAt
  const ahead = now + client.lifetimes.refreshTokenSliding + Math.floor(client.lifetimes.refreshTokenSliding * advance)
  return absoluteExpiresAt === 0 ? ahead : Math.min(ahead, absoluteExpiresAt)
}

/** The longest life of a token of a client that tells of a grant by its `jti`: the grant must be there to be asked. */
export const longestLife = ({ lifetimes }: Client): Seconds => Math.max(lifetimes.accessToken, lifetimes.idToken)
