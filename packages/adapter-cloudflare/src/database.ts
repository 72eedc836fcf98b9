import type { CommitResult } from "@postern/core/model"
import { after, type Awaitable, isLater } from "@postern/core/ports"
import { identifier, type Stored, StoreUnavailable } from "@postern/stores/sql"

/** A SQLite statement, with a `?` for each value. */
export interface Statement {
  /** The SQL text, which never contains values. */
  readonly sql: string
  /** The values, in the order of the parameters. */
  readonly values: ReadonlyArray<Stored>
}

/** The rows of a statement, each as its values in column order. */
export type Rows = ReadonlyArray<ReadonlyArray<Stored>>

/** The result of some statements: the rows of each, or SQLite's code of the error for which all were rolled back. */
export type Answer =
  | {
      /** The rows of each statement. */
      readonly rows: ReadonlyArray<Rows>
    }
  | {
      /** SQLite's code, such as `SQLITE_CONSTRAINT_CHECK`. */
      readonly failed: string
    }

/** Runs statements in one transaction, all or none. Throws or rejects if the outcome is unknown. */
export type Transact = (statements: ReadonlyArray<Statement>) => Awaitable<Answer>

/** A SQLite database that runs one whole transaction per request. Every failure is a `StoreUnavailable`. */
export interface Database {
  /** Returns the rows of each statement. */
  readonly ask: (operation: string, statements: ReadonlyArray<Statement>) => Awaitable<ReadonlyArray<Rows>>
  /** Runs statements that include guards. If a guard fails, the result is a conflict and nothing is changed. */
  readonly commit: (operation: string, statements: ReadonlyArray<Statement>) => Awaitable<CommitResult>
  /** A guard that fails if the previous statement changed no rows. */
  readonly changed: Statement
  /** Creates a guard that fails if an SQL condition holds. */
  readonly unless: (condition: string, values?: ReadonlyArray<Stored>) => Statement
}

/** Returns the name of the guard table. It stays empty; every insert into it fails and rolls the transaction back. */
export const guardTable = (prefix: string): string => `${prefix}guard`

/** Error codes of a commit that report an existing row or a failed guard. */
const conflicting = /^SQLITE_CONSTRAINT_(?:CHECK|PRIMARYKEY|UNIQUE)$/

/** Creates a database from a function that runs transactions. */
export const databaseOn = (transact: Transact, prefix: string): Database => {
  const answered = (operation: string, statements: ReadonlyArray<Statement>): Awaitable<Answer> => {
    const sound = statements.map(({ sql, values }) => ({ sql, values: values.map(wellFormed) }))
    try {
      const answer = transact(sound)
      return isLater(answer) ? answer.then(undefined, (error: unknown) => Promise.reject(unknown(operation, error))) : answer
    } catch (error) {
      throw unknown(operation, error)
    }
  }
  const unless: Database["unless"] = (condition, values = []) => ({
    sql: `INSERT INTO ${identifier(guardTable(prefix))} ("failed") SELECT 1 WHERE ${condition}`,
    values,
  })
  return {
    ask: (operation, statements) =>
      after(answered(operation, statements), (answer) => {
        if ("failed" in answer) throw new StoreUnavailable(operation, answer.failed)
        return answer.rows
      }),
    commit: (operation, statements) =>
      after(answered(operation, statements), (answer) => {
        if (!("failed" in answer)) return "Committed"
        if (conflicting.test(answer.failed)) return "Conflict"
        throw new StoreUnavailable(operation, answer.failed)
      }),
    changed: unless("changes() = 0"),
    unless,
  }
}

/** Replaces unpaired surrogates, which the database would store as three characters. */
const wellFormed = (value: Stored): Stored => (typeof value === "string" ? value.toWellFormed() : value)

/** Matches SQLite's code at the end of an error message; the extended code, if given. */
const told = /: (SQLITE_[A-Z_]+)(?: \(extended: (SQLITE_[A-Z_]+)\))?$/

/** Returns SQLite's code of a database error; undefined for any other error. */
export const codeOf = (error: unknown): string | undefined => {
  const found = told.exec(error instanceof Error ? error.message : "")
  return found?.[2] ?? found?.[1]
}

/** Cloudflare errors that report that the request was not processed at all. */
const refused = /is overloaded|Too many (?:subrequests|API requests) by single/

/** Returns the failure of a transaction without a database error. */
const unknown = (operation: string, error: unknown): unknown => {
  if (error instanceof StoreUnavailable) return error
  const message = error instanceof Error ? error.message : "no answer"
  const overloaded = typeof error === "object" && error !== null && "overloaded" in error && error.overloaded === true
  return new StoreUnavailable(operation, overloaded || refused.test(message) ? "OVERLOADED" : "DISCONNECTED", new Error(message))
}
