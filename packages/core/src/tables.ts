import { type TableEntry, tablesWith } from "./endpoints/tables.ts"
import { jwtBearer, tokenExchange } from "./grants/index.ts"

/** Every table there is, those of the shipped extension grants among them: the source of the rule reference. */
export const ruleTables: ReadonlyArray<TableEntry> = tablesWith([tokenExchange(), jwtBearer({ issuers: [] })])
