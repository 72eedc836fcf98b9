import {
  type AccessHandle,
  type AccessTokenPlan,
  type Client,
  type Command,
  type Confirmation,
  type Grant,
  type GrantExtension,
  type Instant,
  type Json,
  type JsonObject,
  type Seconds,
  type Settings,
  saveAccessToken,
} from "../model/index.ts"
import type { Target } from "../rules/resource.ts"
import { authTimeOf, jtiOf, present } from "../rules/tokens.ts"

/** The content of an access token, independent of its format. */
export interface AccessTokenContent {
  readonly settings: Settings
  readonly client: Client
  /** Undefined for a token of the client itself. */
  readonly grant: Grant | undefined
  /** Claims added by an extension grant. */
  readonly extension: GrantExtension | undefined
  /** Its audience, and its scope for that audience. */
  readonly target: Target
  /** Its authorization details (RFC 9396 §9). */
  readonly details?: ReadonlyArray<JsonObject> | undefined
  readonly confirmation: Confirmation | undefined
  readonly now: Instant
  /** The `sid` of the grant's session for the client. */
  readonly sid: string | undefined
  readonly handle: AccessHandle
}

/** The lifetime of a client's access token, which an extension grant may shorten. */
export const accessTokenLife = ({ lifetimes }: Client, extension: GrantExtension | undefined): Seconds =>
  extension === undefined ? lifetimes.accessToken : Math.min(lifetimes.accessToken, extension.lifetime)

const someOf = (details: ReadonlyArray<JsonObject> | undefined): ReadonlyArray<JsonObject> | undefined =>
  details === undefined || details.length === 0 ? undefined : details

const single = (audience: ReadonlyArray<string>): Json => (audience.length === 1 ? (audience[0] ?? "") : audience)

/** Plans an access token in the client's format: JWT claims (RFC 9068 §2.2), or a reference with its row. */
export const accessTokenFor = (content: AccessTokenContent): { plan: AccessTokenPlan; commands: ReadonlyArray<Command> } => {
  const { settings, client, grant, extension, target, details, confirmation, now, sid, handle } = content
  const { scope, audience } = target
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
      confirmation,
      authorizationDetails: someOf(details),
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
    scope: scope.length === 0 ? undefined : scope.join(" "),
    iat: now,
    exp: expiresAt,
    jti: jtiOf(grant?.id, handle.locator),
    auth_time: grant && authTimeOf(grant),
    acr: grant?.acr,
    amr: grant === undefined || grant.amr.length === 0 ? undefined : grant.amr,
    sid,
    cnf: confirmation,
    authorization_details: someOf(details),
  })
  return { plan: { _tag: "Jwt", alg: client.accessTokenSignedResponseAlg, typ: client.accessTokenTyp, claims }, commands: [] }
}
