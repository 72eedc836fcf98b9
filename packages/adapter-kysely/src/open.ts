import { type RowKind, rowKinds } from "@postern/core/model"
import { DatabaseRefused, StoreUnavailable } from "@postern/stores"
import { identifier, kinds as ownKinds, type TableDialect, tableStatements } from "@postern/stores/rows"
import type { Kysely } from "kysely"
import { type Database, databaseOn } from "./database.ts"
import { type Flavor, speechOf } from "./flavor.ts"
import { turnCount } from "./turns.ts"

/** The table version of this release. Tables that later releases cannot upgrade by adding columns get a new version. */
const version = 1

/** The auxiliary tables, by their quoted names. */
export interface Beside {
  readonly turns: string
  readonly counts: string
  readonly requestCounts: string
  readonly trails: string
  readonly audit: string
}

/** Returns the names of the auxiliary tables. */
export const besideOf = (prefix: string): Beside => ({
  turns: identifier(`${prefix}turns`),
  counts: identifier(`${prefix}counts`),
  requestCounts: identifier(`${prefix}request_counts`),
  trails: identifier(`${prefix}trails`),
  audit: identifier(`${prefix}audit_events`),
})

/** Opens Postern's tables, creates missing ones, and adds columns of newer descriptions. Rejects with `DatabaseRefused`. */
export const open = async (kysely: Kysely<unknown>, flavor: Flavor, prefix: string, kinds: ReadonlyArray<RowKind>): Promise<Database> => {
  const place = `${flavor} under Kysely`
  const database = databaseOn(kysely, flavor, speechOf(flavor, prefix, await collationOf(kysely, flavor, place)))
  const beside = besideOf(prefix)
  try {
    await makeBeside(database, beside)
    const [found] = await database.alone("read the tables' version").rows(`SELECT "value" FROM ${beside.counts} WHERE "name" = 'version'`)
    if (Number(found?.["value"]) > version)
      throw new DatabaseRefused(
        place,
        "newer",
        `its tables are version ${String(found?.["value"])} and this Postern knows versions up to ${version}; use the newer Postern that made them`,
      )
    for (const kind of [...kinds, ownKinds.clients, ownKinds.signingKeys]) await makeTable(database, prefix, kind)
  } catch (error) {
    if (error instanceof TypeError) throw new DatabaseRefused(place, "foreign", error.message, error)
    if (error instanceof StoreUnavailable)
      throw new DatabaseRefused(place, "inaccessible", `the server cannot ${error.operation} (${error.code})`, error)
    throw error
  }
  return database
}

/**
 * Returns a collation that distinguishes all texts, including trailing spaces, which only some of MySQL's do. Rejects a MySQL server that
 * is not in strict mode, because it truncates texts that are too long for their column.
 */
const collationOf = async (kysely: Kysely<unknown>, flavor: Flavor, place: string): Promise<string> => {
  if (flavor !== "mysql") return ""
  const asking = databaseOn(kysely, flavor, speechOf(flavor, "", "")).alone("read the server's settings")
  const refused = (text: string, error?: unknown) => new DatabaseRefused(place, "inaccessible", text, error)
  const ask = async (sql: string) =>
    (
      await asking.rows(sql).catch((error: unknown) => {
        throw refused("the server does not answer", error)
      })
    ).map(({ told }) => String(told))
  const [mode = ""] = await ask("SELECT @@sql_mode AS told")
  if (!/\bSTRICT_(?:TRANS|ALL)_TABLES\b/.test(mode))
    throw refused("the server cuts texts that are too long (sql_mode); set STRICT_TRANS_TABLES, or one token could be taken for another")
  const [collation] = await ask(
    "SELECT collation_name AS told FROM information_schema.collations WHERE collation_name IN ('utf8mb4_nopad_bin', 'utf8mb4_0900_bin')",
  )
  if (collation === undefined)
    throw refused("the server has no collation that tells all texts apart; Postern needs MariaDB 10.6 or MySQL 8.0.17, or later")
  return collation
}

