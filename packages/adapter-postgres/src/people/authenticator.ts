import { kindFault, partFaults, refuseFaults } from "@postern/core/options"
import type { People } from "@postern/stores"
import { type AuthenticatorOptions, peopleIn } from "@postern/stores/rows"
import type { Database } from "../database/connect.ts"
import type { ReadAhead } from "../database/readAhead.ts"
import { identitiesOf } from "./identities.ts"
import { usersOf } from "./users.ts"

/** Keeps people in a PostgreSQL database. */
export const postgresAuthenticator = (database: Database, options: AuthenticatorOptions, people?: ReadAhead): People => {
  refuseFaults(
    "postgresAuthenticator",
    partFaults("database", database, { write: "function" }, "Database"),
    kindFault("options", options, "object"),
  )
  const users = usersOf(database, people)
  return peopleIn(users, identitiesOf(database, users), options)
}
