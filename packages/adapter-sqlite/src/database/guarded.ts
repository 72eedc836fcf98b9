import { StoreUnavailable } from "@postern/stores"
import Sqlite from "better-sqlite3"

/** Returns the code of an error reported by SQLite, or undefined for any other error. */
export const sqliteCode = (error: unknown): string | undefined => (error instanceof Sqlite.SqliteError ? error.code : undefined)

/** Runs an operation and converts database errors to {@link StoreUnavailable}. Any other error is a defect and passes through. */
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
  // The only text parsed here is stored text.
  if (error instanceof SyntaxError) return new StoreUnavailable(operation, "DAMAGED_ROW", error)
  return error
}
