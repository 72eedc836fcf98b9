import { CompiledQuery, type Kysely, type QueryResult } from "kysely"
import { failureOf, judged, TakenBack } from "./failure.ts"
import type { Flavor, Speech } from "./flavor.ts"

/** A row as the driver returns it. */
export type Found = Readonly<Record<string, unknown>>

/** Executes statements with `"` around names and a `?` for each value. */
export interface Statements {
  /** Returns the rows of a query. */
  readonly rows: (sql: string, values?: ReadonlyArray<unknown>) => Promise<ReadonlyArray<Found>>
  /** Executes a change; returns the number of affected rows as the database reports it. */
  readonly change: (sql: string, values?: ReadonlyArray<unknown>) => Promise<number>
}

/** A database accessed through Kysely. Every failure is a `StoreUnavailable`. */
export interface Database {
  readonly flavor: Flavor
  readonly speech: Speech
  /** Returns an executor whose statements are transactions of their own. */
  readonly alone: (operation: string) => Statements
  /**
   * Runs a transaction, which is rolled back if it throws and retried after a conflict with another. `careful` becomes true once an
   * inserted row that was not looked up turned out to exist.
   */
  readonly transact: <A>(operation: string, run: (statements: Statements, careful: boolean) => Promise<A>) => Promise<A>
}

/** The maximum number of attempts. The pauses grow, because many transactions may compete for one row. */
const mostTries = 12

/** Base of the random pause before a retry, in milliseconds. Its maximum doubles with each attempt. */
const firstPause = 4

const pause = (tries: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(firstPause * 2 ** tries, 500)))

/** Accesses a database through Kysely, without the plugins that the application uses for its own tables. */
export const databaseOn = (kysely: Kysely<unknown>, flavor: Flavor, speech: Speech): Database => {
  const plain = kysely.withoutPlugins()
  const ask = (on: Kysely<unknown>, sql: string, values: ReadonlyArray<unknown> = []): Promise<QueryResult<unknown>> =>
    on.executeQuery(CompiledQuery.raw(speech.spoken(sql), values.map(speech.written)))
  const on = (db: Kysely<unknown>): Statements => ({
    // Drivers return rows as objects keyed by column name.
    rows: async (sql, values) => (await ask(db, sql, values)).rows as ReadonlyArray<Found>,
    change: async (sql, values) => Number((await ask(db, sql, values)).numAffectedRows ?? 0),
  })
  const direct = on(plain)

  const once = async <A>(run: (statements: Statements) => Promise<A>, asked: () => void): Promise<A> => {
    const builder = plain.transaction()
    const told = speech.isolation === undefined ? builder : builder.setIsolationLevel(speech.isolation)
    return told.execute(async (transaction) => {
      const statements = on(transaction)
      if (speech.turn !== undefined) await statements.change(speech.turn)
      const done = await run(statements)
      asked()
      return done
    })
  }

  return {
    flavor,
    speech,
    alone: (operation) => {
      const guarded = async <A>(run: () => Promise<A>): Promise<A> => {
        for (let tries = 1; ; tries++) {
          try {
            return await run()
          } catch (error) {
            // A statement that was the victim of a deadlock, or found SQLite busy, has had no effect.
            if (judged(flavor, speech, error) !== "again" || tries >= mostTries) throw failureOf(flavor, operation, error, true)
            await pause(tries)
          }
        }
      }
      return {
        rows: (sql, values) => guarded(() => direct.rows(sql, values)),
        change: (sql, values) => guarded(() => direct.change(sql, values)),
      }
    },
    transact: async (operation, run) => {
      let careful = false
      for (let tries = 1; ; tries++) {
        const state = { committing: false, failure: undefined as unknown }
        try {
          return await once(
            async (statements) => {
              try {
                return await run(statements, careful)
              } catch (error) {
                // The rollback may fail too if the connection is lost, and its error would replace this one.
                state.failure = error
                throw error
              }
            },
            () => (state.committing = true),
          )
        } catch (error) {
          const failure = state.failure ?? error
          if (failure instanceof TakenBack) return failure.cause as Awaited<ReturnType<typeof run>>
          const verdict = judged(flavor, speech, failure)
          if (verdict === undefined || tries >= mostTries) throw asFailure(flavor, operation, failure, state.committing)
          careful ||= verdict === "exists"
          await pause(tries)
        }
      }
    },
  }
}

/** Converts a driver error to a failure. JavaScript's own error classes denote a defect in this code and are kept. */
const asFailure = (flavor: Flavor, operation: string, error: unknown, committing: boolean): unknown =>
  error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError
    ? error
    : failureOf(flavor, operation, error, committing)
