// Rows in SQL, without anything of a runtime: for a store that runs anywhere.
export { DatabaseRefused, type RefusalReason, StoreUnavailable } from "./errors.ts"
export * from "./rows/binding.ts"
export * from "./rows/column.ts"
export * from "./rows/kinds.ts"
export { recentAttempts } from "./rows/recentAttempts.ts"
export * from "./rows/statements.ts"
export * from "./rows/tables.ts"
export * from "./text.ts"
