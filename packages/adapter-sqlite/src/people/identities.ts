import type { Instant, UpstreamIdentity, Verification } from "@postern/core/model"
import {
  admitted,
  freeUsername,
  type Identities,
  isTold,
  kinds,
  linkOf,
  newcomer,
  unkeepable,
  type UserRow,
  wishedUsername,
} from "@postern/stores/rows"
import type { Database } from "better-sqlite3"
import { guarded } from "../database/guarded.ts"
import { tableOf } from "../tokens/table.ts"
import type { SqliteUsers } from "./users.ts"

/** Prepares the statements on identities. */
export const identitiesOf = (database: Database, users: SqliteUsers): Identities => {
  const table = tableOf(database, kinds.identities)
  const seen = database.prepare("UPDATE identities SET last_seen = ?, provider = ? WHERE issuer = ? AND subject = ?")
  const all = database.prepare<[], [string, string]>("SELECT user_subject, provider FROM identities ORDER BY last_seen").raw()

  const provision = (identity: UpstreamIdentity, at: Instant): UserRow => {
    const isTaken = (key: string): boolean => users.findUsername(key) !== undefined
    const row = newcomer(identity, freeUsername(wishedUsername(identity), identity.provider, isTaken), at)
    if (!users.insert(row) || !table.insert(linkOf(identity, row, at))) throw new Error("a person from another provider could not be added")
    return row
  }

  // The transaction allows one writer at a time, so that the second of two concurrent first sign-ins finds the user that the first has
  // created.
  const admit = database.transaction((identity: UpstreamIdentity, tenant: string | undefined, at: Instant): Verification => {
    const link = table.find(identity.issuer, identity.subject)
    const row = link === undefined ? provision(identity, at) : users.findSubject(link.userSubject)
    const verification = admitted(row, identity, tenant)
    if (verification._tag === "Verified" && row !== undefined && link !== undefined) {
      seen.run(at, identity.provider, identity.issuer, identity.subject)
      if (isTold(row, identity)) users.refresh(row.subject, identity.claims, at)
    }
    return verification
  })

  return {
    admit: (identity, tenant, at) =>
      unkeepable(identity) ?? guarded("admit a user from another provider", () => admit.immediate(identity, tenant, at)),
    providers: () => guarded("list users", () => new Map(all.all())),
  }
}
