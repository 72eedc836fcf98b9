import { readFileSync } from "node:fs"
import { secretOf } from "@postern/core"
import type { AuthenticatorPort } from "@postern/core/ports"
import { argon2id, tableAuthenticator } from "@postern/stores"
import SqliteFile from "better-sqlite3"
import { drizzle as drizzleSqlite } from "drizzle-orm/better-sqlite3"
import { drizzle as drizzlePostgres } from "drizzle-orm/node-postgres"
import { Kysely, PostgresDialect, SqliteDialect } from "kysely"
import { Pool } from "pg"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { signedIn } from "../support/flows.ts"
import { type OwnedServer, startPostgres } from "../support/postgresServer.ts"
import { world } from "../support/world.ts"
import * as ofDrizzlePostgres from "./drizzlePostgres.ts"
import * as ofDrizzleSqlite from "./drizzleSqlite.ts"
import * as ofKysely from "./kysely.ts"

const hashing = argon2id({ memoryCost: 64, timeCost: 1 })
const table =
  "create table users (id text primary key, email text not null unique, name text not null, password_hash text, banned integer not null)"

const rows = async (): Promise<ReadonlyArray<ReadonlyArray<string | number | null>>> => {
  const hash = await hashing.hash("correct horse")
  return [
    ["1", "alice", "Alice", hash, 0],
    ["2", "bob", "Bob", hash, 1],
    ["3", "carol", "Carol", null, 0],
  ]
}

const credentials = (username: string, password: string) => ({
  username,
  password: secretOf(password),
  acrValues: [],
  address: "192.0.2.1",
})

let server: OwnedServer | undefined
const ends: Array<() => unknown> = []

beforeAll(async () => {
  server = await startPostgres()
}, 120_000)
afterAll(async () => {
  for (const end of ends) await end()
  await server?.end()
})

const inSqlite = async () => {
  const file = new SqliteFile(":memory:")
  file.exec(table)
  const put = file.prepare("insert into users values (?, ?, ?, ?, ?)")
  for (const row of await rows()) put.run(...row)
  ends.push(() => file.close())
  return file
}

const inPostgres = async () => {
  if (server === undefined) throw new Error("there is no server")
  const pool = new Pool({ connectionString: await server.database() })
  await pool.query(table)
  for (const row of await rows()) await pool.query("insert into users values ($1, $2, $3, $4, $5)", [...row])
  ends.push(() => pool.end())
  return pool
}

const ways: ReadonlyArray<readonly [string, () => Promise<AuthenticatorPort>]> = [
  ["Kysely on SQLite", async () => ofKysely.people(new Kysely({ dialect: new SqliteDialect({ database: await inSqlite() }) }))],
  ["Kysely on PostgreSQL", async () => ofKysely.people(new Kysely({ dialect: new PostgresDialect({ pool: await inPostgres() }) }))],
  ["Drizzle on SQLite", async () => ofDrizzleSqlite.people(drizzleSqlite(await inSqlite()))],
  ["Drizzle on PostgreSQL", async () => ofDrizzlePostgres.people(drizzlePostgres(await inPostgres()))],
]

describe.each(ways)("people of a table, by %s", (_, made) => {
  let people: AuthenticatorPort
  beforeAll(async () => {
    people = await made()
  })

  test("OpenID Connect Core §3.1.2.3: a person signs in through the provider, and is found again", async () => {
    const w = await world({ authenticator: people })
    const visitor = await signedIn(w)
    expect((await visitor.get("/")).page).toMatchObject({ _tag: "Home", person: { subject: "1", name: "Alice" } })
    expect(await people.find("1")).toEqual({ subject: "1", username: "alice", active: true, claims: { name: "Alice", email: "alice" } })
    expect(await people.find("9")).toBeUndefined()
  })

  test.each([
    ["a wrong password", "alice", "wrong", "wrong password"],
    ["a disabled person", "bob", "correct horse", "the person is disabled"],
    ["a person without a password", "carol", "", "wrong password"],
    ["a person there is none of", "mallory", "correct horse", "no such person"],
    ["SQL in a username", "alice' or '1'='1", "correct horse", "no such person"],
    ["a username beyond the limit", "a".repeat(1025), "x", "a username or password of more than 1024 characters"],
    ["a password beyond the limit", "alice", "x".repeat(1025), "a username or password of more than 1024 characters"],
  ])("OWASP ASVS 2.2: %s is rejected", async (_case, username, password, reason) => {
    expect(await people.verify(credentials(username, password))).toEqual({ _tag: "Rejected", reason })
  })
})

