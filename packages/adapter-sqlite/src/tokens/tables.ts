import type {
  AccessToken,
  AuthorizationCode,
  Challenge,
  Consent,
  Grant,
  GrantExtension,
  RefreshToken,
  RequestedClaims,
  Session,
  Successor,
} from "@postern/core/model"
import type { Database } from "better-sqlite3"
import { type Table, flag, integer, json, optional, tableOf, text } from "./table.ts"

const texts = json<ReadonlyArray<string>>()

/** Every table of rows with a column for each member. */
export interface Tables {
  readonly grants: Table<Grant>
  readonly codes: Table<AuthorizationCode>
  readonly accessTokens: Table<AccessToken>
  readonly refreshTokens: Table<RefreshToken>
  readonly sessions: Table<Session>
  readonly consents: Table<Consent>
}

/** Prepares the tables of a database. */
export const tablesOf = (database: Database): Tables => ({
  grants: tableOf<Grant>(
    database,
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
  codes: tableOf<AuthorizationCode>(
    database,
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
  accessTokens: tableOf<AccessToken>(
    database,
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
  refreshTokens: tableOf<RefreshToken>(
    database,
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
  sessions: tableOf<Session>(
    database,
    "sessions",
    {
      locator: text,
      digest: text,
      subject: text,
      authTime: integer,
      amr: texts,
      acr: optional(text),
      idp: optional(text),
      agent: text,
      createdAt: integer,
      seenAt: integer,
      expiresAt: integer,
      endedAt: optional(integer),
      keepUntil: integer,
    },
    ["locator"],
  ),
  consents: tableOf<Consent>(
    database,
    "consents",
    { subject: text, clientId: text, scope: texts, grantedAt: integer, expiresAt: integer },
    ["subject", "clientId"],
  ),
})
