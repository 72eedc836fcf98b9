import { tableAuthenticator } from "@postern/stores"
import type { Kysely } from "kysely"

interface Database {
  readonly users: { id: string; email: string; name: string; password_hash: string | null; banned: number }
}

export const people = (db: Kysely<Database>) =>
  tableAuthenticator({
    byUsername: (email) => db.selectFrom("users").selectAll().where("email", "=", email.toLowerCase()).executeTakeFirst(),
    bySubject: (id) => db.selectFrom("users").selectAll().where("id", "=", id).executeTakeFirst(),
    passwordHash: ({ password_hash }) => password_hash,
    person: ({ id, email, name, banned }) => ({ subject: id, username: email, active: banned === 0, claims: { name, email } }),
  })
