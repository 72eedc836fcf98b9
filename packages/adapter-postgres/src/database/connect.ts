import * as PgPool from "@effect/sql-pg/PgPool"
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import { StoreUnavailable } from "@postern/stores"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import { codeOf, failureOf } from "./failure.ts"

/** Options of the connections to PostgreSQL. */
export interface ConnectionOptions {
  /** Most connections at once; 10 when not given. */
  readonly connections?: number
  /** Milliseconds before an operation is given up, whatever it waits for: a connection, a lock, the server; 1900 when not given. */
  readonly patience?: number
}

/** One statement with its parameters. */
export interface Statement {
  /** The statement, with `$1` for its first parameter. */
  readonly sql: string
  /** Its parameters. */
  readonly params?: ReadonlyArray<unknown>
  /** True if everything is taken back when it finds or changes no row. */
  readonly guards?: boolean
}

/** The result of a statement. */
export interface Result {
  /** The rows, each a list of its columns. */
  readonly rows: ReadonlyArray<ReadonlyArray<unknown>>
  /** Number of rows that it found or changed. */
  readonly count: number
}

/** A PostgreSQL database. Every failure is a `StoreUnavailable` of the named operation, but for a statement that PostgreSQL did not take as it was. */
export interface Database {
  /** The rows of a statement that changes nothing. It is tried again on another connection when the one it met was lost. */
  readonly read: (operation: string, sql: string, params?: ReadonlyArray<unknown>) => Promise<ReadonlyArray<ReadonlyArray<unknown>>>
  /** A statement that is a transaction of its own. */
  readonly write: (operation: string, sql: string, params?: ReadonlyArray<unknown>) => Promise<Result>
  /** Several in one transaction, each seeing what those before it did; false when one that guards took everything back. */
  readonly transact: (operation: string, statements: ReadonlyArray<Statement>, patience?: number) => Promise<boolean>
  /** Closes every connection; what is under way fails. Closing twice changes nothing. */
  readonly close: () => Promise<void>
}

/**
 * Every statement finds its rows by an index. Plans are kept for as long as a connection lasts, also those made while a table was all but
 * empty, when reading the whole of it or an index from end to end costs nothing: so such plans are never made.
 */
const planning: Readonly<Record<string, string>> = {
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  // A table that must be read whole all the same would look expensive enough to be compiled.
  jit: "off",
}

/** Another transaction was in the way, and this one was taken back: 40001 `serialization_failure`, 40P01 `deadlock_detected`. */
const inTheWay: ReadonlySet<string> = new Set(["40001", "40P01"])
const tries = 5

/** Opens a pool of connections. None is made before it is needed. */
export const connect = async (url: string, { connections = 10, patience = 1900 }: ConnectionOptions = {}): Promise<Database> => {
  const scope = Scope.makeUnsafe()
  const pool = await Effect.runPromise(
    PgPool.make({
      url: Redacted.make(url),
      maxConnections: connections,
      connectTimeout: Math.min(patience, 1500),
      applicationName: "postern",
      startupParameters: {
        // The server gives up before we do, so that what is answered is what happened.
        lock_timeout: String(Math.floor(patience * 0.8)),
        statement_timeout: String(Math.floor(patience * 0.9)),
        idle_in_transaction_session_timeout: "10000",
        default_transaction_isolation: "read committed",
        ...planning,
      },
    }).pipe(Effect.provideService(Scope.Scope, scope)),
  )
  let closed = false

  /** Runs an effect for so long; one that goes on waiting, for a server that says nothing, is left to end by itself. */
  const bounded = <A>(operation: string, effect: Effect.Effect<A, SqlError>, longest: number): Promise<A> => {
    if (closed) return Promise.reject(new StoreUnavailable(operation, "CLOSED"))
    return new Promise((resolve, reject) => {
      const running = Effect.runFork(effect)
      const timer = setTimeout(() => {
        reject(new StoreUnavailable(operation, "TIMEOUT"))
        running.interruptUnsafe()
      }, longest)
      running.addObserver((exit) => {
        clearTimeout(timer)
        if (Exit.isSuccess(exit)) resolve(exit.value)
        else reject(closed ? new StoreUnavailable(operation, "CLOSED") : failureOf(operation, exit.cause))
      })
    })
  }

  const once = ({ sql, params = [] }: Statement, connection: PgConnection.PgConnection): Effect.Effect<Result, SqlError> =>
    Effect.map(connection.query(sql, params), resultOf)
  const rows = (sql: string, params: ReadonlyArray<unknown>) => pool.use((connection) => connection.queryValues(sql, params))

  return {
    read: (operation, sql, params = []) =>
      bounded(
        operation,
        Effect.catch(rows(sql, params), (error) => (codeOf(error) === "DISCONNECTED" ? rows(sql, params) : Effect.fail(error))),
        patience,
      ),
    write: (operation, sql, params = []) =>
      bounded(operation, again(pool.use((connection) => once({ sql, params }, connection))), patience),
    transact: (operation, statements, longest = patience) =>
      bounded(
        operation,
        again(Effect.scoped(Effect.flatMap(pool.reserve, (connection) => transaction(connection, statements, once, pool)))),
        longest,
      ),
    close: async () => {
      if (closed) return
      closed = true
      await Effect.runPromise(Scope.close(scope, Exit.void))
    },
  }
}

const resultOf = ({ rows, fields, rowCount }: PgConnection.Result): Result => ({
  rows: rows.map((row) => fields.map(({ name }) => row[name])),
  count: rowCount,
})

/** Tries again what another transaction was in the way of, a moment later. */
const again = <A>(effect: Effect.Effect<A, SqlError>, left: number = tries): Effect.Effect<A, SqlError> =>
  Effect.catch(effect, (error) =>
    left > 1 && inTheWay.has(codeOf(error))
      ? Effect.delay(again(effect, left - 1), `${Math.ceil(Math.random() * 10 * (tries - left + 1))} millis`)
      : Effect.fail(error),
  )

/** Runs statements in one transaction. Whatever stops it, no connection goes back to the pool with a transaction open. */
const transaction = (
  connection: PgConnection.PgConnection,
  statements: ReadonlyArray<Statement>,
  once: (statement: Statement, connection: PgConnection.PgConnection) => Effect.Effect<Result, SqlError>,
  pool: PgPool.PgPool,
): Effect.Effect<boolean, SqlError> => {
  const control = (sql: string): Effect.Effect<unknown, SqlError> => connection.query(sql, [], false)
  return Effect.gen(function* () {
    yield* control("BEGIN")
    for (const statement of statements) {
      const { count } = yield* once(statement, connection)
      if (count > 0 || statement.guards !== true) continue
      yield* control("ROLLBACK")
      return false
    }
    yield* control("COMMIT")
    return true
  }).pipe(
    Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.catch(control("ROLLBACK"), () => pool.invalidate(connection)))),
  )
}
