import { tableAuthenticator } from "@postern/stores"
import { eq } from "drizzle-orm"
import type { BetterSQLite3Database } from "drizzle-orm/better-sqlite3"
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const users = sqliteTable("users", {
  id: text().primaryKey(),
  email: text().notNull().unique(),
  name: text().notNull(),
  passwordHash: text("password_hash"),
  banned: integer().notNull(),
})

export const people = (db: BetterSQLite3Database) =>
  tableAuthenticator({
    byUsername: (email) => db.select().from(users).where(eq(users.email, email.toLowerCase())).get(),
    bySubject: (id) => db.select().from(users).where(eq(users.id, id)).get(),
    passwordHash: ({ passwordHash }) => passwordHash,
    person: ({ id, email, name, banned }) => ({ subject: id, username: email, active: banned === 0, claims: { name, email } }),
  })
