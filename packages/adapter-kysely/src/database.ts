import { CompiledQuery, type Kysely, type QueryResult } from "kysely"
import { failureOf, judged, TakenBack } from "./failure.ts"
import type { Flavor, Speech } from "./flavor.ts"

/** A row as a driver gives it. */
export type Found = Readonly<Record<string, unknown>>

/** Statements, with `"` around names and a `?` for each value. */
export interface Statements {
  /** Rows that a statement selects. */
  readonly rows: (sql: string, values?: ReadonlyArray<unknown>) => Promise<ReadonlyArray<Found>>
  /** Changes rows: how many, by the database's own count. */
  readonly change: (sql: string, values?: ReadonlyArray<unknown>) => Promise<number>
}

/** A database under Kysely. Every failure is a `StoreUnavailable`. */
export interface Database {
  readonly flavor: Flavor
  readonly speech: Speech
  /** Statements that are transactions of their own. */
  readonly alone: (operation: string) => Statements
  /**
   * A transaction, taken back where it throws. One that met another's is done again, as if it had not begun; `careful` is true from when a row turned
   * out to exist that was not looked for.
   */
  readonly transact: <A>(operation: string, run: (statements: Statements, careful: boolean) => Promise<A>) => Promise<A>
}

/** Number of times that a transaction is begun at most: of many that meet at one row, each waits longer than the one before. */
const mostTries = 12

/** Milliseconds that a transaction waits at most before its second try; each further wait may be twice as long. */
const firstPause = 4

const pause = (tries: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(firstPause * 2 ** tries, 500)))

/** Speaks to a database through Kysely, without the plugins that an application has for its own tables. */
export const databaseOn = (kysely: Kysely<unknown>, flavor: Flavor, speech: Speech): Database => {
  const plain = kysely.withoutPlugins()
  const ask = (on: Kysely<unknown>, sql: string, values: ReadonlyArray<unknown> = []): Promise<QueryResult<unknown>> =>
    on.executeQuery(CompiledQuery.raw(speech.spoken(sql), values.map(speech.written)))
  const on = (db: Kysely<unknown>): Statements => ({
    // Drivers give rows as objects by the names of their columns.
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
            // A statement that lost a deadlock, or found SQLite busy, did nothing.
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
                // Taking back may fail too, where the connection is lost, and would be told in place of this.
                state.failure = error
                throw error
              }
            },
            () => (state.committing = true),
          )
        } catch (error) {
          const failure = state.failure ?? error
          if (failure instanceof TakenBack) return failure.outcome as Awaited<ReturnType<typeof run>>
          const verdict = judged(flavor, speech, failure)
          if (verdict === undefined || tries >= mostTries) throw asFailure(flavor, operation, failure, state.committing)
          careful ||= verdict === "exists"
          await pause(tries)
        }
      }
    },
  }
}

/** Failures of a driver carry no class of their own; a defect of this code is one of JavaScript's. */
const asFailure = (flavor: Flavor, operation: string, error: unknown, committing: boolean): unknown =>
  error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError
    ? error
    : failureOf(flavor, operation, error, committing)
