import { StoreUnavailable } from "@postern/stores"
import Sqlite from "better-sqlite3"

/** The code of an error that SQLite reported; undefined for anything else. */
export const sqliteCode = (error: unknown): string | undefined => (error instanceof Sqlite.SqliteError ? error.code : undefined)

/** Runs an operation; what the database reports becomes {@link StoreUnavailable}, anything else is a defect and passes through. */
export const guarded = <A>(operation: string, run: () => A): A => {
  try {
    return run()
  } catch (error) {
    throw asUnavailable(operation, error)
  }
}

const asUnavailable = (operation: string, error: unknown): unknown => {
  const code = sqliteCode(error)
  if (code !== undefined) return new StoreUnavailable(operation, code, error)
  if (error instanceof TypeError && error.message === "The database connection is not open")
    return new StoreUnavailable(operation, "CLOSED", error)
  // Only a stored text is ever parsed here.
  if (error instanceof SyntaxError) return new StoreUnavailable(operation, "DAMAGED_ROW", error)
  return error
}
