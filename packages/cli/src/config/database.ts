import { isPostgresUrl, shownUrl } from "@postern/adapter-postgres/url"
import * as Redacted from "effect/Redacted"

/** The database: a SQLite file, or a PostgreSQL database, whose URL may contain a password. */
export type Database = { readonly _tag: "Sqlite"; readonly file: string } | { readonly _tag: "Postgres"; readonly url: Redacted.Redacted }

/** Parses the name of a database: a folder, a file, `sqlite:` followed by either, or a `postgres://` URL. */
export const databaseOf = (data: string | undefined, absolute: (path: string) => string): Database => {
  if (data !== undefined && isPostgresUrl(data)) return { _tag: "Postgres", url: Redacted.make(data) }
  const path = absolute((data ?? "./data").replace(/^sqlite:(\/\/(?=\/))?/, ""))
  return { _tag: "Sqlite", file: /\.(sqlite3?|db)$/i.test(path) ? path : `${path.replace(/[/\\]$/, "")}/postern.sqlite` }
}

/** Formats a database for display, without its password. */
export const shownDatabase = (database: Database): string =>
  database._tag === "Sqlite" ? database.file : shownUrl(Redacted.value(database.url))
