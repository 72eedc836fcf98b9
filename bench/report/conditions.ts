import type { ScenarioResults } from "../results.ts"
import { apart, figuresTable, ratiosTable } from "./tables.ts"

/** Writes the tables of each server's work under other conditions, and of their ratios. */
export const conditionTables = (results: ScenarioResults): string =>
  [figuresTable(results), ratiosTable(results), ...apart(results)].join("\n\n")
