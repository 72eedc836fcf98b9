import type { SigningKey, SigningKeyStore } from "@postern/core/jose"
import type { Database } from "./database.ts"
import { TakenBack } from "./failure.ts"
import { inParts, type Table } from "./table.ts"
import { takeTurns, turnOfKeys } from "./turns.ts"

/** Stores signing keys. Private keys are stored as given, so seal them with a key-encryption key. */
export const signingKeysOn = (database: Database, table: Table<SigningKey>, turns: string): SigningKeyStore => ({
  list: async () => {
    const found = await database
      .alone("list signing keys")
      .rows(`SELECT ${table.selected()} FROM ${table.name} ORDER BY "active_at", "kid"`)
    // Every selected row has a key.
    return found.map((row) => table.read(row) as SigningKey)
  },
  add: (added, seen) =>
    database.transact<"Committed" | "Conflict">("add signing keys", async (statements, careful) => {
      // Transactions that add keys are serialized, so that each sees the keys added before.
      await takeTurns(statements, turns, database.speech, [turnOfKeys])
      const kept = new Set((await statements.rows(`SELECT "kid" FROM ${table.name}`)).map(({ kid }) => String(kid)))
      const isSeen = kept.size === new Set(seen).size && seen.every((kid) => kept.has(kid))
      if (!isSeen || careful || new Set(added.map(({ kid }) => kid)).size !== added.length)
        throw new TakenBack("taken back", { cause: "Conflict" })
      await table.insert(statements, added)
      return "Committed"
    }),
  remove: async (kids) => {
    for (const part of inParts(kids))
      await database.alone("remove signing keys").change(
        `DELETE FROM ${table.name} WHERE ${table.among(
          ["kid"],
          part.map((kid) => [kid]),
        )}`,
        part,
      )
  },
})
