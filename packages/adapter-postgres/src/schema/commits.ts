import { type RowKind, rowKinds } from "@postern/core/model"
import type { Database } from "../database/connect.ts"
import { commitFunctionsOf } from "../tokens/commitFunction.ts"
import { lock, stepPatience } from "./migrate.ts"
import { tablesDue } from "./tables.ts"

/** Makes the tables of features, and the functions that commit commands of some kinds of row, unless they are there. */
export const prepareCommits = async (database: Database, kinds: ReadonlyArray<RowKind> = rowKinds): Promise<void> => {
  const { each, statements } = commitFunctionsOf(kinds)
  const operation = "prepare commits"
  const [[there] = []] = await database.read(operation, "SELECT to_regprocedure($1) IS NOT NULL", [`${each}(jsonb)`])
  const due = [...(await tablesDue(database, kinds)), ...(there === true ? [] : statements.map((sql) => ({ sql })))]
  if (due.length > 0) await database.transact(operation, [...lock, ...due], stepPatience)
}
