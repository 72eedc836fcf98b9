import type { Awaitable } from "@postern/core/ports"
import {
  absentSubjects,
  freeUsername,
  kinds,
  parameter,
  type Stored,
  subjectTaken,
  usernameKey,
  type UserRow,
  type Users,
} from "@postern/stores/rows"
import type { Database, Result, Statement } from "../database/connect.ts"
import { Violated } from "../database/failure.ts"
import type { ReadAhead } from "../database/readAhead.ts"
import { tableOf } from "../tokens/table.ts"

/** Increments the revision of people. */
export const countUp = "UPDATE postern.revisions SET value = value + 1 WHERE name = 'users'"

/** The prefix of a change that increments the revision in the same statement and therefore in the same transaction. */
const counting = `WITH counted AS (${countUp})`

/** User rows with the operations that linking to other providers needs. */
export interface PostgresUsers extends Users {
  readonly findSubject: (subject: string) => Awaitable<UserRow | undefined>
  /** Must be called after other code has added a person. */
  readonly added: () => void
  /** Must be called after other code has changed a person's claims. */
  readonly told: () => void
  readonly findUsername: (usernameKey: string) => Promise<UserRow | undefined>
  /** Encodes a row for `jsonb_populate_record`. */
  readonly written: (row: UserRow) => string
}

/** Prepares the statements on people. */
export const usersOf = (database: Database, people?: ReadAhead): PostgresUsers => {
  const table = tableOf(database, kinds.users)
  const given = (at: number): string => `SELECT * FROM jsonb_populate_recordset(NULL::${table.name}, $${at}::text::jsonb)`
  const written = (rows: ReadonlyArray<UserRow>): string => JSON.stringify(rows.map(table.write))
  const change = async (operation: string, sql: string, params: ReadonlyArray<Stored>): Promise<Result> => {
    try {
      return await database.write(operation, `${counting} ${sql}`, params.map(parameter))
    } finally {
      forget()
    }
  }
  const revision = async (): Promise<number> => {
    const [[value] = []] = await database.read("list users", "SELECT value FROM postern.revisions WHERE name = 'users'")
    return Number(value)
  }
  const absent = absentSubjects(table.lookup("read a user"), revision)
  /** Forgets the people read ahead and the subjects known to be absent. */
  const forget = (): void => {
    absent.forget()
    people?.forget()
  }
  const changed = async (sql: string, params: ReadonlyArray<Stored>): Promise<boolean> =>
    (await change("change a user", sql, params)).count === 1

  /** Returns the first of these people whose subject belongs to another person. */
  const taken = async (rows: ReadonlyArray<UserRow>): Promise<UserRow | undefined> => {
    const subjects = rows.map(({ subject }) => parameter(subject))
    const found = await table.list(
      "list users",
      `SELECT ${table.selected} FROM ${table.name} WHERE subject IN (${places(subjects)})`,
      subjects,
    )
    return rows.find((row) => found.some(({ subject, usernameKey }) => subject === row.subject && usernameKey !== row.usernameKey))
  }

  /** Renames people from other providers who have a declared username. The revision detects concurrent changes. */
  const makeWay = async (rows: ReadonlyArray<UserRow>): Promise<ReadonlyArray<Statement>> => {
    const keys = rows.map((row) => parameter(row.usernameKey))
    if (keys.length === 0) return []
    const inTheWay = await table.list(
      "list users",
      `SELECT ${table.selected} FROM ${table.name} WHERE origin = 'upstream' AND username_key IN (${places(keys)})`,
      keys,
    )
    if (inTheWay.length === 0) return []
    const stored = await table.list("list users", `SELECT ${table.selected} FROM ${table.name}`)
    const taken = new Set([...stored, ...rows].map((row) => row.usernameKey))
    return inTheWay.map((row) => {
      const username = freeUsername(row.username, "moved", (key) => taken.has(key))
      taken.add(usernameKey(username))
      const params = [username, usernameKey(username), row.usernameKey].map(parameter)
      return { sql: `UPDATE ${table.name} SET username = $1, username_key = $2 WHERE username_key = $3`, params }
    })
  }

  return {
    findSubject: (subject) => {
      const read = people?.take(subject)
      return read === undefined ? absent.find(subject) : table.read("read a user", read)
    },
    added: absent.forget,
    told: () => people?.forget(),
    findUsername: async (key) =>
      (await table.list("read a user", `SELECT ${table.selected} FROM ${table.name} WHERE username_key = $1`, [key]))[0],
    all: () => table.list("list users", `SELECT ${table.selected} FROM ${table.name} ORDER BY username_key`),
    insert: async (row) =>
      (await change("add a user", `INSERT INTO ${table.name} ${given(1)} ON CONFLICT DO NOTHING`, [written([row])])).count === 1,
    disable: (key, disabled, at) =>
      changed(`UPDATE ${table.name} SET disabled = $1, updated_at = $2 WHERE username_key = $3`, [disabled ? 1 : 0, at, key]),
    setPassword: (key, passwordHash, at) =>
      changed(`UPDATE ${table.name} SET password_hash = $1, updated_at = $2 WHERE username_key = $3`, [passwordHash, at, key]),
    rehash: async (subject, before, after) => {
      await database.write(
        "renew a password hash",
        `UPDATE ${table.name} SET password_hash = $1 WHERE subject = $2 AND password_hash = $3`,
        [after, subject, before].map(parameter),
      )
    },
    remove: async (key) => {
      const sql = `, unlinked AS (
        DELETE FROM postern.identities WHERE user_subject IN (SELECT subject FROM ${table.name} WHERE username_key = $1))
        DELETE FROM ${table.name} WHERE username_key = $1`
      return (await change("remove a user", sql, [key])).count === 1
    },
    written: (row) => JSON.stringify(table.write(row)),
    revision,
    agree: async (rows, removed, revision) => {
      const keys = [...removed, ...rows.map((row) => row.usernameKey)].map(parameter)
      const moved = await makeWay(rows)
      try {
        return await database.transact("write declared users", [
          { sql: "UPDATE postern.revisions SET value = value + 1 WHERE name = 'users' AND value = $1", params: [revision], guards: true },
          ...moved,
          { sql: `DELETE FROM ${table.name} WHERE username_key = ANY($1::text[])`, params: [keys] },
          { sql: `INSERT INTO ${table.name} ${given(1)}`, params: [written(rows)] },
        ])
      } catch (error) {
        const row = error instanceof Violated ? await taken(rows) : undefined
        throw row === undefined ? error : subjectTaken(row)
      } finally {
        forget()
      }
    },
  }
}

const places = (params: ReadonlyArray<unknown>): string => params.map((_, at) => `$${at + 1}`).join(", ")
