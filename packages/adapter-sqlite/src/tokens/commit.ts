import type { Command, CommitResult } from "@postern/core/model"
import type { Database } from "better-sqlite3"
import { guarded } from "../database/guarded.ts"
import type { Apply } from "./commands.ts"

/**
 * Commits sets of commands in one immediate transaction: each set whole or not at all, all that passed made durable by one sync. It takes
 * and gives plain values alone, so it may run on another thread and be handed whatever arrived together.
 */
export type CommitTogether = (sets: ReadonlyArray<ReadonlyArray<Command>>) => ReadonlyArray<CommitResult>

/** Prepares commits. */
export const commitsOf = (database: Database, apply: Apply): CommitTogether => {
  const begin = database.prepare("BEGIN IMMEDIATE")
  const commit = database.prepare("COMMIT")
  const rollback = database.prepare("ROLLBACK")
  const save = database.prepare("SAVEPOINT one")
  const release = database.prepare("RELEASE one")
  const takeBack = database.prepare("ROLLBACK TO one")

  const alone = (commands: ReadonlyArray<Command>): CommitResult => (commands.every(apply) ? "Committed" : "Conflict")
  const amongOthers = (commands: ReadonlyArray<Command>): CommitResult => {
    save.run()
    const result = alone(commands)
    if (result === "Conflict") takeBack.run()
    release.run()
    return result
  }
  const transact = (sets: ReadonlyArray<ReadonlyArray<Command>>): ReadonlyArray<CommitResult> => {
    begin.run()
    try {
      const results = sets.map(sets.length === 1 ? alone : amongOthers)
      if (results.includes("Committed")) commit.run()
      else rollback.run()
      return results
    } catch (error) {
      // SQLite ends the transaction itself after some faults.
      if (database.inTransaction) rollback.run()
      throw error
    }
  }
  return (sets) => guarded("commit", () => transact(sets))
}