const makeBeside = async (database: Database, { turns, counts, requestCounts, trails, audit }: Beside): Promise<void> => {
  const { type, ending, counting, countedEnding, change } = { ...database.speech, ...database.alone("make its tables") }
  const text = type("text", true, 1)
  await made(() => change(`CREATE TABLE IF NOT EXISTS ${turns} ("slot" BIGINT NOT NULL PRIMARY KEY)${ending}`))
  await made(() => change(`CREATE TABLE IF NOT EXISTS ${counts} ("name" ${text} NOT NULL PRIMARY KEY, "value" BIGINT NOT NULL)${ending}`))
  await made(() =>
    change(
      `CREATE TABLE IF NOT EXISTS ${requestCounts} ("key" ${text} NOT NULL PRIMARY KEY, "full_at" DOUBLE PRECISION NOT NULL)${ending}`,
    ),
  )
  const long = type("text", true, 0)
  await made(() =>
    change(
      `CREATE TABLE IF NOT EXISTS ${trails} ("number" ${counting}, "request_id" ${text} NOT NULL UNIQUE, "at" BIGINT NOT NULL, "refused" BIGINT NOT NULL, "content" ${long} NOT NULL)${countedEnding}`,
    ),
  )
  await made(() =>
    change(
      `CREATE TABLE IF NOT EXISTS ${audit} ("number" ${counting}, "at" BIGINT NOT NULL, "event" ${text} NOT NULL, "client_id" ${long}, "subject" ${long}, "content" ${long} NOT NULL)${countedEnding}`,
    ),
  )
  const slots = Array.from({ length: turnCount }, (_, slot) => slot)
  // Another process may insert the same rows concurrently; existing rows are kept.
  await once(
    database,
    `SELECT "slot" FROM ${turns} WHERE "slot" = ${turnCount - 1}`,
    `INSERT INTO ${turns} ("slot") VALUES ${slots.map((slot) => `(${slot})`).join(", ")}`,
  )
  await once(
    database,
    `SELECT "name" FROM ${counts} WHERE "name" = 'version'`,
    `INSERT INTO ${counts} ("name", "value") VALUES ('version', ${version}), ('clients', 0)`,
  )
}

/** Inserts rows unless they exist. */
const once = (database: Database, look: string, insert: string): Promise<void> =>
  database.transact("make its tables", async ({ rows, change }) => {
    if ((await rows(look)).length === 0) await change(insert)
  })

/**
 * Retries a statement that failed because another process was creating the same table or column. PostgreSQL rejects the second `CREATE
 * TABLE IF NOT EXISTS` for the table or its row type, SQLite a duplicate column.
 */
const made = async (make: () => Promise<unknown>): Promise<void> => {
  for (let tries = 1; ; tries++) {
    try {
      await make()
      return
    } catch (error) {
      if (
        !(error instanceof StoreUnavailable) ||
        !/^(?:23505|42P07|42701|42710|ER_TABLE_EXISTS_ERROR|ER_DUP_FIELDNAME|SQLITE_ERROR)$/.test(error.code) ||
        tries > 5
      )
        throw error
    }
  }
}

const makeTable = async (database: Database, prefix: string, kind: RowKind): Promise<void> => {
  const { speech, alone } = database
  const dialect: TableDialect = {
    ...speech,
    named: (table) => identifier(`${prefix}${table}`),
    index: (table) => `${prefix}${table}`,
    ending: () => speech.ending,
    descended: true,
    indexed: () => true,
  }
  await made(async () => {
    const found = await alone("read the columns of a table").rows(speech.columns, [`${prefix}${kind.name}`])
    const there = new Map(found.map(({ name, nullable }) => [String(name), nullable === "NO"]))
    for (const sql of tableStatements(dialect, kind, there)) await alone("make its tables").change(sql)
  })
}

/** The default kinds of row. */
export const defaultKinds: ReadonlyArray<RowKind> = rowKinds
