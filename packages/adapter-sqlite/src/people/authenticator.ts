import type { People } from "@postern/stores"
import { type AuthenticatorOptions, type Identities, peopleIn, type Users } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"
import type { Log } from "../database/log.ts"
import { identitiesOf } from "./identities.ts"
import { usersOf, usersRead } from "./users.ts"

/**
 * People in a SQLite database; read on the event loop's own connection where there is one. `written` takes the place of changes that requests
 * make, where another process writes for this one.
 */
export const sqliteAuthenticator = (
  database: Database,
  options: AuthenticatorOptions,
  log?: Log,
  written?: { readonly admit: Identities["admit"]; readonly rehash: Users["rehash"] },
): People => {
  const users = usersOf(database, log?.renew)
  const identities = identitiesOf(database, users)
  return peopleIn(
    { ...users, ...(log && usersRead(log)), ...(written && { rehash: written.rehash }) },
    written === undefined ? identities : { ...identities, admit: written.admit },
    options,
  )
}
