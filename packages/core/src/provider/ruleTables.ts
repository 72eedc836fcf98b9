import { type TableEntry, tablesWith } from "./tables.ts"
import { jwtBearer } from "../features/jwt-bearer/index.ts"
import { tokenExchange } from "../features/token-exchange/index.ts"

/** Every table there is, those of the shipped extension grants among them: the source of the rule reference. */
export const ruleTables: ReadonlyArray<TableEntry> = tablesWith([tokenExchange(), jwtBearer({ issuers: [] })])
