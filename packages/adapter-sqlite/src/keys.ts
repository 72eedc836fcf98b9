import { refuseDatabase } from "./database/refuseDatabase.ts"
import type { SigningKey, SigningKeyStore } from "@postern/core/jose"
import { kinds } from "@postern/stores/rows"
import type { Database } from "better-sqlite3"
import { guarded } from "./database/guarded.ts"
import { tableOf } from "./tokens/table.ts"

/** Keeps signing keys in a database. Private keys are stored as given, so the caller must seal them with a key-encryption key. */
export const sqliteSigningKeyStore = (database: Database): SigningKeyStore => {
  refuseDatabase("sqliteSigningKeyStore", database)
  const keys = tableOf(database, kinds.signingKeys)
  const list = database
    .prepare<[], Array<string | number | null>>(`SELECT ${keys.selected} FROM signing_keys ORDER BY active_at, kid`)
    .raw()
  const kids = database.prepare<[], string>("SELECT kid FROM signing_keys").pluck()
  const remove = database.prepare("DELETE FROM signing_keys WHERE kid = ?")

  /** Thrown to roll back the keys already added when one of them exists. */
  class Exists extends Error {}
  const addAll = database.transaction((added: ReadonlyArray<SigningKey>, seen: ReadonlyArray<string>): "Committed" | "Conflict" => {
    const stored = new Set(kids.all())
    if (stored.size !== seen.length || !seen.every((kid) => stored.has(kid))) return "Conflict"
    if (!added.every((key) => keys.insert(key))) throw new Exists()
    return "Committed"
  })
  const removeAll = database.transaction((gone: ReadonlyArray<string>): void => {
    for (const kid of gone) remove.run(kid)
  })

  return {
    list: () => guarded("list signing keys", () => list.all().map(keys.read)),
    add: (added, seen) => {
      try {
        return guarded("add signing keys", () => addAll.immediate(added, seen))
      } catch (error) {
        if (error instanceof Exists) return "Conflict"
        throw error
      }
    },
    remove: (gone) => guarded("remove signing keys", () => removeAll.immediate(gone)),
  }
}
