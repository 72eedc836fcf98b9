import type { ScenarioResults } from "../results.ts"
import { apart, figuresTable, ratiosTable } from "./tables.ts"

/** What each server did under other conditions, and how they stand to each other. */
export const conditionTables = (results: ScenarioResults): string =>
  [figuresTable(results), ratiosTable(results), ...apart(results)].join("\n\n")
