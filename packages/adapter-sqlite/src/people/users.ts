import type { Instant, JsonObject, Person } from "@postern/core/model"
import type { Database } from "better-sqlite3"
import type { Origin } from "../clients/clientRows.ts"
import { AlreadyExists } from "../database/errors.ts"
import { type Stored, flag, integer, json, optional, tableOf, text, word } from "../tokens/table.ts"

/** Where a person comes from: the configuration, a command, or another provider that vouched for them. */
export type UserOrigin = Origin | "upstream"

/** A person as they are stored. */
export interface UserRow {
  readonly subject: string
  /** As it was written when the person was added. */
  readonly username: string
  /** As it is compared: {@link usernameKey}. */
  readonly usernameKey: string
  readonly passwordHash: string | undefined
  readonly claims: JsonObject
  readonly disabled: boolean
  /** The only tenant they sign in to; undefined is any. */
  readonly tenant: string | undefined
  readonly origin: UserOrigin
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** Reads and changes stored people. */
export interface Users {
  readonly findSubject: (subject: string) => UserRow | undefined
  readonly findUsername: (usernameKey: string) => UserRow | undefined
  readonly all: () => ReadonlyArray<UserRow>
  /** False when the subject or the username exists. */
  readonly insert: (row: UserRow) => boolean
  /** Whether there was one to disable or enable. */
  readonly disable: (usernameKey: string, disabled: boolean, at: Instant) => boolean
  readonly setPassword: (usernameKey: string, passwordHash: string, at: Instant) => boolean
  /** Replaces a hash by another of the same password, unless the password was changed meanwhile. */
  readonly rehash: (subject: string, before: string, after: string) => void
  /** Their links to other providers go with them. */
  readonly remove: (usernameKey: string) => boolean
  /** What another provider says of them now. */
  readonly refresh: (subject: string, claims: JsonObject, at: Instant) => void
  /** Writes people whole and removes others, together. Who came from another provider makes way for a username that is declared. */
  readonly agree: (written: ReadonlyArray<UserRow>, removed: ReadonlyArray<string>) => void
}

/** How usernames are compared: by compatibility form, without regard to case or surrounding space. */
export const usernameKey = (username: string): string => username.normalize("NFKC").trim().toLowerCase().normalize("NFKC")

/** The first of some usernames that nobody has: the one wished for, then others made of it and of where the person comes from. */
export const freeUsername = (wished: string, provider: string, isTaken: (usernameKey: string) => boolean): string => {
  const base = wished.slice(0, 120)
  for (let count = 0; ; count++) {
    const username = count === 0 ? base : count === 1 ? `${base} (${provider})` : `${base} (${provider} ${count})`
    if (!isTaken(usernameKey(username))) return username
  }
}

/** The person a row describes. */
export const personOf = ({ subject, username, claims, disabled }: UserRow): Person => ({ subject, username, active: !disabled, claims })

/** Prepares the statements on people. */
export const usersOf = (database: Database): Users => {
  const table = tableOf<UserRow>(
    database,
    "users",
    {
      subject: text,
      username: text,
      usernameKey: text,
      passwordHash: optional(text),
      claims: json<JsonObject>(),
      disabled: flag,
      tenant: optional(text),
      origin: word<UserOrigin>(),
      createdAt: integer,
      updatedAt: integer,
    },
    ["subject"],
  )
  const byUsername = database.prepare<[string], Array<Stored>>(`SELECT ${table.selected} FROM users WHERE username_key = ?`).raw()
  const all = database.prepare<[], Array<Stored>>(`SELECT ${table.selected} FROM users ORDER BY username_key`).raw()
  const disable = database.prepare("UPDATE users SET disabled = ?, updated_at = ? WHERE username_key = ?")
  const setPassword = database.prepare("UPDATE users SET password_hash = ?, updated_at = ? WHERE username_key = ?")
  const rehash = database.prepare("UPDATE users SET password_hash = ? WHERE subject = ? AND password_hash = ?")
  const remove = database.prepare("DELETE FROM users WHERE username_key = ?")
  const unlink = database.prepare("DELETE FROM identities WHERE user_subject IN (SELECT subject FROM users WHERE username_key = ?)")
  const rename = database.prepare("UPDATE users SET username = ?, username_key = ? WHERE username_key = ?")
  const refresh = database.prepare("UPDATE users SET claims = ?, updated_at = ? WHERE subject = ?")
  const findUsername = (key: string): UserRow | undefined => {
    const stored = byUsername.get(key)
    return stored === undefined ? undefined : table.read(stored)
  }
  const makeWay = (key: string): void => {
    const found = findUsername(key)
    if (found?.origin !== "upstream") return
    const username = freeUsername(found.username, "moved", (other) => findUsername(other) !== undefined)
    rename.run(username, usernameKey(username), key)
  }
  const removeOne = database.transaction((key: string): boolean => {
    unlink.run(key)
    return remove.run(key).changes === 1
  })
  const agree = database.transaction((written: ReadonlyArray<UserRow>, removed: ReadonlyArray<string>): void => {
    for (const row of written) makeWay(row.usernameKey)
    for (const key of [...removed, ...written.map((row) => row.usernameKey)]) remove.run(key)
    for (const row of written) {
      if (!table.insert(row)) throw new AlreadyExists(`the subject ${row.subject} of user ${row.username} belongs to another user`)
    }
  })
  return {
    findSubject: (subject) => table.find(subject),
    findUsername,
    all: () => all.all().map(table.read),
    insert: (row) => table.insert(row),
    disable: (key, disabled, at) => disable.run(disabled ? 1 : 0, at, key).changes === 1,
    setPassword: (key, passwordHash, at) => setPassword.run(passwordHash, at, key).changes === 1,
    rehash: (subject, before, after) => void rehash.run(after, subject, before),
    remove: (key) => removeOne.immediate(key),
    refresh: (subject, claims, at) => void refresh.run(JSON.stringify(claims), at, subject),
    agree: (written, removed) => agree.immediate(written, removed),
  }
}
