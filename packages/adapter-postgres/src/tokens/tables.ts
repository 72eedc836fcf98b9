import type { AccessToken, AuthorizationCode, Consent, Grant, RefreshToken, Session } from "@postern/core/model"
import { kinds } from "@postern/stores/rows"
import type { Database } from "../database/connect.ts"
import { type Table, tableOf } from "./table.ts"

/** Every table of rows with a column for each member. */
export interface Tables {
  readonly grants: Table<Grant>
  readonly codes: Table<AuthorizationCode>
  readonly accessTokens: Table<AccessToken>
  readonly refreshTokens: Table<RefreshToken>
  readonly sessions: Table<Session>
  readonly consents: Table<Consent>
}

/** The tables of a database. */
export const tablesOf = (database: Database): Tables => ({
  grants: tableOf(database, kinds.grants),
  codes: tableOf(database, kinds.codes),
  accessTokens: tableOf(database, kinds.accessTokens),
  refreshTokens: tableOf(database, kinds.refreshTokens),
  sessions: tableOf(database, kinds.sessions),
  consents: tableOf(database, kinds.consents),
})
