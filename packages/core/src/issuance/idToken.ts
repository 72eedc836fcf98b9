import type { Client, Grant, IdTokenPlan, Instant, Locator, Person, Settings } from "../model/index.ts"
import { releasedClaims } from "../model/index.ts"
import { stillClaimable } from "../rules/claims.ts"
import { idTokenJti, present } from "../rules/tokens.ts"

/** The content of an ID token, before it is signed. */
export interface IdTokenContent {
  readonly settings: Settings
  readonly client: Client
  readonly grant: Grant
  readonly person: Person
  readonly scope: ReadonlyArray<string>
  readonly now: Instant
  readonly nonce: string | undefined
  /** The `sid` of the grant's session for the client. */
  readonly sid: string | undefined
  /** The unique part of its `jti`, which it may share with the access token issued with it. */
  readonly unique: Locator
  /**
   * True if no access token is issued with which the person's claims could be fetched. The ID token then contains them (OpenID Connect Core
   * §5.4).
   */
  readonly alone: boolean
}

/** Plans an ID token (OpenID Connect Core §2). The hashes that bind it are added when it is signed. */
export const idTokenFor = ({ settings, client, grant, person, scope, now, nonce, sid, unique, alone }: IdTokenContent): IdTokenPlan => ({
  alg: client.idTokenSignedResponseAlg,
  encryption: client.idTokenEncryption && { ...client.idTokenEncryption, keys: client.keys },
  claims: present({
    ...releasedClaims(
      settings.catalog,
      {
        scope: alone || client.idTokenUserClaims ? scope : [],
        names: stillClaimable(settings.catalog, client, grant.claims?.idToken),
        locales: grant.claims?.locales ?? [],
      },
      person.claims,
    ),
    iss: settings.issuer,
    sub: grant.sub,
    aud: client.clientId,
    exp: now + client.lifetimes.idToken,
    iat: now,
    jti: idTokenJti(grant.id, unique),
    auth_time: grant.authTime,
    nonce,
    acr: grant.acr,
    amr: grant.amr,
    sid,
  }),
})
