import { parameter, readText, type TableDialect, type Words } from "@postern/stores/rows"

/** A database that Kysely has a dialect for, by the words that it understands. MariaDB understands MySQL's. */
export type Flavor = "mysql" | "postgres" | "sqlite"

/** The words and the errors of one database. */
export interface Speech extends Pick<TableDialect, "type" | "unless" | "unlessColumn" | "after" | "within"> {
  /** A statement with `"` around names and a `?` for each value, as the database takes it. */
  readonly spoken: (sql: string) => string
  /** A value as the database can keep it. */
  readonly written: (value: unknown) => unknown
  /** A text as it was before it was written. */
  readonly read: (text: string) => string
  /** Words after a SELECT by which its rows are locked until the transaction ends. */
  readonly locked: string
  /** The isolation of transactions, where it is said: what they rely on is locked, so nobody need be refused for what others read. */
  readonly isolation?: "read committed"
  /** A first statement by which a transaction waits for its turn to write, where none may write beside another. */
  readonly turn?: string
  /** Its own words in statements made from descriptions. */
  readonly words: Words
  /** Words after an insertion by which some columns of a row that exists are replaced. */
  readonly replacing: (key: string, columns: ReadonlyArray<string>) => string
  /** Words after the columns of a new table. */
  readonly ending: string
  /** Asks for the columns of a table: each with its name and whether it may be NULL. */
  readonly columns: string
  /** Errors after which a transaction that was taken back may be done as if it had not begun. */
  readonly again: RegExp
  /** Errors that say that a row of that key exists. */
  readonly exists: RegExp
}

/** Names by the quotes of MySQL; texts, in which a `"` is one, are left alone. */
const backticks = (sql: string): string =>
  sql.replaceAll(/'(?:[^']|'')*'|"([^"]*)"/g, (whole, name: string | undefined) => (name === undefined ? whole : `\`${name}\``))

const numbered = (sql: string): string => {
  let count = 0
  return sql.replaceAll(/'(?:[^']|'')*'|\?/g, (whole) => (whole === "?" ? `$${++count}` : whole))
}

const described =
  "SELECT column_name AS name, is_nullable AS nullable FROM information_schema.columns WHERE table_name = ? AND table_schema ="

const plainType: Speech["type"] = (kept) => (kept === "text" || kept === "json" ? "TEXT" : "BIGINT")

const sound = (value: unknown): unknown => (typeof value === "string" ? value.toWellFormed() : value)

const asItIs = { written: sound, read: (text: string): string => text }

/** Characters of a key that InnoDB can index at four bytes each (MySQL 8.0 manual §17.22), and as many of a column that is no key as tell rows apart. */
const [mostOfKey, mostOfIndex] = [768, 128]

/** Returns the words of a database. `collation` is the one of MySQL that tells all texts apart. */
export const speechOf = (flavor: Flavor, prefix: string, collation: string): Speech => {
  if (flavor === "mysql") {
    const text = `CHARACTER SET utf8mb4 COLLATE ${collation}`
    return {
      ...asItIs,
      spoken: backticks,
      replacing: (_, columns) => ` ON DUPLICATE KEY UPDATE ${columns.map((each) => `"${each}" = VALUES("${each}")`).join(", ")}`,
      locked: " FOR UPDATE",
      isolation: "read committed",
      words: { greatest: "greatest", position: "instr" },
      type: (kept, _, ofKey) => {
        if (kept === "integer" || kept === "flag") return "BIGINT"
        return ofKey > 0 ? `VARCHAR(${Math.floor(mostOfKey / ofKey)}) ${text}` : `LONGTEXT ${text}`
      },
      unless: "",
      after: () => [],
      within: (name, columns) =>
        `INDEX ${name} (${columns.map(([column, kept]) => (kept === "text" ? `${column}(${mostOfIndex})` : column)).join(", ")})`,
      ending: " ENGINE=InnoDB ROW_FORMAT=DYNAMIC",
      columns: `${described} database()`,
      // A deadlock, a lock that did not come in time, a row that changed since it was read (MariaDB).
      again: /^ER_(?:LOCK_DEADLOCK|LOCK_WAIT_TIMEOUT|CHECKREAD)$/,
      exists: /^ER_DUP_ENTRY/,
    }
  }
  const replacing: Speech["replacing"] = (key, columns) =>
    ` ON CONFLICT ("${key}") DO UPDATE SET ${columns.map((each) => `"${each}" = excluded."${each}"`).join(", ")}`
  const common = { replacing, type: plainType, after: () => [], unless: " IF NOT EXISTS", ending: "" }
  if (flavor === "postgres") {
    return {
      ...common,
      spoken: numbered,
      written: (value) => (typeof value === "string" ? parameter(value) : value),
      read: readText,
      locked: " FOR UPDATE",
      isolation: "read committed",
      words: {
        greatest: "greatest",
        position: "strpos",
        typed: (kind) => `CAST(? AS ${kind.startsWith("integer") || kind.startsWith("flag") ? "bigint" : "text"})`,
      },
      // The order of keys is that of their characters in every store.
      type: (kept) => (kept === "text" || kept === "json" ? 'TEXT COLLATE "C"' : "BIGINT"),
      columns: `${described} current_schema()`,
      // serialization_failure, deadlock_detected, lock_not_available.
      again: /^(?:40001|40P01|55P03)$/,
      exists: /^23505$/,
    }
  }
  return {
    ...common,
    ...asItIs,
    // SQLite has no such words for a column.
    unlessColumn: "",
    spoken: (sql) => sql,
    locked: "",
    // A transaction that reads first could not write once another has written: it takes the lock before it reads.
    turn: `DELETE FROM "${prefix}turns" WHERE 1 = 0`,
    words: { greatest: "max", position: "instr" },
    ending: " WITHOUT ROWID",
    columns: `SELECT name, iif("notnull", 'NO', 'YES') AS nullable FROM pragma_table_info(?)`,
    again: /^SQLITE_(?:BUSY|LOCKED)/,
    exists: /^SQLITE_CONSTRAINT_(?:PRIMARYKEY|UNIQUE|ROWID)$/,
  }
}
