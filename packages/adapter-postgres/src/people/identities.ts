import type { Instant, UpstreamIdentity, Verification } from "@postern/core/model"
import { StoreUnavailable } from "@postern/stores"
import {
  admitted,
  type Identities,
  isTold,
  kinds,
  linkOf,
  newcomer,
  parameter,
  unkeepable,
  usernameKey,
  usernamesFor,
  type UserRow,
  wishedUsername,
} from "@postern/stores/rows"
import type { Database } from "../database/connect.ts"
import { tableOf } from "../tokens/table.ts"
import { type PostgresUsers, countUp } from "./users.ts"

const operation = "admit a user from another provider"

/** The maximum number of attempts at a first sign-in while others take its username. */
const tries = 10

/** Prepares the statements on identities. */
export const identitiesOf = (database: Database, users: PostgresUsers): Identities => {
  const table = tableOf(database, kinds.identities)
  const given = (name: string): string => `SELECT * FROM jsonb_populate_record(NULL::postern.${name}, $1::text::jsonb)`

  const freeName = async (identity: UpstreamIdentity): Promise<string> => {
    for (const username of usernamesFor(wishedUsername(identity), identity.provider)) {
      if ((await users.findUsername(usernameKey(username))) === undefined) return username
    }
    throw new Error("there is no end of usernames")
  }
  /** Adds the person and the link, or neither if a concurrent sign-in has added one of them. */
  const provision = async (identity: UpstreamIdentity, at: Instant): Promise<UserRow | undefined> => {
    const row = newcomer(identity, await freeName(identity), at)
    const added = await database.transact(operation, [
      { sql: countUp },
      {
        sql: `INSERT INTO postern.identities ${given("identities")} ON CONFLICT DO NOTHING`,
        params: [JSON.stringify(table.write(linkOf(identity, row, at)))],
        guards: true,
      },
      { sql: `INSERT INTO postern.users ${given("users")} ON CONFLICT DO NOTHING`, params: [users.written(row)], guards: true },
    ])
    users.added()
    return added ? row : undefined
  }
  const told = async (row: UserRow, identity: UpstreamIdentity, at: Instant): Promise<void> => {
    const { provider, issuer, subject, claims } = identity
    await database.write(
      operation,
      `WITH told AS (UPDATE postern.users SET claims = $5, updated_at = $6 WHERE subject = $7 AND $8)
      UPDATE postern.identities SET last_seen = $1, provider = $2 WHERE issuer = $3 AND subject = $4`,
      [...[at, provider, issuer, subject, JSON.stringify(claims), at, row.subject].map(parameter), isTold(row, identity)],
    )
    users.told()
  }

  return {
    admit: async (identity, tenant, at): Promise<Verification> => {
      const refused = unkeepable(identity)
      if (refused !== undefined) return refused
      for (let each = 0; each < tries; each++) {
        const link = await table.find(operation, identity.issuer, identity.subject)
        const row = link === undefined ? await provision(identity, at) : await users.findSubject(link.userSubject)
        if (link === undefined && row === undefined) continue
        const verification = admitted(row, identity, tenant)
        if (verification._tag === "Verified" && row !== undefined && link !== undefined) await told(row, identity, at)
        return verification
      }
      throw new StoreUnavailable(operation, "CONFLICT")
    },
    providers: async () => {
      const rows = await table.list("list users", `SELECT ${table.selected} FROM ${table.name} ORDER BY last_seen`)
      return new Map(rows.map(({ userSubject, provider }) => [userSubject, provider]))
    },
  }
}
