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
  /** The maximum number of connections. Defaults to 10. */
  readonly connections?: number
  /**
   * The time after which an operation fails, in milliseconds, whether it waits for a connection, a lock or the server. Defaults to 1900.
   */
  readonly patience?: number
}

/** One statement with its parameters. */
export interface Statement {
  /** The SQL text, whose first parameter is `$1`. */
  readonly sql: string
  /** Its parameters. */
  readonly params?: ReadonlyArray<unknown>
  /** Rolls back the transaction if the statement finds or changes no row. */
  readonly guards?: boolean
}

/** The result of a statement. */
export interface Result {
  /** The rows, each a list of its columns. */
  readonly rows: ReadonlyArray<ReadonlyArray<unknown>>
  /** The number of rows found or changed. */
  readonly count: number
}

/**
 * A PostgreSQL database. Every failure is a `StoreUnavailable` of the named operation, except for a constraint violation (`Violated`) or a
 * defect.
 */
export interface Database {
  /** Returns the rows of a statement that changes nothing. If its connection is lost, the statement is retried on another. */
  readonly read: (operation: string, sql: string, params?: ReadonlyArray<unknown>) => Promise<ReadonlyArray<ReadonlyArray<unknown>>>
  /** Runs a statement as a transaction of its own. */
  readonly write: (operation: string, sql: string, params?: ReadonlyArray<unknown>) => Promise<Result>
  /**
   * Runs several statements in one transaction, each of which sees the changes before it. Returns false if a guarding statement rolled it
   * back.
   */
  readonly transact: (operation: string, statements: ReadonlyArray<Statement>, patience?: number) => Promise<boolean>
  /** Closes every connection. Pending operations fail. Closing twice has no effect. */
  readonly close: () => Promise<void>
}

/**
 * Planner settings that force every statement to find its rows by an index. A plan is kept as long as its connection. A plan made while a
 * table is almost empty could scan the whole table or index, because that costs nothing then. These settings prevent such plans.
 */
const planning: Readonly<Record<string, string>> = {
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  // The cost of an unavoidable table scan would look high enough for JIT compilation.
  jit: "off",
}

/** The SQLSTATEs of a transaction rolled back because of a concurrent one: 40001 `serialization_failure`, 40P01 `deadlock_detected`. */
const inTheWay: ReadonlySet<string> = new Set(["40001", "40P01"])
const tries = 5

/** Opens a connection pool. Connections are made on demand. */
export const connect = async (url: string, { connections = 10, patience = 1900 }: ConnectionOptions = {}): Promise<Database> => {
  const scope = Scope.makeUnsafe()
  const pool = await Effect.runPromise(
    PgPool.make({
      url: Redacted.make(url),
      maxConnections: connections,
      connectTimeout: Math.min(patience, 1500),
      applicationName: "postern",
      startupParameters: {
        // The server times out before the client does, so that the answer reflects the actual outcome.
        lock_timeout: String(Math.floor(patience * 0.8)),
        statement_timeout: String(Math.floor(patience * 0.9)),
        idle_in_transaction_session_timeout: "10000",
        default_transaction_isolation: "read committed",
        ...planning,
      },
    }).pipe(Effect.provideService(Scope.Scope, scope)),
  )
  let closed = false

  /** Runs an effect with a deadline. An effect that keeps waiting for a silent server is interrupted and ends on its own. */
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

/** Retries an operation after a conflict with a concurrent transaction, with a short delay. */
const again = <A>(effect: Effect.Effect<A, SqlError>, left: number = tries): Effect.Effect<A, SqlError> =>
  Effect.catch(effect, (error) =>
    left > 1 && inTheWay.has(codeOf(error))
      ? Effect.delay(again(effect, left - 1), `${Math.ceil(Math.random() * 10 * (tries - left + 1))} millis`)
      : Effect.fail(error),
  )

/** Runs statements in one transaction. On any failure the transaction is rolled back, or the connection is discarded. */
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
