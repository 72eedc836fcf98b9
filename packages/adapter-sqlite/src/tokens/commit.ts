import { type Command, type CommitResult, type Use, uses } from "@postern/core/model"
import type { Database } from "better-sqlite3"
import { StoreUnavailable } from "@postern/stores"
import { guarded, sqliteCode } from "../database/guarded.ts"
import type { Apply } from "./commands.ts"
import type { Spent } from "./spent.ts"

/**
 * Commits sets of commands in one immediate transaction. Each set is applied whole or not at all, and one sync makes all applied sets
 * durable. Arguments and results are plain values, so it can run on another thread with whatever sets arrived together.
 */
export type CommitTogether = (sets: ReadonlyArray<ReadonlyArray<Command>>) => ReadonlyArray<SetResult>

/** The result of one set. A set that the database rejects fails alone, with SQLite's code. */
export type SetResult = CommitResult | { readonly code: string }

/** Matches SQLite codes that concern the rows of one set rather than the database. Other sets are not affected. */
const ownFault = /^SQLITE_(?:CONSTRAINT|MISMATCH|TOOBIG|RANGE|ERROR)/

/** Prepares commits. */
export const commitsOf = (database: Database, apply: Apply, spent?: Spent): CommitTogether => {
  const begin = database.prepare("BEGIN IMMEDIATE")
  const commit = database.prepare("COMMIT")
  const rollback = database.prepare("ROLLBACK")
  const save = database.prepare("SAVEPOINT one")
  const release = database.prepare("RELEASE one")
  const takeBack = database.prepare("ROLLBACK TO one")

  const alone = (commands: ReadonlyArray<Command>): CommitResult => (commands.every(apply) ? "Committed" : "Conflict")
  const amongOthers = (commands: ReadonlyArray<Command>): SetResult => {
    save.run()
    const mark = spent?.mark() ?? 0
    const result = tried(commands)
    if (result !== "Committed") {
      takeBack.run()
      spent?.takeBack(mark)
    }
    release.run()
    return result
  }
  const tried = (commands: ReadonlyArray<Command>): SetResult => {
    try {
      return alone(commands)
    } catch (error) {
      const code = sqliteCode(error)
      if (code === undefined || !ownFault.test(code) || !database.inTransaction) throw error
      // Another row has a value that must be unique.
      return code === "SQLITE_CONSTRAINT_UNIQUE" ? "Conflict" : { code }
    }
  }
  /** Ends the transaction. It commits if any set was applied, and rolls back otherwise. */
  const ended = (results: ReadonlyArray<SetResult>): ReadonlyArray<SetResult> => {
    if (results.includes("Committed")) {
      commit.run()
      spent?.keep()
    } else abandon()
    return results
  }
  const abandon = (): void => {
    rollback.run()
    spent?.takeBack(0)
  }
  const transact = (sets: ReadonlyArray<ReadonlyArray<Command>>): ReadonlyArray<SetResult> => {
    begin.run()
    try {
      if (sets.length === 1) return ended(sets.map(tried))
      // Almost always all sets pass, and then none needs its own savepoint.
      if (sets.every((commands) => tried(commands) === "Committed")) return ended(sets.map(() => "Committed"))
      abandon()
      begin.run()
      return ended(sets.map(amongOthers))
    } catch (error) {
      // SQLite ends the transaction itself after some errors.
      if (database.inTransaction) rollback.run()
      spent?.takeBack(0)
      throw error
    }
  }
  return (sets) =>
    guarded("commit", () => {
      if (spent !== undefined) {
        const keys = keysUsedUp(sets)
        if (keys.length > 0) spent.seek(keys)
      }
      return transact(sets)
    })
}

/** Reports whether any of the commands claims a one-time value. */
export const useUp = (sets: ReadonlyArray<ReadonlyArray<Command>>): boolean =>
  sets.some((commands) => commands.some(({ table }) => table === uses.name))

/** Returns the keys of the one-time values that the sets claim. Every command on this table holds a row of it. */
const keysUsedUp = (sets: ReadonlyArray<ReadonlyArray<Command>>): ReadonlyArray<string> =>
  useUp(sets) ? sets.flatMap((commands) => commands.flatMap(({ table, row }) => (table === uses.name ? [(row as Use).key] : []))) : []

/** Returns the result of a set, or throws the failure of that set. */
export const ownResult = (result: SetResult | undefined): CommitResult => {
  if (typeof result === "object") throw new StoreUnavailable("commit", result.code)
  return result ?? "Conflict"
}
