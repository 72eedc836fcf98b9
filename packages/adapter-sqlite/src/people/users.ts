import type { Instant, JsonObject } from "@postern/core/model"
import { freeUsername, kinds, type Stored, subjectTaken, usernameKey, type UserRow, type Users } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"
import { guarded } from "../database/guarded.ts"
import type { Log } from "../database/log.ts"
import { tableOf } from "../tokens/table.ts"

/** User rows with synchronous reads. */
export interface SqliteUsers extends Users {
  readonly findSubject: (subject: string) => UserRow | undefined
  readonly findUsername: (usernameKey: string) => UserRow | undefined
  readonly insert: (row: UserRow) => boolean
  /** Replaces the claims of a person from another provider. */
  readonly refresh: (subject: string, claims: JsonObject, at: Instant) => void
}

/** Reads people on the event loop's own connection, in the snapshot of the turn, so that the revision and the rows belong together. */
export const usersRead = ({ database, reading }: Log): Pick<SqliteUsers, "findSubject" | "findUsername" | "revision"> => {
  const bySubject = tableOf(database, kinds.users)
  const byUsername = tableOf(database, { ...kinds.users, key: ["usernameKey"] })
  const revision = revisionIn(database)
  const read = <A>(operation: string, run: () => A): A =>
    guarded(operation, () => {
      reading()
      return run()
    })
  return {
    findSubject: (subject) => read("read a user", () => bySubject.find(subject)),
    findUsername: (key) => read("read a user", () => byUsername.find(key)),
    revision: () => read("list users", revision),
  }
}

const revisionIn = (database: Database): (() => number) => {
  const revision = database.prepare<[], number>("SELECT value FROM revisions WHERE name = 'users'").pluck()
  return () => revision.get() ?? 0
}

/** Prepares the statements on people. `written` is called after each change. */
export const usersOf = (database: Database, written: () => void = () => undefined): SqliteUsers => {
  const table = tableOf(database, kinds.users)
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
  const removeOne = (key: string): boolean => {
    unlink.run(key)
    return remove.run(key).changes === 1
  }
  const revision = revisionIn(database)
  const countUp = database.prepare("UPDATE revisions SET value = value + 1 WHERE name = 'users'")
  const changing = <A>(operation: string, change: () => A): A => {
    try {
      return guarded(operation, change)
    } finally {
      written()
    }
  }
  const counted = <A>(operation: string, change: () => A): A => {
    const transaction = database.transaction((): A => {
      countUp.run()
      return change()
    })
    return changing(operation, () => transaction.immediate())
  }
  const agree = database.transaction((written: ReadonlyArray<UserRow>, removed: ReadonlyArray<string>, seen: number): boolean => {
    if (revision() !== seen) return false
    countUp.run()
    for (const row of written) makeWay(row.usernameKey)
    for (const key of [...removed, ...written.map((row) => row.usernameKey)]) remove.run(key)
    for (const row of written) {
      if (!table.insert(row)) throw subjectTaken(row)
    }
    return true
  })
  const changed = (run: () => { readonly changes: number }): boolean => counted("change a user", run).changes === 1
  return {
    findSubject: (subject) => guarded("read a user", () => table.find(subject)),
    findUsername: (key) => guarded("read a user", () => findUsername(key)),
    all: () => guarded("list users", () => all.all().map(table.read)),
    insert: (row) => counted("add a user", () => table.insert(row)),
    disable: (key, disabled, at) => changed(() => disable.run(disabled ? 1 : 0, at, key)),
    setPassword: (key, passwordHash, at) => changed(() => setPassword.run(passwordHash, at, key)),
    rehash: (subject, before, after) => void changing("renew a password hash", () => rehash.run(after, subject, before)),
    remove: (key) => counted("remove a user", () => removeOne(key)),
    revision: () => guarded("list users", revision),
    agree: (written, removed, seen) => changing("write declared users", () => agree.immediate(written, removed, seen)),
    refresh: (subject, claims, at) => void changing("write a user", () => refresh.run(JSON.stringify(claims), at, subject)),
  }
}
