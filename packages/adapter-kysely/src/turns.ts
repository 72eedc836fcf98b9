import type { Statements } from "./database.ts"
import type { Speech } from "./flavor.ts"

/** Number of rows of the table of turns: those that take turns and those of another may meet by chance, which costs a wait. */
export const turnCount = 64

/** The turn of whoever adds signing keys. */
export const turnOfKeys = "signing keys"

/** FNV-1a: spread evenly, and the same in every process. */
const slotOf = (name: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193)
  return (hash >>> 0) % turnCount
}

/** Waits for all turns of some names, and keeps them until the transaction ends; where one writes at a time, that is so already. */
export const takeTurns = async (statements: Statements, table: string, { locked }: Speech, names: ReadonlyArray<string>): Promise<void> => {
  const slots = [...new Set(names.map(slotOf))].sort((left, right) => left - right)
  if (slots.length === 0 || locked === "") return
  await statements.rows(`SELECT "slot" FROM ${table} WHERE "slot" IN (${slots.map(() => "?").join(", ")}) ORDER BY "slot"${locked}`, slots)
}
