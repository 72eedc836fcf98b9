import type { Flavor } from "@postern/adapter-kysely"
import Sqlite from "better-sqlite3"
import { Kysely, type LogEvent, MysqlDialect, PostgresDialect, sql, SqliteDialect } from "kysely"
import { createPool } from "mysql2"
import pg from "pg"

/** Kysely with an application's own types, of which the stores know nothing. */
export type Application = Kysely<{ readonly people: { readonly id: number } }>

/** Statements that were sent, those that begin and end transactions included. */
export interface Counting {
  trips: number
}

const connections = 8

/** Connects to a database by its address: a port of MariaDB, a URL of PostgreSQL, a file of SQLite. */
export const connected = (dialect: Flavor, address: string, counting?: Counting): Application => {
  const count = counting === undefined ? {} : { log: ({ level }: LogEvent): void => void (level === "query" && counting.trips++) }
  if (dialect === "mysql") return new Kysely({ dialect: overMariadb(Number(address)), ...count })
  if (dialect === "postgres") {
    const pool = new pg.Pool({ connectionString: address, max: connections })
    // Connections of a server that was stopped; without listeners, of the pool and of each connection, the event would end the process.
    pool.on("error", () => {}).on("connect", (client) => client.on("error", () => {}))
    return new Kysely({ dialect: new PostgresDialect({ pool }), ...count })
  }
  const database = new Sqlite(address)
  database.pragma("journal_mode = WAL")
  // The life of a process is what tests end, not that of its machine.
  database.pragma("synchronous = OFF")
  return new Kysely({ dialect: new SqliteDialect({ database }), ...count })
}

/** A busy machine needs more than the driver's ten seconds to answer a new connection. */
const patience = 60_000

const overMariadb = (port: number, database = "postern"): MysqlDialect =>
  new MysqlDialect({
    pool: createPool({ host: "127.0.0.1", port, user: "root", database, connectionLimit: connections, connectTimeout: patience }),
  })

/** Makes the tests' database on a MariaDB. */
export const makeDatabase = async (port: number): Promise<void> => {
  const admin = new Kysely<object>({ dialect: overMariadb(port, "mysql") })
  await sql`create database if not exists postern`.execute(admin)
  await admin.destroy()
}
