import type { Statements } from "./database.ts"
import type { Speech } from "./flavor.ts"

/** The number of rows in the table of locks. Unrelated names may share a row, which costs a wait. */
export const turnCount = 64

/** The lock name for adding signing keys. */
export const turnOfKeys = "signing keys"

/** Hashes a name to a slot with FNV-1a, which spreads evenly and is the same in every process. */
const slotOf = (name: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193)
  return (hash >>> 0) % turnCount
}

/** Locks some names until the transaction ends. A database with a single writer needs no such locks. */
export const takeTurns = async (statements: Statements, table: string, { locked }: Speech, names: ReadonlyArray<string>): Promise<void> => {
  const slots = [...new Set(names.map(slotOf))].sort((left, right) => left - right)
  if (slots.length === 0 || locked === "") return
  await statements.rows(`SELECT "slot" FROM ${table} WHERE "slot" IN (${slots.map(() => "?").join(", ")}) ORDER BY "slot"${locked}`, slots)
}
