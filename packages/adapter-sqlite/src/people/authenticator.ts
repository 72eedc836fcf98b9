import type { People } from "@postern/stores"
import { type AuthenticatorOptions, peopleIn } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"
import { identitiesOf } from "./identities.ts"
import { usersOf } from "./users.ts"

/** People in a SQLite database. */
export const sqliteAuthenticator = (database: Database, options: AuthenticatorOptions): People => {
  const users = usersOf(database)
  return peopleIn(users, identitiesOf(database, users), options)
}
