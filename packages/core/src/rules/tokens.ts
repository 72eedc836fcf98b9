import {
  type AccessHandle,
  type AccessTokenPlan,
  type Client,
  type Command,
  type Grant,
  type GrantExtension,
  type IdTokenPlan,
  type Json,
  type JsonObject,
  type Locator,
  type Person,
  type Seconds,
  type Settings,
  saveAccessToken,
} from "../model/index.ts"
import { releasedClaims } from "../model/index.ts"
import type { Target } from "./resource.ts"

/** What an access token says, before it has a form. */
export interface AccessTokenContent {
  readonly settings: Settings
  readonly client: Client
  readonly grant: Grant | undefined
  /** Whom it is meant for, and what it allows there. */
  readonly target: Target
  readonly now: number
  /** What an extension grant adds; the grant's own when there is one. */
  readonly extension?: GrantExtension
  /** The session behind the grant as the client knows it. */
  readonly sid: string | undefined
  readonly handle: AccessHandle
}

/** An absent value is left out of claims rather than sent as null. */
export const present = (claims: Readonly<Record<string, Json | undefined>>): JsonObject => {
  const kept: Record<string, Json> = {}
  for (const name of Object.keys(claims)) {
    const value = claims[name]
    if (value !== undefined) kept[name] = value
  }
  return kept
}

/** The life of a client's access token: shorter where an extension grant says so. */
export const accessTokenLife = ({ lifetimes }: Client, extension: GrantExtension | undefined): Seconds =>
  extension === undefined ? lifetimes.accessToken : Math.min(lifetimes.accessToken, extension.lifetime)

/** What an access token says by itself; an extension grant's claims never take the place of these. */
const usualClaims = ["iss", "sub", "aud", "client_id", "scope", "iat", "exp", "nbf", "jti", "auth_time", "acr", "amr", "sid"]

/** Names that an extension grant may not give a claim: the usual ones, what introspection adds, and `act`, which is stated apart. */
export const reservedClaims: ReadonlyArray<string> = [...usualClaims, "act", "cnf", "active", "token_type", "username"]

/** The claims of an access token beyond the usual ones. */
export const extensionClaims = (claims: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(claims).filter(([name]) => !usualClaims.includes(name)))

/** The longest life of a token of a client that tells of a grant by its `jti`: the grant must be there to be asked. */
export const longestLife = ({ lifetimes }: Client): Seconds => Math.max(lifetimes.accessToken, lifetimes.idToken)

/** A JWT's `jti` leads with its grant, so that a revoked grant is noticed. */
export const jtiOf = (grantId: Locator | undefined, unique: Locator): string => (grantId === undefined ? unique : `${grantId}.${unique}`)

/** The grant that a `jti` names; undefined for a token made for a client alone. */
export const grantOfJti = (jti: string): Locator | undefined => {
  const dot = jti.indexOf(".")
  return dot < 0 ? undefined : jti.slice(0, dot)
}

/** The unique part of an ID token's `jti` leads with this, so that it is never taken for an access token under the same `typ`. */
const ofIdToken = "id."

/** The `jti` of an ID token. */
export const idTokenJti = (grantId: Locator, unique: Locator): string => jtiOf(grantId, ofIdToken + unique)

/** Reports whether a `jti` is one of our ID tokens'. */
export const isIdTokenJti = (jti: string): boolean => jti.includes(`.${ofIdToken}`)

const single = (audience: ReadonlyArray<string>): Json => (audience.length === 1 ? (audience[0] ?? "") : audience)

/** Plans an access token in the form its client has: JWT claims (RFC 9068 §2.2), or a reference with its row. */
export const accessTokenFor = ({
  settings,
  client,
  grant,
  extension = grant?.extension,
  target: { scope, audience },
  now,
  sid,
  handle,
}: AccessTokenContent): { plan: AccessTokenPlan; commands: ReadonlyArray<Command> } => {
  const expiresAt = now + accessTokenLife(client, extension)
  if (handle.kind !== "jwt") {
    const token = {
      locator: handle.locator,
      digest: handle.digest,
      grantId: grant?.id,
      clientId: client.clientId,
      subject: grant?.subject,
      scope,
      audience,
      createdAt: now,
      expiresAt,
      revokedAt: undefined,
      keepUntil: expiresAt,
    }
    return { plan: { _tag: "Reference", value: handle.value }, commands: [saveAccessToken(token)] }
  }
  const claims = present({
    ...extension?.claims,
    iss: settings.issuer,
    sub: grant?.sub ?? client.clientId,
    aud: single(audience),
    client_id: client.clientId,
    scope: scope.join(" "),
    iat: now,
    exp: expiresAt,
    jti: jtiOf(grant?.id, handle.locator),
    auth_time: grant?.authTime,
    acr: grant?.acr,
    amr: grant === undefined || grant.amr.length === 0 ? undefined : grant.amr,
    sid,
  })
  return { plan: { _tag: "Jwt", alg: client.accessTokenSignedResponseAlg, typ: client.accessTokenTyp, claims }, commands: [] }
}

/** What an ID token says, before it is signed. */
export interface IdTokenContent {
  readonly settings: Settings
  readonly client: Client
  readonly grant: Grant
  readonly person: Person
  readonly scope: ReadonlyArray<string>
  readonly now: number
  readonly nonce: string | undefined
  /** The session behind the grant as the client knows it. */
  readonly sid: string | undefined
  /** The unique part of its `jti`, which it may share with the access token beside it. */
  readonly unique: Locator
  /** True if no access token is issued that could fetch the person's claims: then they are here (OpenID Connect Core §5.4). */
  readonly alone: boolean
}

/** Plans an ID token (OpenID Connect Core §2). Hashes that bind it are added when it is signed. */
export const idTokenFor = ({ settings, client, grant, person, scope, now, nonce, sid, unique, alone }: IdTokenContent): IdTokenPlan => ({
  alg: client.idTokenSignedResponseAlg,
  encryption: client.idTokenEncryption && { ...client.idTokenEncryption, keys: client.keys },
  claims: present({
    ...releasedClaims(
      settings.catalogue,
      {
        scope: alone || client.idTokenUserClaims ? scope : [],
        names: grant.claims?.idToken ?? [],
        locales: grant.claims?.locales ?? [],
      },
      person.claims,
    ),
    iss: settings.issuer,
    sub: grant.sub,
    aud: client.clientId,
    exp: now + client.lifetimes.idToken,
    iat: now,
    jti: jtiOf(grant.id, ofIdToken + unique),
    auth_time: grant.authTime,
    nonce,
    acr: grant.acr,
    amr: grant.amr,
    sid,
  }),
})

/** When a refresh token of a family ends: the nearer of its sliding and its absolute end. */
export const refreshExpiry = (client: Client, now: number, absoluteExpiresAt: number): number => {
  const sliding = now + client.lifetimes.refreshTokenSliding
  return absoluteExpiresAt === 0 ? sliding : Math.min(sliding, absoluteExpiresAt)
}