describe("tableAuthenticator", () => {
  test("CWE-208: compares a hash for a name that there is none of, too", async () => {
    const verify = vi.fn(async () => true)
    const people = tableAuthenticator({
      byUsername: () => null,
      bySubject: () => undefined,
      person: () => ({ subject: "1", username: "", active: true, claims: {} }),
      passwordHash: () => "h",
      hashing: { verify, decoy: "the decoy" },
    })
    expect(await people.verify(credentials("mallory", "typed"))).toMatchObject({ _tag: "Rejected" })
    expect(verify).toHaveBeenCalledExactlyOnceWith("the decoy", "typed", { kind: "sign_in", address: "192.0.2.1" })
  })

  test("takes another kind of hash; a person of another tenant is rejected", async () => {
    const people = tableAuthenticator({
      byUsername: () => ({ hash: "md5 of typed" }),
      bySubject: () => undefined,
      person: () => ({ subject: "1", username: "alice", active: true, claims: {}, tenant: "acme" }),
      passwordHash: ({ hash }) => hash,
      hashing: { verify: async (hash, typed) => hash === `md5 of ${typed}`, decoy: "" },
    })
    expect(await people.verify({ ...credentials("alice", "typed"), tenant: "acme" })).toMatchObject({ _tag: "Verified", amr: ["pwd"] })
    expect(await people.verify(credentials("alice", "typed"))).toMatchObject({ _tag: "Verified" })
    expect(await people.verify({ ...credentials("alice", "typed"), tenant: "other" })).toEqual({
      _tag: "Rejected",
      reason: "the person belongs to another tenant",
    })
    const upstream = { provider: "corp", issuer: "https://corp.example", subject: "7", claims: {}, amr: [] }
    expect(await people.admit(upstream, undefined)).toMatchObject({ _tag: "Rejected" })
  })

  test.each(["no", 1, { ok: false }])("nobody signs in by a comparison of hashes that answers %o, and it is named", async (answer) => {
    const people = tableAuthenticator({
      byUsername: () => ({}),
      bySubject: () => undefined,
      person: () => ({ subject: "1", username: "alice", active: true, claims: {} }),
      passwordHash: () => "hash",
      hashing: { verify: () => Promise.resolve(answer as never), decoy: "" },
    })
    await expect(people.verify(credentials("alice", "typed"))).rejects.toThrow(
      `hashing.verify answered ${typeof answer}, and must answer true or false`,
    )
  })

  test("a person whose active is neither true nor false is no disabled one: the provider says what is wrong with it", async () => {
    const people = tableAuthenticator({
      byUsername: () => ({}),
      bySubject: () => undefined,
      person: () => ({ subject: "1", username: "alice", active: 0 as never, claims: {} }),
      passwordHash: () => "hash",
      hashing: { verify: async () => true, decoy: "" },
    })
    expect(await people.verify(credentials("alice", "typed"))).toMatchObject({ _tag: "Verified", person: { active: 0 } })
  })

  test("a table that fails is no wrong password", async () => {
    const people = tableAuthenticator<never>({
      byUsername: () => Promise.reject(new Error("the table is gone")),
      bySubject: () => undefined,
      person: (row) => row,
      passwordHash: () => undefined,
    })
    await expect(people.verify(credentials("alice", "typed"))).rejects.toThrow("the table is gone")
  })
})

test.each(["kysely", "drizzleSqlite", "drizzlePostgres", "ldap"])("docs/people.md shows %s as it is tested", (name) => {
  const shown = readFileSync(new URL("../../docs/people.md", import.meta.url), "utf8")
  expect(shown).toContain(`\`\`\`ts\n${readFileSync(new URL(`${name}.ts`, import.meta.url), "utf8")}\`\`\``)
})
