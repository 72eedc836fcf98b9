import type { People } from "@postern/stores"
import { type AuthenticatorOptions, peopleIn } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"
import type { Log } from "../database/log.ts"
import { identitiesOf } from "./identities.ts"
import { usersOf, usersRead } from "./users.ts"

/** People in a SQLite database; read on the event loop's own connection where there is one. */
export const sqliteAuthenticator = (database: Database, options: AuthenticatorOptions, log?: Log): People => {
  const users = usersOf(database, log?.renew)
  return peopleIn(log === undefined ? users : { ...users, ...usersRead(log) }, identitiesOf(database, users), options)
}
