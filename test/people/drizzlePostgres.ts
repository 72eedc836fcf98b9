import { tableAuthenticator } from "@postern/stores"
import { eq } from "drizzle-orm"
import type { NodePgDatabase } from "drizzle-orm/node-postgres"
import { integer, pgTable, text } from "drizzle-orm/pg-core"

export const users = pgTable("users", {
  id: text().primaryKey(),
  email: text().notNull().unique(),
  name: text().notNull(),
  passwordHash: text("password_hash"),
  banned: integer().notNull(),
})

export const people = (db: NodePgDatabase) => {
  const one = async (condition: ReturnType<typeof eq>) => (await db.select().from(users).where(condition).limit(1))[0]
  return tableAuthenticator({
    byUsername: (email) => one(eq(users.email, email.toLowerCase())),
    bySubject: (id) => one(eq(users.id, id)),
    passwordHash: ({ passwordHash }) => passwordHash,
    person: ({ id, email, name, banned }) => ({ subject: id, username: email, active: banned === 0, claims: { name, email } }),
  })
}
