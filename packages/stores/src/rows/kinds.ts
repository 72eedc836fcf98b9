import type {
  AccessToken,
  AuthorizationCode,
  Challenge,
  ClientMetadata,
  Consent,
  Grant,
  GrantExtension,
  JsonObject,
  RefreshToken,
  RequestedClaims,
  Session,
  Successor,
} from "@postern/core/model"
import type { SigningKey } from "@postern/core/jose"
import type { ClientRow, Origin } from "../clients/clientRows.ts"
import type { IdentityRow } from "../people/identities.ts"
import type { UserOrigin, UserRow } from "../people/users.ts"
import { type Columns, flag, integer, json, optional, text, word } from "./column.ts"

const texts = json<ReadonlyArray<string>>()

/** A kind of row: its table, a column for each member, and the members that are its key. */
export interface Kind<Row> {
  readonly table: string
  readonly columns: Columns<Row>
  readonly key: ReadonlyArray<keyof Row & string>
}

const kind = <Row>(table: string, columns: Columns<Row>, key: ReadonlyArray<keyof Row & string>): Kind<Row> => ({ table, columns, key })

/** Every kind of row that is kept by column. Interactions and devices are kept whole: see `documents.ts`. */
export const kinds = {
  grants: kind<Grant>(
    "grants",
    {
      id: text,
      clientId: text,
      subject: text,
      sub: text,
      sessionId: optional(text),
      scope: texts,
      resources: texts,
      authTime: integer,
      amr: texts,
      acr: optional(text),
      nonce: optional(text),
      claims: optional(json<RequestedClaims>()),
      endsWithSession: flag,
      parentId: optional(text),
      extension: optional(json<GrantExtension>()),
      createdAt: integer,
      keepUntil: integer,
      revokedAt: optional(integer),
    },
    ["id"],
  ),
  codes: kind<AuthorizationCode>(
    "codes",
    {
      locator: text,
      digest: text,
      grantId: text,
      clientId: text,
      redirectUri: text,
      challenge: optional(json<Challenge>()),
      createdAt: integer,
      expiresAt: integer,
      consumedAt: optional(integer),
      keepUntil: integer,
    },
    ["locator"],
  ),
  accessTokens: kind<AccessToken>(
    "access_tokens",
    {
      locator: text,
      digest: text,
      grantId: optional(text),
      clientId: text,
      subject: optional(text),
      scope: texts,
      audience: texts,
      createdAt: integer,
      expiresAt: integer,
      revokedAt: optional(integer),
      keepUntil: integer,
    },
    ["locator"],
  ),
  refreshTokens: kind<RefreshToken>(
    "refresh_tokens",
    {
      locator: text,
      digest: text,
      grantId: text,
      clientId: text,
      scope: texts,
      createdAt: integer,
      expiresAt: integer,
      absoluteExpiresAt: integer,
      rotatedAt: optional(integer),
      successor: optional(json<Successor>()),
      keepUntil: integer,
    },
    ["locator"],
  ),
  sessions: kind<Session>(
    "sessions",
    {
      locator: text,
      digest: text,
      subject: text,
      authTime: integer,
      amr: texts,
      acr: optional(text),
      idp: optional(text),
      tenant: optional(text),
      agent: text,
      address: optional(text),
      createdAt: integer,
      seenAt: integer,
      expiresAt: integer,
      endedAt: optional(integer),
      keepUntil: integer,
    },
    ["locator"],
  ),
  consents: kind<Consent>("consents", { subject: text, clientId: text, scope: texts, grantedAt: integer, expiresAt: integer }, [
    "subject",
    "clientId",
  ]),
  clients: kind<ClientRow>(
    "clients",
    {
      clientId: text,
      metadata: json<ClientMetadata>(),
      secretHash: optional(text),
      secretSealed: optional(text),
      origin: word<Origin>(),
      createdAt: integer,
      updatedAt: integer,
    },
    ["clientId"],
  ),
  users: kind<UserRow>(
    "users",
    {
      subject: text,
      username: text,
      usernameKey: text,
      passwordHash: optional(text),
      claims: json<JsonObject>(),
      disabled: flag,
      tenant: optional(text),
      origin: word<UserOrigin>(),
      createdAt: integer,
      updatedAt: integer,
    },
    ["subject"],
  ),
  identities: kind<IdentityRow>(
    "identities",
    { issuer: text, subject: text, userSubject: text, provider: text, createdAt: integer, lastSeen: integer },
    ["issuer", "subject"],
  ),
  signingKeys: kind<SigningKey>(
    "signing_keys",
    {
      kid: text,
      alg: word<SigningKey["alg"]>(),
      privateJwk: text,
      publicJwk: json<SigningKey["publicJwk"]>(),
      createdAt: integer,
      activeAt: integer,
    },
    ["kid"],
  ),
}
