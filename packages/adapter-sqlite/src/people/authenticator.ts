import { refuseDatabase } from "../database/refuseDatabase.ts"
import type { People } from "@postern/stores"
import { absentSubjects, type AuthenticatorOptions, type Identities, peopleIn, type Users } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"
import type { Log } from "../database/log.ts"
import { identitiesOf } from "./identities.ts"
import { usersOf, usersRead } from "./users.ts"

/**
 * Keeps people in a SQLite database. With `log`, people are read on the event loop's own connection, and unknown subjects are remembered.
 * `written` replaces the changes that requests make, if another process writes for this one.
 */
export const sqliteAuthenticator = (
  database: Database,
  options: AuthenticatorOptions,
  log?: Log,
  written?: { readonly admit: Identities["admit"]; readonly rehash: Users["rehash"] },
): People => {
  refuseDatabase("sqliteAuthenticator", database, (options as AuthenticatorOptions | undefined) ?? null)
  let forget = (): void => undefined
  const users = usersOf(database, () => {
    log?.renew()
    forget()
  })
  const identities = identitiesOf(database, users)
  const served = (reads: Log): Pick<Users, "findSubject" | "findUsername"> => {
    const { findSubject, findUsername, revision } = usersRead(reads)
    const absent = absentSubjects(findSubject, revision)
    forget = absent.forget
    return { findSubject: absent.find, findUsername }
  }
  return peopleIn(
    { ...users, ...(log && served(log)), ...(written && { rehash: written.rehash }) },
    written === undefined ? identities : { ...identities, admit: written.admit },
    options,
  )
}
