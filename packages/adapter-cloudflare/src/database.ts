import type { CommitResult } from "@postern/core/model"
import { after, type Awaitable, isLater } from "@postern/core/ports"
import { identifier, type Stored, StoreUnavailable } from "@postern/stores/sql"

/** A statement of SQLite's, with a `?` for each value. */
export interface Statement {
  /** The text: never a value in it. */
  readonly sql: string
  /** The values, in the order in which the text asks for them. */
  readonly values: ReadonlyArray<Stored>
}

/** The rows that a statement gave, each as its values in the order of its columns. */
export type Rows = ReadonlyArray<ReadonlyArray<Stored>>

/** The answer to some statements: the rows of each, or SQLite's code of the error for which all of them were taken back. */
export type Answer =
  | {
      /** The rows of each statement. */
      readonly rows: ReadonlyArray<Rows>
    }
  | {
      /** SQLite's code, such as `SQLITE_CONSTRAINT_CHECK`. */
      readonly failed: string
    }

/** Runs statements in one transaction: all of them or none. Throws or rejects where nobody knows if they were done. */
export type Transact = (statements: ReadonlyArray<Statement>) => Awaitable<Answer>

/** A database of SQLite's that is asked one whole transaction at a time. Every failure is a `StoreUnavailable`. */
export interface Database {
  /** The rows of each statement. */
  readonly ask: (operation: string, statements: ReadonlyArray<Statement>) => Awaitable<ReadonlyArray<Rows>>
  /** Runs statements some of which are guards; a conflict where one of them fails, and then nothing is done. */
  readonly commit: (operation: string, statements: ReadonlyArray<Statement>) => Awaitable<CommitResult>
  /** A guard after a statement that changes rows: it fails where that has changed none. */
  readonly changed: Statement
  /** A guard that fails where a condition holds; the condition is one of SQL's. */
  readonly unless: (condition: string, values?: ReadonlyArray<Stored>) => Statement
}

/** The name of the table that keeps nothing: who writes to it fails, and takes back the transaction. */
export const guardTable = (prefix: string): string => `${prefix}guard`

/** Codes of errors by which a commit is told that a row exists, or that a guard failed. */
const conflicting = /^SQLITE_CONSTRAINT_(?:CHECK|PRIMARYKEY|UNIQUE)$/

/** Speaks to a database through what runs a transaction. */
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

/** Half a surrogate pair is no character, and would be three of them in the database. */
const wellFormed = (value: Stored): Stored => (typeof value === "string" ? value.toWellFormed() : value)

/** SQLite's code at the end of an error's message: the extended one where it is told. */
const told = /: (SQLITE_[A-Z_]+)(?: \(extended: (SQLITE_[A-Z_]+)\))?$/

/** SQLite's code of an error that a database answered with; undefined for whatever else went wrong. */
export const codeOf = (error: unknown): string | undefined => {
  const found = told.exec(error instanceof Error ? error.message : "")
  return found?.[2] ?? found?.[1]
}

/** Errors of Cloudflare's that say that nothing of a request was looked at. */
const refused = /is overloaded|Too many (?:subrequests|API requests) by single/

/** The failure of a transaction that the database said nothing about. */
const unknown = (operation: string, error: unknown): unknown => {
  if (error instanceof StoreUnavailable) return error
  const message = error instanceof Error ? error.message : "no answer"
  const overloaded = typeof error === "object" && error !== null && "overloaded" in error && error.overloaded === true
  return new StoreUnavailable(operation, overloaded || refused.test(message) ? "OVERLOADED" : "DISCONNECTED", new Error(message))
}
