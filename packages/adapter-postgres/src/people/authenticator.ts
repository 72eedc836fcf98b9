import type { People } from "@postern/stores"
import { type AuthenticatorOptions, peopleIn } from "@postern/stores/rows"
import type { Database } from "../database/connect.ts"
import { identitiesOf } from "./identities.ts"
import { usersOf } from "./users.ts"

/** People in a PostgreSQL database. */
export const postgresAuthenticator = (database: Database, options: AuthenticatorOptions): People => {
  const users = usersOf(database)
  return peopleIn(users, identitiesOf(database, users), options)
}
